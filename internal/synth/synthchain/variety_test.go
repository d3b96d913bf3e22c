package synthchain

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// variety counts what happens in a stream, by a description.
func variety(t *testing.T, cfg Config, posts int) map[string]int {
	t.Helper()
	c := New(cfg)
	seen := map[string]int{}
	bodies := map[string]bool{}
	blocks := map[string][]byte{}
	burns := map[string]bool{}
	highest := uint64(0)
	var canonical []string // index hashes by height
	left := map[string]bool{}
	for range posts {
		p := c.Next()
		seen[p.Path]++
		if bodies[p.Path+string(p.Body)] {
			seen["same bytes again"]++
		}
		bodies[p.Path+string(p.Body)] = true
		if bytes.Contains(p.Body, []byte(`\u0000`)) {
			seen["NUL"]++
		}
		switch p.Path {
		case "/new_block":
			var b struct {
				IndexBlockHash       string `json:"index_block_hash"`
				ParentIndexBlockHash string `json:"parent_index_block_hash"`
				BlockHeight          uint64 `json:"block_height"`
				Transactions         []struct {
					RawTx              string `json:"raw_tx"`
					Status             string
					MicroblockSequence *int `json:"microblock_sequence"`
				}
				Events []struct {
					Type      string
					Committed bool
				}
				MaturedMinerRewards []any           `json:"matured_miner_rewards"`
				RewardSet           json.RawMessage `json:"reward_set"`
			}
			decode(t, p.Body, &b)
			if earlier, ok := blocks[b.IndexBlockHash]; ok && !bytes.Equal(earlier, p.Body) {
				seen["same block in another order"]++
			} else if !ok && b.BlockHeight > 1 && blocks[b.ParentIndexBlockHash] == nil {
				seen["child before parent"]++
			}
			blocks[b.IndexBlockHash] = p.Body
			if b.BlockHeight == 0 && len(b.Transactions) == 0 {
				seen["empty genesis"]++
			}
			if len(b.MaturedMinerRewards) == 2 {
				seen["reward"]++
			}
			for i, tx := range b.Transactions {
				seen[tx.Status]++
				if tx.MicroblockSequence != nil {
					seen["confirmed microblock"]++
				}
				if tx.RawTx == "0x00" {
					seen["bitcoin operation "+tx.Status]++
				}
				if i == 0 && b.BlockHeight > 1 && strings.HasPrefix(tx.RawTx[2:], "00000000000400"+strings.Repeat("0", 40)) {
					seen["boot contract first"]++
				}
			}
			for _, e := range b.Events {
				seen[e.Type]++
				if !e.Committed {
					seen["uncommitted"]++
				}
			}
			if len(b.RewardSet) > 4 {
				seen["reward set"]++
			}
		case "/new_burn_block":
			var b struct {
				Hash   string `json:"burn_block_hash"`
				Height uint64 `json:"burn_block_height"`
			}
			decode(t, p.Body, &b)
			if !burns[b.Hash] && b.Height <= highest {
				seen["bitcoin reorg"]++
			}
			burns[b.Hash] = true
			highest = max(highest, b.Height)
		}
		var now []string
		for b := c.best(); b != nil; b = b.parent {
			now = append(now, b.index.String())
		}
		slices.Reverse(now)
		now = append(slices.Clone(canonical[:min(len(canonical), int(c.root.height))]), now...)
		for i := range canonical {
			if i >= len(now) {
				seen["chain got shorter"]++
				break
			}
			if canonical[i] != now[i] {
				seen["reorg"]++
				break
			}
		}
		for i, id := range now {
			if i < len(canonical) && canonical[i] != id && left[id] {
				seen["block returned"]++
			}
		}
		for i, id := range canonical {
			if i >= len(now) || now[i] != id {
				left[id] = true
			}
		}
		canonical = now
	}
	return seen
}

func TestEverythingHappens(t *testing.T) {
	always := []string{
		"/new_block", "/new_burn_block", "/new_mempool_tx", "/drop_mempool_tx", "/attachments/new", "/stackerdb_chunks",
		"/proposal_response", "/new_microblocks", "same bytes again", "same block in another order", "child before parent",
		"empty genesis", "reward", "success", "abort_by_response", "abort_by_post_condition", "confirmed microblock",
		"bitcoin operation success", "bitcoin operation abort_by_response", "boot contract first", "stx_transfer_event",
		"stx_mint_event", "stx_burn_event", "stx_lock_event", "ft_mint_event", "ft_transfer_event", "ft_burn_event",
		"nft_mint_event", "nft_transfer_event", "nft_burn_event", "contract_event", "reorg", "chain got shorter",
		"block returned", "bitcoin reorg",
	}
	for _, g := range Generations() {
		t.Run(g.String(), func(t *testing.T) {
			cfg, posts := Everything(20, g), 6000
			cfg.SigningSample = 50
			if testing.Short() {
				posts = 3000
			}
			seen := variety(t, cfg, posts)
			want := slices.Clone(always)
			if g < V34 {
				want = append(want, "uncommitted")
			}
			if g >= V25 {
				want = append(want, "reward set")
			}
			if g >= V3109 {
				want = append(want, "NUL")
			}
			if g >= V40 {
				want = append(want, "problematic_skipped")
			}
			for _, thing := range want {
				if seen[thing] == 0 {
					t.Errorf("no %s", thing)
				}
			}
			for _, thing := range slices.Sorted(maps.Keys(seen)) {
				t.Logf("%6d × %s", seen[thing], thing)
			}
		})
	}
}
