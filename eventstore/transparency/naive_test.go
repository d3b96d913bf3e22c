package transparency_test

import (
	"crypto/sha256"
	"slices"
)

// naive is the tree as RFC 6962 section 2.1 defines it, by recursion. It remembers what it has computed.
type naive struct {
	records [][]byte
	leaves  [][]byte
	known   map[[2]int][]byte
}

func newNaive() *naive { return &naive{known: map[[2]int][]byte{}} }

func (n *naive) add(record []byte) {
	h := sha256.Sum256(append([]byte{0}, record...))
	n.records, n.leaves = append(n.records, record), append(n.leaves, h[:])
}

// first is the tree over the first so many leaves.
func (n *naive) first(size int) *naive {
	return &naive{records: slices.Clone(n.records[:size]), leaves: slices.Clone(n.leaves[:size]), known: map[[2]int][]byte{}}
}

// split is the largest power of two below n.
func split(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

// root is MTH(D[from:to]).
func (n *naive) root(from, to int) []byte {
	switch to - from {
	case 0:
		h := sha256.Sum256(nil)
		return h[:]
	case 1:
		return n.leaves[from]
	}
	if h, ok := n.known[[2]int{from, to}]; ok {
		return h
	}
	k := split(to - from)
	h := sha256.Sum256(slices.Concat([]byte{1}, n.root(from, from+k), n.root(from+k, to)))
	n.known[[2]int{from, to}] = h[:]
	return h[:]
}

// path is PATH(m, D[from:to]), with m counted from from.
func (n *naive) path(m, from, to int) [][]byte {
	if to-from == 1 {
		return nil
	}
	k := split(to - from)
	if m < k {
		return append(n.path(m, from, from+k), n.root(from+k, to))
	}
	return append(n.path(m-k, from+k, to), n.root(from, from+k))
}

// proof is SUBPROOF(m, D[from:to], whole).
func (n *naive) proof(m, from, to int, whole bool) [][]byte {
	if m == to-from {
		if whole {
			return nil
		}
		return [][]byte{n.root(from, to)}
	}
	k := split(to - from)
	if m <= k {
		return append(n.proof(m, from, from+k, whole), n.root(from+k, to))
	}
	return append(n.proof(m-k, from+k, to, false), n.root(from, from+k))
}
