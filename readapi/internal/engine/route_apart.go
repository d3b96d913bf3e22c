package engine

import (
	"strings"
)

// apart are beginnings of paths with a word where other paths have a parameter, which go on as those do: the mux can't tell
// /blocks/by-block-time/{timestamp} from /blocks/{height_or_hash}/transactions. It has them under a prefix of their own.
var apart = []string{
	"/extended/v2/blocks/by-block-time/",
	"/extended/v1/pox2/tx/", "/extended/v1/pox2/stacker/", "/extended/v1/pox3/tx/", "/extended/v1/pox3/stacker/", "/extended/v1/pox4/tx/", "/extended/v1/pox4/stacker/",
}

// apartPrefix is before their paths. No request begins with it.
const apartPrefix = "/-"

// muxPath is a path, or the pattern of one, as the mux has it.
func muxPath(path string) string {
	for _, beginning := range apart {
		if strings.HasPrefix(path, beginning) {
			return apartPrefix + path
		}
	}
	return path
}
