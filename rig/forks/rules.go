package forks

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/must"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// CheckRules compares the tables with the rules, without regard to how they came about.
func CheckRules(t replay.TB, db replay.Querier, tips bool) {
	type bitcoinBlock struct {
		Hash, Consensus, Parent string
		Height                  int64
		Canonical               bool
	}
	type stacksBlock struct {
		ID, Parent, Burn, Consensus, View string
		Height, BurnHeight                int64
		Attached, Canonical               bool
	}
	rows, err := db.Query(context.Background(), schemas.In(`
		SELECT encode(burn_block_hash, 'hex'), encode(consensus_hash, 'hex'), coalesce(encode(parent_burn_block_hash, 'hex'), ''), height, canonical
		FROM {chain}.burn_block`))
	if err != nil {
		t.Fatal(err)
	}
	announced := must.Get(pgx.CollectRows(rows, pgx.RowToStructByPos[bitcoinBlock]))(t)
	followed, hasFollowed := map[int64]bitcoinBlock{}, map[string]bool{}
	for _, b := range announced {
		if !b.Canonical {
			continue
		}
		if _, taken := followed[b.Height]; taken {
			t.Errorf("two Bitcoin blocks are followed at height %d", b.Height)
		}
		followed[b.Height], hasFollowed[b.Hash] = b, true
	}
	for _, b := range announced {
		if below, ok := followed[b.Height-1]; b.Canonical && ok && b.Parent != "" && b.Parent != below.Hash {
			t.Errorf("the followed Bitcoin block %d has another parent than the followed one below it", b.Height)
		}
		if b.Canonical && !hasFollowed[b.Parent] && slices.ContainsFunc(announced, func(other bitcoinBlock) bool { return other.Hash == b.Parent }) {
			t.Errorf("the Bitcoin block %d is followed without its parent", b.Height)
		}
	}
	rows, err = db.Query(context.Background(), schemas.In(`
		SELECT encode(index_block_hash, 'hex'), encode(parent_index_block_hash, 'hex'), encode(burn_block_hash, 'hex'),
		       coalesce(encode(consensus_hash, 'hex'), ''), coalesce(encode(burn_view, 'hex'), ''), b.height, burn_block_height, attached, c.height IS NOT NULL
		FROM {chain}.block b LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq`))
	if err != nil {
		t.Fatal(err)
	}
	blocks := must.Get(pgx.CollectRows(rows, pgx.RowToStructByPos[stacksBlock]))(t)
	byID := map[string]stacksBlock{}
	for _, b := range blocks {
		byID[b.ID] = b
	}
	isOrphaned := func(hash, consensus string) bool {
		known := slices.DeleteFunc(slices.Clone(announced), func(b bitcoinBlock) bool { return consensus == "" || b.Consensus != consensus })
		if len(known) == 0 {
			known = slices.DeleteFunc(slices.Clone(announced), func(b bitcoinBlock) bool { return b.Hash != hash })
		}
		return len(known) > 0 && !slices.ContainsFunc(known, func(b bitcoinBlock) bool { return b.Canonical })
	}
	isGood := func(b stacksBlock) bool {
		for ok := true; ok && b.Attached; b, ok = byID[b.Parent] {
			if isOrphaned(b.Burn, b.Consensus) || isOrphaned("", b.View) {
				return false
			}
		}
		return true
	}
	higher := func(one, other stacksBlock) int {
		return cmp.Or(cmp.Compare(one.Height, other.Height), cmp.Compare(one.BurnHeight, other.BurnHeight))
	}
	var tip, best, root stacksBlock
	for _, b := range blocks {
		if b.Canonical && (root.ID == "" || b.Height < root.Height) {
			root = b
		}
		if b.Canonical && higher(b, tip) >= 0 {
			tip = b
		}
		if b.Attached && isGood(b) && higher(b, best) > 0 {
			best = b
		}
	}
	// A chain that is orphaned as a whole stays until something better comes.
	if tips && best.ID != "" && isGood(root) && (higher(tip, best) != 0 || !isGood(tip)) {
		t.Errorf("the tip is %+v, and the best block is %+v", tip, best)
	}
}
