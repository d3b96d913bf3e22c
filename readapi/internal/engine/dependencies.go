package engine

import (
	"encoding/binary"
	"iter"
	"slices"

	"strata/domain/shard"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/register"
)

// dependencies are what an answer is made of. As long as none of it changes, neither does the answer: that is how long
// it is kept. The less a resource depends on, the longer; what its handler reads must be among it.
type Dependencies struct {
	// unchanging says that an answer with status 200 never changes. What else there is counts for the others.
	Unchanging bool
	// log: the size of the log.
	Log bool
	// register: everything there is to know of all versions of all projections.
	Register bool
	// tips: all rows of the active versions of these projections.
	tips []string
	// shards: those rows of the active versions of projections that are of these resources.
	shards []register.Shard
	// besides are shards as well, of projections without which there is an answer all the same.
	besides []register.Shard
}

// dependent is an input that knows better than its resource what the answer depends on.
type dependent interface {
	Dependencies() Dependencies
}

// onTip is for answers that any new block may change.
func OnTip(projections ...string) Dependencies { return Dependencies{tips: projections} }

// and adds the rows of a resource, which has a name in package domain/shard.
func (d Dependencies) And(projection string, names ...string) Dependencies {
	d.shards = slices.Clip(d.shards)
	for _, name := range names {
		d.shards = append(d.shards, register.Shard{Projection: projection, Number: shard.Of(name)})
	}
	return d
}

// with adds the rows of a resource that count while a version of the projection is active.
func (d Dependencies) With(projection string, names ...string) Dependencies {
	d.besides = append(slices.Clip(d.besides), On(projection, names...).shards...)
	return d
}

// all are the shards, those that may be missing too.
func (d *Dependencies) all() iter.Seq[register.Shard] {
	return func(yield func(register.Shard) bool) {
		for _, shards := range [][]register.Shard{d.shards, d.besides} {
			for _, shard := range shards {
				if !yield(shard) {
					return
				}
			}
		}
	}
}

// on is for answers made of the rows of some resources alone. Whatever a handler knows of the tip must not show in them.
func On(projection string, names ...string) Dependencies {
	return Dependencies{}.And(projection, names...)
}

// include says whether rows of a projection are among the dependencies.
func (d *Dependencies) include(projection string) bool {
	return d.Register || slices.Contains(d.tips, projection) ||
		slices.ContainsFunc(d.shards, func(s register.Shard) bool { return s.Projection == projection }) ||
		slices.ContainsFunc(d.besides, func(s register.Shard) bool { return s.Projection == projection })
}

// appendState adds what the dependencies are in a state: two states for which it is the same give the same answer.
func (d *Dependencies) appendState(b []byte, s *register.State) []byte {
	b = append(b, s.Archive[:]...)
	if d.Log || d.Register {
		b = binary.BigEndian.AppendUint64(b, uint64(s.LogSize))
	}
	if d.Register {
		b = append(b, s.Digest[:]...)
	}
	for _, name := range d.tips {
		v := s.Active(name)
		b = appendVersion(b, v)
		if v != nil {
			b = binary.BigEndian.AppendUint64(b, uint64(v.Position))
		}
	}
	for shard := range d.all() {
		v := s.Active(shard.Projection)
		b = appendVersion(b, v)
		if v != nil {
			b = binary.BigEndian.AppendUint64(b, uint64(v.Changed(shard.Number)))
		}
	}
	return b
}

// appendVersion adds which version is active, and whether it has a block at all.
func appendVersion(b []byte, v *register.Version) []byte {
	if v == nil {
		return append(b, 0)
	}
	if v.Height == nil {
		b = append(b, 1)
	} else {
		b = append(b, 2)
	}
	return append(b, v.Epoch[:]...)
}

// moment is what the headers say of a state: the position of the least advanced projection among the dependencies.
func (d *Dependencies) moment(s *register.State) (m answer.Moment) {
	least := d.LeastAdvanced(s)
	if least == nil {
		if d.Log || d.Register || d.Unchanging {
			m.Position = s.LogHeader()
		}
		return m
	}
	m.Position = least.Header()
	if least.BurnHeight != nil {
		m.BurnHeight = *least.BurnHeight
	}
	return m
}

func (d *Dependencies) LeastAdvanced(s *register.State) (least *register.Version) {
	if d.Register {
		return s.LeastAdvanced()
	}
	for _, name := range d.tips {
		least = lessAdvanced(least, s.Active(name))
	}
	for shard := range d.all() {
		least = lessAdvanced(least, s.Active(shard.Projection))
	}
	return least
}

// actives are the active versions of the projections among the dependencies, some of them several times.
func (d *Dependencies) actives(s *register.State) iter.Seq[*register.Version] {
	return func(yield func(*register.Version) bool) {
		if d.Register {
			for _, v := range s.Versions {
				if v.Active && !yield(v) {
					return
				}
			}
		}
		for _, name := range d.tips {
			if v := s.Active(name); v != nil && !yield(v) {
				return
			}
		}
		for shard := range d.all() {
			if v := s.Active(shard.Projection); v != nil && !yield(v) {
				return
			}
		}
	}
}

// versions are the active versions of the projections among the dependencies, when they are all there is to it;
// otherwise nil.
func (d *Dependencies) versions(s *register.State) (versions []*register.Version) {
	if d.Log || d.Register || d.Unchanging {
		return nil
	}
	add := func(name string) bool {
		v := s.Active(name)
		if v != nil && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
		return v != nil
	}
	for _, name := range d.tips {
		if !add(name) {
			return nil
		}
	}
	for _, shard := range d.shards {
		if !add(shard.Projection) {
			return nil
		}
	}
	for _, shard := range d.besides {
		add(shard.Projection)
	}
	return versions
}

func lessAdvanced(v, w *register.Version) *register.Version {
	if v == nil || w != nil && w.LogSeq < v.LogSeq {
		return w
	}
	return v
}
