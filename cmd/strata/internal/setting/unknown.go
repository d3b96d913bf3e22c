// Package setting knows the settings of a command, finds variables of the environment that look like settings and are none, and says
// what holds instead of the settings of earlier versions.
package setting

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
)

// prefix begins the names of all variables that are settings.
const prefix = "STRATA_"

// others are variables that no flag has.
var others = []string{"STRATA_BNS_DEPLOYERS", "STRATA_POSTGRES_BIN"}

// Unknown returns a line about each variable of an environment that looks like a setting and is none, with the nearest
// setting. more are settings that no flag of the model has. A misspelt variable would otherwise be ignored without a word.
func Unknown(model *kong.Application, environ, more []string) (lines []string) {
	known := append(slices.Clone(others), more...)
	for _, leaf := range model.Leaves(false) {
		for _, level := range leaf.AllFlags(false) {
			for _, flag := range level {
				known = append(known, flag.Envs...)
			}
		}
	}
	for _, setting := range environ {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, prefix+"TEST_") || slices.Contains(known, name) {
			continue
		}
		line := "unknown setting " + name
		if now := Fixed(flagOf(name)); now != "" {
			line += now
		} else if near := nearest(name, known); near != "" {
			line += ", did you mean " + near + "?"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// flagOf returns the flag that a variable would be of.
func flagOf(variable string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, prefix), "_", "-"))
}

// nearest returns the name that takes the fewest edits to reach; empty if that is more than a third of its letters.
func nearest(name string, known []string) (near string) {
	fewest := len(name)/3 + 1
	for _, other := range known {
		if n := levenshtein.ComputeDistance(strings.TrimPrefix(name, prefix), strings.TrimPrefix(other, prefix)); n < fewest {
			near, fewest = other, n
		}
	}
	return near
}
