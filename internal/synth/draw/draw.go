// Package draw draws what the generators of synthetic events need from a seeded random source. The same seed gives the
// same draws.
package draw

import (
	"encoding/binary"
	"math/rand/v2"

	"strata/domain/hash"
)

// Range is a number of things; both ends are included.
type Range struct{ Min, Max int }

// Source is a random source.
type Source struct{ *rand.Rand }

// New returns the source of a seed. stream separates the generators, so that one seed gives each of them other draws.
func New(seed, stream uint64) Source { return Source{rand.New(rand.NewPCG(seed, stream))} }

// Chance returns true with the given probability. It uses up a random number even for 0 and 1, so that one setting does
// not change all the draws after it.
func (s Source) Chance(probability float64) bool { return s.Float64() < probability }

// In returns a number in a range.
func (s Source) In(r Range) int { return r.Min + s.IntN(r.Max-r.Min+1) }

// Fill fills b with random bytes.
func (s Source) Fill(b []byte) {
	var word [8]byte
	for len(b) > 0 {
		binary.LittleEndian.PutUint64(word[:], s.Uint64())
		b = b[copy(b, word[:]):]
	}
}

// Hash32 returns random bytes in the shape of a hash.
func (s Source) Hash32() (h hash.Hash32) {
	s.Fill(h[:])
	return h
}

// Default sets a field of a configuration to value if the field is zero or negative.
func Default[N int | uint32 | uint64](field *N, value N) {
	if *field <= 0 {
		*field = value
	}
}
