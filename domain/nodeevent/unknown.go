package nodeevent

import (
	"slices"
	"strings"
)

const (
	// unknownMax bounds the unknown members that are noted of a body.
	unknownMax = 32
	// unknownBytes bounds the path of an unknown member.
	unknownBytes = 160
)

// unknownField is a member that nobody decodes. name and depth tell whether it was noted before without making its path:
// an unknown member of each of 100,000 events costs one path.
type unknownField struct {
	name  string
	depth int
	path  string
}

// unknown notes and skips the value of a member that nobody decodes. name is the one read last.
func (c *cursor) unknown(name []byte) {
	c.note(name)
	c.Skip()
}

func (c *cursor) note(name []byte) {
	if c.Failed() || len(c.unknownFields) >= unknownMax {
		return
	}
	depth := c.Depth()
	for i := range c.unknownFields {
		if f := &c.unknownFields[i]; f.depth == depth && f.name == string(name) {
			return
		}
	}
	c.unknownFields = append(c.unknownFields, unknownField{string(name), depth, pattern(c.Pointer())})
}

// takeUnknown returns the paths of the unknown members, and forgets them.
func (c *cursor) takeUnknown() (paths []string) {
	for i := range c.unknownFields {
		if path := c.unknownFields[i].path; !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	clear(c.unknownFields)
	c.unknownFields = c.unknownFields[:0]
	return paths
}

// pattern returns a JSON pointer with * in place of numbers, which are the indexes of arrays. It cuts a long one.
func pattern(pointer string) string {
	if len(pointer) > unknownBytes {
		pointer = pointer[:unknownBytes] + "…"
	}
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return toString([]byte(strings.Join(parts, "/")))
}
