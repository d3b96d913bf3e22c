package synthstaking

import (
	"fmt"
	"math/rand/v2"

	"strata/internal/synth/simulate"
)

// History is a random history with forks.
type History struct {
	Posts     []simulate.Post // in the order in which a node posts them
	Canonical []simulate.Post // of the canonical chain alone
	Tip       *Contract
	Blocks    []Block // canonical
}

// entry is a block with the state of the contract after it.
type entry struct {
	block Block
	after *Contract
}

// NewHistory makes a history of so many blocks. Forks are at most four blocks deep.
func NewHistory(seed uint64, blocks int, contract string) *History {
	random := rand.New(rand.NewPCG(seed, 5))
	world := NewWorld(9, 4)
	h := &History{}
	genesis := Block{Name: "genesis", Contract: contract, Height: 0, BurnHeight: 3}
	chain := []entry{{genesis, New()}}
	chain[0].after.Height = genesis.BurnHeight
	h.Posts = append(h.Posts, genesis.Post())
	var made int64
	grow := func() {
		parent := chain[len(chain)-1]
		after := parent.after.Clone()
		after.Height += random.Int64N(14)
		made++
		b := Block{Name: fmt.Sprint("b", made), Parent: parent.block.Name, Height: parent.block.Height + 1, BurnHeight: after.Height, Contract: contract}
		for range random.IntN(5) {
			var tx = world.Act(after, random)
			for range random.IntN(4) {
				tx = append(tx, world.Act(after, random)...)
			}
			b.Prints = append(b.Prints, tx)
		}
		if cycle := after.Cycle() + 1; after.preparing() {
			b.Members = Set(cycle, map[byte]int64{1: 60_000_000_000 + after.Height, 2: 80_000_000_000, 3: 80_000_000_000})
		}
		chain = append(chain, entry{b, after})
		h.Posts = append(h.Posts, b.Post())
	}
	for range blocks {
		if random.IntN(7) == 0 && len(chain) > 6 {
			height := len(chain)
			chain = chain[:len(chain)-1-random.IntN(4)]
			for len(chain) <= height { // the fork wins
				grow()
			}
			continue
		}
		grow()
	}
	for _, e := range chain {
		h.Canonical, h.Blocks = append(h.Canonical, e.block.Post()), append(h.Blocks, e.block)
	}
	h.Tip = chain[len(chain)-1].after
	return h
}
