package engine

import (
	"slices"
	"strings"

	"strata/readapi/internal/answer"
)

// Family is a group of operations under a path of its own, which answers as another API does whose clients it serves.
type Family struct {
	// Path is the prefix of the paths of all operations. They are served under Path and under Path/v1.
	Path string
	// NotFound is the class of the answer to a request for a path that does not exist.
	NotFound answer.Class
	// SlashCounts is set if a trailing slash makes it a different path, except after Path and Path/v1.
	SlashCounts bool
}

// Place puts an operation into the family. The given path begins after the version; the operation is served both with
// and without the version in front of it.
func (f *Family) Place(r Operation) Operation {
	r.Family = f
	r.Path, r.Aliases = f.Path+"/v1"+r.Path, []string{f.Path + r.Path}
	return r
}

// addFamily lets requests for unknown paths, and for paths with a trailing slash, be answered as the family wants.
func (e *Engine) addFamily(f *Family) {
	if !slices.Contains(e.families, f) {
		e.families = append(e.families, f)
	}
}

// familyOf returns the family with a path; nil for none.
func (e *Engine) familyOf(path string) *Family {
	for _, f := range e.families {
		if strings.HasPrefix(path, f.Path) {
			return f
		}
	}
	return nil
}

// slashCounts reports whether a trailing slash makes it a different path.
func (e *Engine) slashCounts(path string) bool {
	f := e.familyOf(path)
	if f == nil || !f.SlashCounts {
		return false
	}
	rest := path[len(f.Path):]
	return strings.HasPrefix(rest, "/") && rest != "/" && rest != "/v1/"
}
