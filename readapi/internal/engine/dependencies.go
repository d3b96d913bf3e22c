package engine

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"strata/domain/shard"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/register"
)

// Dependencies list what an answer depends on. The answer stays cached until one of them changes, so the fewer there are,
// the longer it stays. They must include everything that the handler reads. The zero value stands for the tips of the
// projections that the handler reads, which the engine finds out by itself.
type Dependencies struct {
	// Unchanging is set if an answer with status 200 never changes. The other dependencies then count only for answers with
	// another status.
	Unchanging bool
	// Log is the size of the log.
	Log bool
	// Register is the whole register: everything about all versions of all projections.
	Register bool
	// tips are projections, all rows of whose active versions count.
	tips []string
	// shards are parts of the rows of active versions: those of certain resources, such as an account.
	shards []register.Shard
	// optionalShards are further shards, of projections that need not have an active version.
	optionalShards []register.Shard
}

// isZero reports whether nothing is declared.
func (d *Dependencies) isZero() bool {
	return !d.Unchanging && !d.Log && !d.Register && d.tips == nil && d.shards == nil && d.optionalShards == nil
}

// dependent is an input that knows what its answer depends on. This takes precedence over Operation.Dependencies.
type dependent interface {
	Dependencies() Dependencies
}

// OnTip returns the dependencies of an answer that any new block may change.
func OnTip(projections ...string) Dependencies { return Dependencies{tips: projections} }

// And adds the rows of the named resources; package domain/shard defines their names.
func (d Dependencies) And(projection string, names ...string) Dependencies {
	d.shards = slices.Clip(d.shards)
	for _, name := range names {
		d.shards = append(d.shards, register.Shard{Projection: projection, Number: shard.Of(name)})
	}
	return d
}

// With adds the rows of the named resources of a projection that need not have an active version.
func (d Dependencies) With(projection string, names ...string) Dependencies {
	d.optionalShards = append(slices.Clip(d.optionalShards), On(projection, names...).shards...)
	return d
}

// allShards iterates over the shards, including the optional ones.
func (d *Dependencies) allShards() iter.Seq[register.Shard] {
	return func(yield func(register.Shard) bool) {
		for _, shards := range [][]register.Shard{d.shards, d.optionalShards} {
			for _, shard := range shards {
				if !yield(shard) {
					return
				}
			}
		}
	}
}

// On returns the dependencies of an answer that is built only from the rows of the named resources. Nothing that the
// handler knows about the tip may show in the answer.
func On(projection string, names ...string) Dependencies {
	return Dependencies{}.And(projection, names...)
}

// include reports whether the dependencies include rows of a projection.
func (d *Dependencies) include(projection string) bool {
	return d.Register || slices.Contains(d.tips, projection) ||
		slices.ContainsFunc(d.shards, func(s register.Shard) bool { return s.Projection == projection }) ||
		slices.ContainsFunc(d.optionalShards, func(s register.Shard) bool { return s.Projection == projection })
}

// building returns the error for an answer that needs a projection whose first version is being built, as after an update
// that brought the projection: an empty answer would be wrong. It returns nil in all other cases.
func (d *Dependencies) building(s *register.State) error {
	for _, name := range d.tips {
		if err := isBuilding(s, name); err != nil {
			return err
		}
	}
	for _, shard := range d.shards {
		if err := isBuilding(s, shard.Projection); err != nil {
			return err
		}
	}
	return nil
}

// isBuilding returns the error for a projection of which there are versions, but no active one; otherwise nil.
func isBuilding(s *register.State, name string) error {
	if s.Active(name) != nil || !slices.ContainsFunc(s.Versions, func(v *register.Version) bool { return v.Name == name }) {
		return nil
	}
	return &Error{CodeBuilding, fmt.Sprintf(
		"projection %s is being built and has no active version yet: try again later (its operator sees the progress with: strata projections status)", name)}
}

// appendState appends the dependencies' values in a state: two states with the same values give the same answer.
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
		if v == nil {
			b = append(b, name...) // processes that have learned different sets must not make one key of them
		} else {
			b = binary.BigEndian.AppendUint64(b, uint64(v.Position))
		}
	}
	for shard := range d.allShards() {
		v := s.Active(shard.Projection)
		b = appendVersion(b, v)
		if v != nil {
			b = binary.BigEndian.AppendUint64(b, uint64(v.Changed(shard.Number)))
		}
	}
	return b
}

// appendVersion appends the identity of an active version, and whether it has a block.
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

// moment returns what the headers report about a state: the position of the least advanced projection among the
// dependencies.
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

// LeastAdvanced returns the active version among the dependencies that reflects the fewest events; nil when there is none.
func (d *Dependencies) LeastAdvanced(s *register.State) (least *register.Version) {
	if d.Register {
		return s.LeastAdvanced()
	}
	for v := range d.actives(s) {
		if least == nil || v.LogSeq < least.LogSeq {
			least = v
		}
	}
	return least
}

// actives iterates over the active versions of the projections among the dependencies, some of them several times.
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
		for shard := range d.allShards() {
			if v := s.Active(shard.Projection); v != nil && !yield(v) {
				return
			}
		}
	}
}

// versions returns the active versions of the projections among the dependencies if the answer depends on nothing else,
// and all required projections have one; otherwise nil.
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
	for _, shard := range d.optionalShards {
		add(shard.Projection)
	}
	return versions
}
