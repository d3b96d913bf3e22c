package engine

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// separatePrefix begins the paths in the mux of operations that it refuses to have beside others. No client's path begins
// with it.
const separatePrefix = "/-"

// mountedOperation is an operation that waits until all paths are known.
type mountedOperation struct {
	*huma.Operation
	handler func(huma.Context)
}

// fillMux adds all operations to the mux. It runs once, when all are known, so that the order in which resources mount
// them makes no difference.
func (e *Engine) fillMux() {
	e.separate = separatePrefixes(e.operations)
	for _, o := range e.operations {
		routed := *o.Operation
		routed.Path = e.muxPath(o.Path)
		e.adapter.Handle(&routed, o.handler)
	}
}

// separatePrefixes returns the beginnings of paths that go under separatePrefix. A mux refuses a path that has a word where
// another one has a parameter, if it is the other way round further on: /blocks/by-block-time/{timestamp} and
// /blocks/{height_or_hash}/transactions. Of two such paths, the one that has the first such word is separated, with all
// paths that begin like it up to that word.
func separatePrefixes(operations []mountedOperation) (prefixes []string) {
	type shape struct {
		method string
		words  int
	}
	alike := map[shape][][]string{} // only paths of one shape can conflict
	for _, o := range operations {
		words := strings.Split(o.Path, "/")
		of := shape{method: o.Method, words: len(words)}
		alike[of] = append(alike[of], words)
	}
	for _, paths := range alike {
		for _, words := range paths {
			for _, others := range paths {
				if prefix, ok := conflict(words, others); ok && !slices.Contains(prefixes, prefix) {
					prefixes = append(prefixes, prefix)
				}
			}
		}
	}
	return prefixes
}

// conflict reports whether two paths of as many words conflict and the first one has the first word in place of a
// parameter. It returns that path up to the word. A parameter in front of the word is not provided for: the mux then
// panics.
func conflict(words, others []string) (prefix string, ok bool) {
	isParameter := func(word string) bool { return strings.HasPrefix(word, "{") }
	mutual := false
	for i, word := range words {
		switch parameter := isParameter(word); {
		case parameter && !isParameter(others[i]):
			if prefix == "" {
				return "", false // the other one is separated, if any
			}
			mutual = true
		case !parameter && isParameter(others[i]):
			if prefix == "" {
				prefix = strings.Join(words[:i+1], "/") + "/"
			}
		case !parameter && word != others[i]:
			return "", false
		}
	}
	return prefix, mutual
}

// muxPath returns the mux's form of a path or path pattern.
func (e *Engine) muxPath(path string) string {
	for _, prefix := range e.separate {
		if strings.HasPrefix(path, prefix) {
			return separatePrefix + path
		}
	}
	return path
}
