package archive

import "strings"

// ownPrefix is the start of the paths of events that Strata itself appends to the log. Nobody can post to such a path.
const ownPrefix = "strata:"

// isPath reports whether a line may have this path: one that starts with a slash, or one of Strata's own.
func isPath[T ~string | ~[]byte](path T) bool {
	return strings.HasPrefix(string(path), "/") || strings.HasPrefix(string(path), ownPrefix)
}
