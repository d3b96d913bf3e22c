package apitest

import (
	"fmt"
	"testing"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/readapi"
	"strata/rig/replay"
)

// listedChains are databases with a made-up chain that has forks, folded by all that lists of accounts are read from.
var listedChains = filled("lists", func(s *Site) {
	log := eventstore.Open(s.Pool, eventstore.Config{})
	defer log.Close()
	replay.Append(s.T, log, ListedPosts(400)...)
	replay.Run(s.T, log, NewChain(s.T), balances.New(nil), accounts.New())
})

// listedPosts are the posts of a chain of few accounts, which have long lists.
func ListedPosts(n int) []replay.Post {
	config := synthchain.Everything(23, synthchain.V30)
	config.SigningSample, config.Accounts, config.BitcoinOpShare = 1000, 10, 0.3
	made := synthchain.New(config)
	return replay.Take(n, made.Next)
}

func NewListed(t testing.TB) *Site {
	t.Helper()
	return NewSiteOn(t, listedChains.New(t), readapi.Config{Network: NetworkOf(ListedPosts(1))})
}

// textOf writes a member of a page's row, which a path of names leads to.
func TextOf(row any, path ...string) string {
	for _, name := range path {
		object, _ := row.(map[string]any)
		row = object[name]
	}
	return fmt.Sprint(row)
}
