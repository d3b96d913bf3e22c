package engine

import (
	"slices"
	"strings"
)

// apartPrefix is put before the paths of operations with Apart set. No client's path begins with it.
const apartPrefix = "/-"

// setApart puts a path, and all that are like it up to its first parameter, under apartPrefix.
func (e *Engine) setApart(path string) {
	prefix, _, _ := strings.Cut(path, "{")
	if !slices.Contains(e.apart, prefix) {
		e.apart = append(e.apart, prefix)
	}
}

// muxPath returns the mux's form of a path or path pattern.
func (e *Engine) muxPath(path string) string {
	for _, prefix := range e.apart {
		if strings.HasPrefix(path, prefix) {
			return apartPrefix + path
		}
	}
	return path
}
