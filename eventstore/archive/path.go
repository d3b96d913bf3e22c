package archive

import "strings"

// ownPrefix is what the paths of events begin with that Strata itself has put into the log, and nobody has posted.
const ownPrefix = "strata:"

// isPath says whether a line may have this path: something was posted to it, or it is Strata's own.
func isPath[T ~string | ~[]byte](path T) bool {
	return strings.HasPrefix(string(path), "/") || strings.HasPrefix(string(path), ownPrefix)
}
