package answer

import (
	"slices"
	"unsafe"
)

// Weight is how many bytes of memory the answer holds, for a cache that is bounded in bytes. It grows when somebody asks
// for a form that has to be made, see WhenHeavier.
func (a *Answer) Weight() int { return int(a.weight.Load()) }

func (a *Answer) weigh() int64 {
	const pointed = int64(unsafe.Sizeof(""))
	weight := int64(unsafe.Sizeof(*a)) + int64(cap(a.plain.body)+len(a.plain.length[0])+len(a.contentType[0]))
	for c := range a.compressed {
		weight += int64(len(a.etags[c][0]))
		if made := a.compressed[c].made.Load(); made != nil {
			weight += made.weight()
		}
	}
	for _, f := range a.fields {
		weight += int64(unsafe.Sizeof(f)) + int64(len(f.Name))
		for _, v := range f.Values {
			weight += pointed + int64(len(v))
		}
	}
	return weight
}

// weight of a form that stands for itself.
func (f *form) weight() int64 {
	return int64(unsafe.Sizeof(*f)) + int64(cap(f.body)+len(f.length[0]))
}

// trimmed returns the body without unused memory: a cached answer lives long, and a buffer that grew by doubling may be
// half empty. slices.Clip alone would keep the memory.
func trimmed(body []byte) []byte {
	if cap(body)-len(body) > len(body)/8 {
		return append(make([]byte, 0, len(body)), body...)
	}
	return slices.Clip(body)
}
