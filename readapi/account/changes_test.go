package account_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// plainChanges are what a transaction did to the balances of an account: sent and received by kind and asset, as cursors name
// them.
func (tx *plainTx) changes(account string) map[string][2]*big.Int {
	all := map[string][2]*big.Int{}
	change := func(asset, sent, received string) {
		if _, ok := all[asset]; !ok {
			all[asset] = [2]*big.Int{new(big.Int), new(big.Int)}
		}
		add(all[asset][0], sent)
		add(all[asset][1], received)
	}
	payer := tx.sender
	if tx.sponsor != "" {
		payer = tx.sponsor
	}
	if payer == account && tx.fee != "0" {
		change("1:stx", tx.fee, "0")
	}
	for i := range tx.events {
		e := &tx.events[i]
		if !e.moves(account) {
			continue
		}
		asset := map[string]string{"stx": "1:", "ft_": "2:", "nft": "3:"}[e.kind[:3]] + e.asset
		if e.sender == account {
			change(asset, e.amount, "0")
		}
		if e.recipient == account {
			change(asset, "0", e.amount)
		}
	}
	return all
}

// What version 3 says of accounts is what their transactions did.
func TestPrincipalTransactions(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	low, high := all[len(all)/3].height, all[len(all)*2/3].height
	compared, several := 0, 0
	for _, account := range busiest(all, 5) {
		base := "/extended/v3/principals/" + account
		mine := slices.DeleteFunc(slices.Clone(all), func(tx plainTx) bool { return !tx.concerns(account) })
		keysetAgrees(s, base+"/transactions?", newestFirst(mine, func(*plainTx) bool { return true }), "transaction", "tx_id")
		keysetAgrees(s, fmt.Sprintf("%s/transactions?from_block=%d&to_block=%d&", base, low, high), newestFirst(mine, func(tx *plainTx) bool { return tx.height >= low && tx.height <= high }), "transaction", "tx_id")
		results := s.Object(base + "/transactions?limit=50")["results"].([]any)
		var asked []string
		var lines []string
		for i, one := range results {
			tx := &mine[len(mine)-1-i]
			changes := tx.changes(account)
			involvement := "affected"
			if tx.sender == account {
				involvement = "sender"
			} else if tx.sponsor == account {
				involvement = "sponsor"
			}
			stx, ok := changes["1:stx"]
			if !ok {
				stx = [2]*big.Int{new(big.Int), new(big.Int)}
			}
			touches := func(kind string) bool {
				return slices.ContainsFunc(slices.Collect(maps.Keys(changes)), func(asset string) bool { return strings.HasPrefix(asset, kind) })
			}
			want := fmt.Sprintf("%s %s %s %s %s %t %t %t", tx.id, involvement, stx[0], stx[1], new(big.Int).Sub(stx[1], stx[0]), touches("1:"), touches("2:"), touches("3:"))
			got := apitest.Members("transaction.tx_id", "involvement", "balance_changes.stx.sent", "balance_changes.stx.received", "balance_changes.stx.net",
				"affected_balances.stx", "affected_balances.ft", "affected_balances.nft")(one)
			check.Equal(t, account, got, want)
			var own []string
			for _, asset := range slices.Sorted(maps.Keys(changes)) {
				c := changes[asset]
				own = append(own, fmt.Sprint(asset, " ", c[0], " ", c[1], " ", new(big.Int).Sub(c[1], c[0])))
			}
			compared += len(own)
			if len(own) > 1 {
				several++
			}
			if len(asked) < 20 {
				asked = append(asked, tx.id)
				for _, line := range own {
					lines = append(lines, tx.id+" "+line)
				}
				check.EqualSlices(t, fmt.Sprintf("%s of %s", tx.id, account), s.Walk(base+"/transactions/"+tx.id+"/balance-changes?limit=2", len(own), changeLine), own)
			}
			if i%5 == 0 {
				var moved []string
				for j := range tx.events {
					if e := &tx.events[j]; e.moves(account) {
						kind, action, _ := strings.Cut(strings.TrimSuffix(e.kind, "_event"), "_")
						moved = append(moved, fmt.Sprintf("%s %s %d", kind, action, e.index))
					}
				}
				path := "/extended/v2/addresses/" + account + "/transactions/" + tx.id + "/events"
				for _, offset := range []int{0, len(moved) / 2, len(moved)} {
					shown, page := s.RowsAt(fmt.Sprintf("%s?limit=50&offset=%d", path, offset), apitest.Members("type", "data.type", "event_index"))
					if want := window(moved, offset, 50); !slices.Equal(shown, want) || page["total"] != float64(len(moved)) {
						t.Errorf("%s?offset=%d: got %v of %v, want %v", path, offset, shown, page["total"], want)
					}
				}
			}
		}
		check.EqualSlices(t, account, s.Walk(base+"/balance-changes?limit=3&tx_id="+strings.Join(asked, ","), len(lines), func(row any) string { return apitest.TextOf(row, "tx_id") + " " + changeLine(row) }), lines)
	}
	if compared < 50 || several < 3 {
		t.Errorf("got %d changes, %d transactions with several: too little to compare", compared, several)
	}
}

// changeLine is a change as plainTx.changes has it.
func changeLine(row any) string {
	asset := map[string]string{"stx": "1:", "ft": "2:", "nft": "3:"}[apitest.TextOf(row, "asset", "type")]
	if asset == "1:" {
		asset += "stx"
	} else {
		asset += apitest.TextOf(row, "asset", "identifier")
	}
	return asset + " " + apitest.Members("balance_change.sent", "balance_change.received", "balance_change.net")(row)
}

// What version 2 and 3 say that accounts have is what version 1 says, and the nonces are those after the last used ones.
func TestPrincipalBalances(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	tokens, owned, locked := 0, 0, 0
	var collector string
	must.Do(t, s.Pool.QueryRow(t.Context(), schemas.In(`SELECT owner FROM {balances}.nft_custody WHERE owner IS NOT NULL GROUP BY owner ORDER BY count(*) DESC, owner LIMIT 1`)).Scan(&collector))
	accounts := append([]string{collector}, slices.DeleteFunc(busiest(all, 10), func(name string) bool { return name == collector })...)
	for _, account := range accounts {
		v1 := s.Object("/extended/v1/address/" + account + "/balances")
		base := "/extended/v3/principals/" + account + "/balances/"
		stx := s.Object(base + "stx")
		want := v1["stx"].(map[string]any)
		available := new(big.Int)
		add(available, apitest.TextOf(want, "balance"))
		add(available, "-"+apitest.TextOf(want, "locked"))
		if stx["balance"] != want["balance"] || stx["available"] != available.String() || (stx["locked"] == nil) != (want["locked"] == "0") || stx["mempool"] != nil {
			t.Errorf("%s: got %v, want %v", account, stx, want)
		}
		if stx["locked"] != nil {
			locked++
			if apitest.TextOf(stx, "locked", "amount") != want["locked"] || apitest.TextOf(stx, "locked", "lock_tx_id") != want["lock_tx_id"] || apitest.TextOf(stx, "locked", "burn_unlock_height") != fmt.Sprint(want["burnchain_unlock_height"]) {
				t.Errorf("%s: got %v, want %v", account, stx, want)
			}
		}
		var names []string
		for name, balance := range v1["fungible_tokens"].(map[string]any) {
			if apitest.TextOf(balance, "balance") != "0" {
				names = append(names, name+" "+apitest.TextOf(balance, "balance"))
			}
			for _, path := range []string{base + "ft/" + name, "/extended/v2/addresses/" + account + "/balances/ft/" + name} {
				check.Equal[any](t, path, s.Object(path)["balance"], apitest.TextOf(balance, "balance"))
			}
		}
		tokens += len(names)
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
		var shown []string
		for offset := 0; ; offset++ {
			page := s.Object(fmt.Sprintf("/extended/v2/addresses/%s/balances/ft?limit=1&offset=%d", account, offset))
			results := page["results"].([]any)
			check.Equal[any](t, account+": total", page["total"], float64(len(names)))
			if len(results) == 0 {
				break
			}
			shown = append(shown, apitest.TextOf(results[0], "token")+" "+apitest.TextOf(results[0], "balance"))
		}
		check.EqualSlices(t, account, shown, names)
		slices.SortFunc(names, func(a, b string) int {
			nameA, balanceA, _ := strings.Cut(a, " ")
			nameB, balanceB, _ := strings.Cut(b, " ")
			x, y := new(big.Int), new(big.Int)
			add(x, balanceA)
			add(y, balanceB)
			if order := y.Cmp(x); order != 0 {
				return order
			}
			return strings.Compare(nameA, nameB)
		})
		check.EqualSlices(t, account, s.Walk(base+"ft?limit=2", len(names), apitest.Members("asset_identifier", "balance")), names)
		custody := map[string]bool{}
		count := 0
		for _, n := range v1["non_fungible_tokens"].(map[string]any) {
			var c int
			must.Get(fmt.Sscan(apitest.TextOf(n, "count"), &c))(t)
			count += c
		}
		got := s.Walk(base+"nft?limit=1", count, apitest.Members("asset_identifier", "value.hex"))
		for _, token := range got {
			custody[token] = true
		}
		if owned += count; len(got) != count || len(custody) != count || !slices.IsSorted(got) {
			t.Errorf("%s: got %v, want %d tokens", account, got, count)
		}
		nonces, sent := s.Object("/extended/v3/principals/"+account+"/nonces"), s.Object("/extended/v1/address/"+account+"/nonces")
		if apitest.TextOf(sent, "possible_next_nonce") != apitest.TextOf(nonces, "next_nonce") || apitest.TextOf(sent, "last_executed_tx_nonce") != apitest.TextOf(nonces, "last_confirmed_nonce") {
			t.Errorf("%s: got %v and %v", account, sent, nonces)
		}
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].sender == account && all[i].fee != "0" {
				last := s.Object("/extended/v1/tx/" + all[i].id)
				if apitest.TextOf(sent, "last_executed_tx_nonce") < apitest.TextOf(last, "nonce") {
					t.Errorf("%s: got %v, and sent %v", account, sent, last["nonce"])
				}
				before := s.Object(fmt.Sprintf("/extended/v1/address/%s/nonces?block_height=%d", account, all[i].height-1))
				at := s.Object(fmt.Sprintf("/extended/v1/address/%s/nonces?block_hash=%s", account, apitest.TextOf(last, "block_hash")))
				if apitest.AsJSON(t, before) == apitest.AsJSON(t, at) || apitest.TextOf(at, "last_executed_tx_nonce") != apitest.TextOf(sent, "last_executed_tx_nonce") && all[i].sponsor == "" && all[len(all)-1].height == all[i].height {
					t.Errorf("%s: got %v at block %d, and %v before", account, at, all[i].height, before)
				}
				break
			}
		}
	}
	if tokens < 10 || owned < 2 || locked == 0 {
		t.Errorf("got %d tokens, %d non-fungible ones, %d locks: too little to compare", tokens, owned, locked)
	}
}
