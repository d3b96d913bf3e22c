// Package schemas names the schemas of the read tables that this program builds, so that tests need not change with the
// version of a projection.
package schemas

import (
	"regexp"
	"strconv"

	"strata/projections"
	"strata/rig/every"
)

var versions = every.Lines().Rules()

// placeholder is a name of a projection in braces, perhaps with # for the number of its version alone, and with +1 for the
// version after it.
var placeholder = regexp.MustCompile(`\{([a-z0-9]+)(#?)(?:\+([0-9]))?\}`)

// In replaces each name of a projection in braces: {chain} by the schema of its tables, {chain#} by the number of its version,
// and {chain+1} and {chain#+1} by those of the next version.
func In(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		version, ok := versions[parts[1]]
		if !ok {
			return found
		}
		if parts[3] != "" {
			version += int(parts[3][0] - '0')
		}
		if parts[2] != "" {
			return strconv.Itoa(version)
		}
		return projections.Schema{Name: parts[1], Version: version}.String()
	})
}

// table is the name of a table with its schema, as far as the dot.
var table = regexp.MustCompile(`\b([a-z0-9]+)_v([0-9]+)\.`)

// Out is the inverse of In for names of tables: it replaces the schema of chain_v5.block by {chain}, if 5 is its version.
func Out(text string) string {
	return table.ReplaceAllStringFunc(text, func(found string) string {
		parts := table.FindStringSubmatch(found)
		if version, ok := versions[parts[1]]; !ok || strconv.Itoa(version) != parts[2] {
			return found
		}
		return "{" + parts[1] + "}."
	})
}
