package policy

import (
	"net/http"
	"strings"
)

// branch is a place in the tree of paths.
type branch struct {
	segments map[string]*branch
	any      *branch
	// ends and rests are the endpoints of paths that end here, or go on in whatever way, by method.
	ends, rests []*Endpoint
}

var root = grow(table)

func grow(endpoints []Endpoint) *branch {
	root := &branch{}
	for i := range endpoints {
		e := &endpoints[i]
		e.Index = i
		at := root
		for segment := range strings.SplitSeq(e.Name[1:], "/") {
			if strings.HasSuffix(segment, "...}") {
				at.rests = append(at.rests, e)
				at = nil
				break
			}
			at = at.next(segment)
		}
		if at != nil {
			at.ends = append(at.ends, e)
		}
	}
	return root
}

func (b *branch) next(segment string) *branch {
	if strings.HasPrefix(segment, "{") {
		if b.any == nil {
			b.any = &branch{}
		}
		return b.any
	}
	if b.segments == nil {
		b.segments = map[string]*branch{}
	}
	if b.segments[segment] == nil {
		b.segments[segment] = &branch{}
	}
	return b.segments[segment]
}

// find returns the endpoints of a path, without its first slash. What is spelt out counts more than a placeholder.
func (b *branch) find(path string) []*Endpoint {
	segment, rest, more := strings.Cut(path, "/")
	for _, next := range [...]*branch{b.segments[segment], b.any} {
		if next == nil || segment == "" {
			continue
		}
		if !more || rest == "" { // one slash at the end means nothing to a reader, nor to a guard
			if len(next.ends) > 0 {
				return next.ends
			}
			continue
		}
		if found := next.find(rest); found != nil {
			return found
		}
	}
	if segment == "" {
		return nil
	}
	return b.rests
}

// Match returns how to handle a request for a path, which must be decoded: a node decodes it too, before it looks. HEAD
// is handled as GET.
func Match(method, path string) *Endpoint {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var guarded *Endpoint
	if len(path) > 0 && path[0] == '/' {
		for _, e := range root.find(path[1:]) {
			if e.Method == method {
				return e
			}
			if e.Operator {
				guarded = e
			}
		}
	}
	switch {
	case guarded != nil: // with whatever method
		return guarded
	case method == http.MethodGet:
		return &otherRead
	default:
		return &otherWrite
	}
}
