package answer

import (
	"cmp"
	"net/textproto"
	"slices"
	"strings"
)

// Field is a header field of an answer, for example Strata-Source.
type Field struct {
	Name   string
	Values []string
}

// ownFields are those that Serve sets itself, by their canonical names.
var ownFields = []string{
	"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Etag", positionField, "Vary",
}

// positionField says which position of the log and which tip an answer reflects.
const positionField = "Strata-Position"

// arrange gives the fields canonical names, leaves out those that Serve sets itself, and sorts them so that the ones that
// a 304 repeats come first; repeated is their number. Fields about the content stay out of a 304, because it has none.
func arrange(given []Field) (fields []Field, repeated int) {
	fields = make([]Field, 0, len(given))
	for _, f := range given {
		name := textproto.CanonicalMIMEHeaderKey(f.Name)
		if len(f.Values) > 0 && !slices.Contains(ownFields, name) {
			fields = append(fields, Field{name, slices.Clip(f.Values)}) // so that to merge doesn't write where others read
		}
	}
	slices.SortStableFunc(fields, func(a, b Field) int {
		return cmp.Or(isContent(a)-isContent(b), strings.Compare(a.Name, b.Name))
	})
	merged := fields[:0]
	for _, f := range fields {
		if last := len(merged) - 1; last >= 0 && merged[last].Name == f.Name {
			merged[last].Values = append(merged[last].Values, f.Values...)
			continue
		}
		merged = append(merged, f)
		repeated += 1 - isContent(f)
	}
	for i := range merged {
		merged[i].Values = slices.Clip(merged[i].Values) // nor does whoever adds to the header of a response
	}
	return merged, repeated
}

// isContent is 1 for a field about the content, otherwise 0.
func isContent(f Field) int {
	if strings.HasPrefix(f.Name, "Content-") {
		return 1
	}
	return 0
}
