package policy

import (
	"net/http"
	"strings"
)

// treeNode is a node in the tree of paths.
type treeNode struct {
	segments map[string]*treeNode
	any      *treeNode
	// ends has the endpoints whose path ends here, one per method; rests has those whose path goes on arbitrarily.
	ends, rests []*Endpoint
}

var root = buildTree(table)

func buildTree(endpoints []Endpoint) *treeNode {
	root := &treeNode{}
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

func (b *treeNode) next(segment string) *treeNode {
	if strings.HasPrefix(segment, "{") {
		if b.any == nil {
			b.any = &treeNode{}
		}
		return b.any
	}
	if b.segments == nil {
		b.segments = map[string]*treeNode{}
	}
	if b.segments[segment] == nil {
		b.segments[segment] = &treeNode{}
	}
	return b.segments[segment]
}

// lookup returns the endpoints of a path, given without its first slash. A literal segment takes precedence over a
// placeholder.
func (b *treeNode) lookup(path string) []*Endpoint {
	segment, rest, more := strings.Cut(path, "/")
	for _, next := range [...]*treeNode{b.segments[segment], b.any} {
		if next == nil || segment == "" {
			continue
		}
		if !more || rest == "" { // a slash at the end is ignored, so that it can't bypass the check for operators
			if len(next.ends) > 0 {
				return next.ends
			}
			continue
		}
		if endpoints := next.lookup(rest); endpoints != nil {
			return endpoints
		}
	}
	if segment == "" {
		return nil
	}
	return b.rests
}

// Match returns the endpoint of a request. The path must be decoded, because a node decodes it too before it
// dispatches. HEAD counts as GET. A method that an operator endpoint does not have still matches that endpoint.
func Match(method, path string) *Endpoint {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var guarded *Endpoint
	if len(path) > 0 && path[0] == '/' {
		for _, e := range root.lookup(path[1:]) {
			if e.Method == method {
				return e
			}
			if e.Operator {
				guarded = e
			}
		}
	}
	switch {
	case guarded != nil: // whatever the method
		return guarded
	case method == http.MethodGet:
		return &otherRead
	default:
		return &otherWrite
	}
}
