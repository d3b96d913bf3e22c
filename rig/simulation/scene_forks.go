package simulation

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"strata/rig/forks"
	"strata/rig/replay"
)

// forked is a scene in which one or two nodes post announcements of any forks of Bitcoin and Stacks, as package forks draws them. What
// comes of it must obey the rules of the fork choice.
type forked struct {
	quiet
	random  *rand.Rand
	strange int
	posts   []replay.Post
}

func newForks(random *rand.Rand) Scene {
	s := &forked{random: random, strange: []int{0, 0, 10}[random.IntN(3)]}
	s.posts = rapid.Custom(func(rt *rapid.T) []replay.Post { return forks.Draw(rt, s.strange) }).Example(random.IntN(1 << 31))
	return s
}

func (s *forked) Arguments(*World) []string { return []string{"--partial-history"} }

func (s *forked) Begin(w *World, h *History) {
	h.Unknown = true
	h.Senders[0].Posts = h.cut.left(s.posts)
	if s.random.IntN(2) == 0 {
		h.send(w, s.posts, s.random.IntN(2) == 0)
	}
}

func (s *forked) Judge(j *judge) { forks.CheckRules(j, j.pool, s.strange == 0) }
