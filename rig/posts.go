package rig

import (
	"fmt"

	domain "strata/domain/ordinals"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
)

// Blocks returns the posts of n blocks of a chain without forks, of the heights from to from+n-1. Height 0 is the
// genesis block.
func Blocks(from, n int) []replay.Post {
	coinbase := []body.Transaction{{Raw: body.Account("miner").Sign(0, 0, &transaction.Coinbase{})}}
	name := func(height int) string {
		if height == 0 {
			return body.Genesis
		}
		return fmt.Sprintf("a%d", height)
	}
	posts := make([]replay.Post, n)
	for i := range posts {
		height := from + i
		posts[i] = body.Block{Name: name(height), Parent: name(height - 1), Burn: "100a", Transactions: coinbase}.Post()
	}
	return posts
}

// Chain returns the projection chain with the recommended fork choice.
func Chain(t replay.TB) *chain.Chain {
	t.Helper()
	return must.Get(chain.New(chain.Recommended, nil))(t)
}

// Posts makes up posts of a chain and of an ordinals feed.
type Posts struct {
	Chain *synthchain.Chain
	feed  *synthordinals.Feed
	n     int
}

// NewPosts makes Posts with many forks.
func NewPosts(seed uint64) *Posts {
	config := synthchain.Everything(seed, synthchain.V3109)
	config.ForkProbability, config.BitcoinReorgProbability = 0.2, 0.05
	return &Posts{Chain: synthchain.New(config), feed: synthordinals.New(synthordinals.Everything(seed, domain.Regtest))}
}

// Next returns the next n posts: every fifth is of the feed, the others are of the chain.
func (p *Posts) Next(n int) (posts []replay.Post) {
	for range n {
		if p.n++; p.n%5 == 0 {
			posts = append(posts, p.feed.Next())
		} else {
			posts = append(posts, p.Chain.Next())
		}
	}
	return posts
}
