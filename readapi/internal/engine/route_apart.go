package engine

import (
	"strings"
)

// conflicting are prefixes of paths with a word where another path has a parameter: the mux refuses to have both
// /blocks/by-block-time/{timestamp} and /blocks/{height_or_hash}/transactions. It has these paths under a prefix of their
// own.
var conflicting = []string{
	"/extended/v2/blocks/by-block-time/",
	"/extended/v1/pox2/tx/", "/extended/v1/pox2/stacker/",
	"/extended/v1/pox3/tx/", "/extended/v1/pox3/stacker/",
	"/extended/v1/pox4/tx/", "/extended/v1/pox4/stacker/",
}

// apartPrefix is put before the conflicting paths. No client's path begins with it.
const apartPrefix = "/-"

// muxPath returns the mux's form of a path or path pattern.
func muxPath(path string) string {
	for _, prefix := range conflicting {
		if strings.HasPrefix(path, prefix) {
			return apartPrefix + path
		}
	}
	return path
}
