package answer

import (
	"slices"
	"unsafe"
)

// Weight is how many bytes of memory the answer holds, for a cache that is bounded in bytes. Of answers that are not
// Cacheable, it leaves out the forms that are made when they are asked for.
func (a *Answer) Weight() int { return a.weight }

func (a *Answer) weigh() int {
	const pointed = int(unsafe.Sizeof(""))
	weight := int(unsafe.Sizeof(*a)) + len(a.contentType[0])
	for i := range a.forms {
		f := &a.forms[i]
		weight += cap(f.body) + len(f.length[0]) + len(f.etag[0])
	}
	for _, f := range a.fields {
		weight += int(unsafe.Sizeof(f)) + len(f.Name)
		for _, v := range f.Values {
			weight += pointed + len(v)
		}
	}
	return weight
}

// snug is the body without memory that it doesn't fill: a cached answer lives long, and a buffer that grew by doubling
// may be half empty.
func snug(body []byte) []byte {
	if cap(body)-len(body) > len(body)/8 {
		return append(make([]byte, 0, len(body)), body...)
	}
	return slices.Clip(body)
}
