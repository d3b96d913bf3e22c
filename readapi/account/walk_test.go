package account_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// listWalker walks a list by its cursors, a page at a time, while the chain goes on.
type listWalker struct {
	target string
	// want is the list as it should be, the newest row first; row names a row of a page, and next is its cursor to older rows.
	want func(all []plainTx) []string
	row  func(row any) string
	next func(page map[string]any) string

	at     string // the cursor of the next page
	seen   []string
	always map[string]bool // that were in the list, in the same block, whenever it was looked at since the walk began
	walks  int
}

// step reads a page and compares it with the chain as it is now.
func (w *listWalker) step(s *apitest.Site, all []plainTx) {
	t := s.T
	t.Helper()
	want := w.want(all)
	blocks := map[string]string{}
	for i := range all {
		blocks[all[i].id] = all[i].block
	}
	// A transaction that a reorganisation puts into another block is another row.
	placed := func(row string) string { return row + " in " + blocks[row[:66]] }
	now := map[string]bool{}
	for _, row := range want {
		now[placed(row)] = true
	}
	if w.at == "" {
		w.seen, w.always = nil, now
	}
	for id := range w.always {
		if !now[id] {
			delete(w.always, id) // a reorganisation took it
		}
	}
	target := w.target
	if w.at != "" {
		target += "&cursor=" + w.at
	}
	got := s.Get(target)
	if got.Status == 404 && (strings.Contains(got.Body, "block not found") || strings.Contains(got.Body, "Cursor not found")) {
		w.at = "" // what the cursor names is orphaned, which the answer says
		return
	}
	names, page := s.RowsAt(target, w.row)
	if total, ok := page["total"]; ok && total != float64(len(want)) {
		t.Fatalf("%s: got total %v, want %d", target, total, len(want))
	}
	// The page is a part of the list as it is.
	if len(names) > 0 {
		if at := slices.Index(want, names[0]); at < 0 || !slices.Equal(names, window(want, at, len(names))) {
			t.Fatalf("%s: got %v, which is no part of %v", target, names, want)
		}
	}
	w.seen = append(w.seen, names...)
	if w.at = w.next(page); w.at != "" {
		return
	}
	// The walk has come to the end: what was there all the time was seen once.
	w.walks++
	times := map[string]int{}
	for _, id := range w.seen {
		times[id]++
	}
	for row := range w.always {
		if name, _, _ := strings.Cut(row, " in "); times[name] != 1 {
			t.Fatalf("%s: %s was seen %d times by a walk, though it was there all the time", w.target, row, times[name])
		}
	}
}

// Walks by cursors see all rows that stay, each once, and only rows of the canonical chain, in whatever order blocks come and
// go meanwhile.
func TestWalksWhileTheChainMoves(t *testing.T) {
	t.Parallel()
	number := func(page map[string]any) string { cursor, _ := page["prev_cursor"].(string); return cursor }
	keyset := func(page map[string]any) string {
		cursor, _ := page["cursor"].(map[string]any)
		next, _ := cursor["next"].(string)
		return next
	}
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V30} {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(5, uint64(generation)))
			config := synthchain.Everything(random.Uint64(), generation)
			config.SigningSample, config.Accounts, config.MempoolProbability, config.BitcoinOpShare, config.ForkProbability = 1000, 8, 0, 0, 0.35
			made := synthchain.New(config)
			log := replay.NewLog(t)
			replay.Start(t, log, apitest.NewChain(t), balances.New(nil), accounts.New())
			var s *apitest.Site
			var walkers []*listWalker
			txs := func(account string) func([]plainTx) []string {
				return func(all []plainTx) []string {
					return newestFirst(all, func(tx *plainTx) bool { return account == "" || tx.concerns(account) })
				}
			}
			for round := range 24 {
				var posts []replay.Post
				for range map[bool]int{true: 30, false: 1 + random.IntN(4)}[round == 0] {
					posts = append(posts, made.Next())
				}
				if round == 0 {
					s = apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: apitest.NetworkOf(posts)})
				}
				replay.Append(t, log, posts...)
				replay.Wait(t, log)
				all := plain(s)
				if round == 0 {
					account := busiest(all, 2)[1]
					limit := 2 + random.IntN(8)
					walkers = []*listWalker{
						{target: fmt.Sprintf("/extended/v1/tx?limit=%d", 5*limit), want: txs(""), row: apitest.Member("tx_id"), next: number},
						{target: fmt.Sprintf("/extended/v1/tx?type=coinbase,contract_call&limit=%d", 2*limit), row: apitest.Member("tx_id"), next: number, want: func(all []plainTx) []string {
							return newestFirst(all, func(tx *plainTx) bool { return tx.kind == "coinbase" || tx.kind == "contract_call" })
						}},
						{target: fmt.Sprintf("/extended/v1/address/%s/transactions?limit=%d", account, limit), want: txs(account), row: apitest.Member("tx_id"), next: number},
						{target: fmt.Sprintf("/extended/v2/addresses/%s/transactions?limit=%d", account, 2*limit), want: txs(account), row: apitest.Member("tx", "tx_id"), next: number},
						{target: fmt.Sprintf("/extended/v3/principals/%s/transactions?limit=%d", account, limit), want: txs(account), row: apitest.Member("transaction", "tx_id"), next: keyset},
						{target: fmt.Sprintf("/extended/v3/transactions?limit=%d", 5*limit), want: txs(""), row: apitest.Member("tx_id"), next: keyset},
						{target: fmt.Sprintf("/extended/v1/address/%s/assets?limit=%d", account, limit), row: eventName, next: number, want: func(all []plainTx) []string {
							return eventsOf(all, func(_ *plainTx, e *plainEvent) bool { return e.ofAccount(account) })
						}},
						{target: fmt.Sprintf("/extended/v1/tx/events?address=%s&limit=%d", account, limit), row: eventName, next: number, want: func(all []plainTx) []string {
							return eventsOf(all, func(_ *plainTx, e *plainEvent) bool {
								return e.ofAccount(account) || e.kind == "contract_event" && e.printedBy == account
							})
						}},
						{target: fmt.Sprintf("/extended/v2/blocks?limit=%d", 2*limit), row: apitest.Member("index_block_hash"), next: number, want: blocksOf},
					}
				}
				if round == 8 { // by now something was printed and minted
					if printing := mostOf(all, "contract_event", func(e *plainEvent) string { return e.printedBy }); printing != "" {
						printed := func(all []plainTx) []string {
							return eventsOf(all, func(_ *plainTx, e *plainEvent) bool { return e.kind == "contract_event" && e.printedBy == printing })
						}
						walkers = append(walkers,
							&listWalker{target: fmt.Sprintf("/extended/v1/contract/%s/events?limit=2", printing), row: eventName, next: keyset, want: printed},
							&listWalker{target: fmt.Sprintf("/extended/v2/smart-contracts/%s/logs?limit=3", printing), row: eventName, next: number, want: printed})
					}
					if minted := mostOf(all, "nft_mint_event", func(e *plainEvent) string { return e.asset }); minted != "" {
						walkers = append(walkers, &listWalker{
							target: fmt.Sprintf("/extended/v1/tokens/nft/mints?asset_identifier=%s&limit=1", url.QueryEscape(minted)), next: keyset,
							row: func(row any) string {
								return apitest.TextOf(row, "tx_id") + " " + apitest.TextOf(row, "event_index") + " non_fungible_token_asset"
							},
							want: func(all []plainTx) []string {
								return eventsOf(all, func(_ *plainTx, e *plainEvent) bool { return e.kind == "nft_mint_event" && e.asset == minted })
							}})
					}
				}
				for _, w := range walkers {
					w.step(s, all)
				}
			}
			walks := 0
			for _, w := range walkers {
				walks += w.walks
			}
			if walks < 10 {
				t.Errorf("only %d walks came to an end", walks)
			}
		})
	}
}

// blocksOf are the index block hashes of the blocks of transactions, the newest first.
func blocksOf(all []plainTx) (blocks []string) {
	for i := len(all) - 1; i >= 0; i-- {
		if n := len(blocks); n == 0 || blocks[n-1] != all[i].block {
			blocks = append(blocks, all[i].block)
		}
	}
	return blocks
}

// mostOf is what most events of a kind are of.
func mostOf(all []plainTx, kind string, of func(*plainEvent) string) (most string) {
	counts := map[string]int{}
	for i := range all {
		for j := range all[i].events {
			e := &all[i].events[j]
			if e.kind != kind {
				continue
			}
			name := of(e)
			if counts[name]++; most == "" || counts[name] > counts[most] {
				most = name
			}
		}
	}
	return most
}
