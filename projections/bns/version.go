package bns

// version is a state of something from one block on.
type version[V any] struct {
	value  V
	height int64
}

// pastVersion is a version that a later block of the same batch ended.
type pastVersion[V any] struct {
	version[V]
	until int64
}

// subject is something whose states are versions: a name, for example.
type subject[V any] struct {
	// before is the current version in the table when the batch begins; nil for none.
	before *version[V]
	// closed is the height of the block that ended before; 0 while it lasts.
	closed int64
	// now is the current version if this batch began it, or the state is that there is none; it counts if changed.
	now     *version[V]
	changed bool
	last    int64 // height of the block with the last change
	past    []pastVersion[V]
}

// value returns the current state; nil for none.
func (s *subject[V]) value() *V {
	switch {
	case s.changed && s.now != nil:
		return &s.now.value
	case s.changed || s.before == nil:
		return nil
	}
	return &s.before.value
}

// set replaces the state in the block at height; nil is the state that there is none. The caller must not change the
// value that value returned, but a copy.
func (s *subject[V]) set(height int64, value *V) {
	if !s.changed {
		if s.before != nil {
			s.closed = height
		}
	} else if s.now != nil && s.last != height {
		s.past = append(s.past, pastVersion[V]{*s.now, height})
	}
	s.changed, s.last, s.now = true, height, nil
	if value != nil {
		s.now = &version[V]{*value, height}
	}
}

// subjects are those that a batch may change, by key.
type subjects[V any] map[string]*subject[V]

// get returns a subject. It is empty if load did not find it.
func (m subjects[V]) get(key string) *subject[V] {
	s := m[key]
	if s == nil {
		s = &subject[V]{}
		m[key] = s
	}
	return s
}

// closed returns the keys of versions in the table that the batch ended, with the heights.
func (m subjects[V]) closed(keys []string) (ended []string, heights []int64) {
	for _, key := range keys {
		if s := m[key]; s.closed != 0 {
			ended, heights = append(ended, key), append(heights, s.closed)
		}
	}
	return ended, heights
}

// each calls f with every version that the batch began, in the order of keys; until is nil for current ones.
func (m subjects[V]) each(keys []string, f func(value *V, height int64, until *int64)) {
	for _, key := range keys {
		s := m[key]
		for i := range s.past {
			f(&s.past[i].value, s.past[i].height, &s.past[i].until)
		}
		if s.changed && s.now != nil {
			f(&s.now.value, s.now.height, nil)
		}
	}
}
