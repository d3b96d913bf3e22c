package account_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

// eventName names the event of a row as eventsOf does.
var eventName = apitest.Members("tx_id", "event_index", "event_type")

// newestFirst are the ids of those transactions that are wanted, the newest first.
func newestFirst(all []plainTx, wanted func(tx *plainTx) bool) (ids []string) {
	for i := len(all) - 1; i >= 0; i-- {
		if wanted(&all[i]) {
			ids = append(ids, all[i].id)
		}
	}
	return ids
}

// window is a page of a list.
func window(list []string, offset, limit int) []string {
	offset = min(offset, len(list))
	return list[offset:min(offset+limit, len(list))]
}

// offsetsAgree compares pages of a list by offset with what it should have.
func offsetsAgree(s *apitest.Site, target string, want []string, limit int, text func(row any) string) {
	s.T.Helper()
	for _, offset := range []int{0, 1, limit, len(want) / 2, len(want) - 1, len(want), len(want) + 7} {
		at := fmt.Sprintf("%slimit=%d&offset=%d", target, limit, max(offset, 0))
		got, page := s.RowsAt(at, text)
		if expected := window(want, max(offset, 0), limit); !slices.Equal(got, expected) || !totalAgrees(page, want) {
			s.T.Fatalf("%s: got %v of %v, want %v of %d", at, got, page["total"], expected, len(want))
		}
	}
}

// totalAgrees reports whether a page says how long its list is. The list of all events doesn't say it.
func totalAgrees(page map[string]any, want []string) bool {
	_, untold := page["events"]
	return untold || page["total"] == float64(len(want))
}

// pagesBy are the pages of a list from one on, by a cursor of version 1 or 2. Each has to know how long the list is.
func pagesBy(s *apitest.Site, cursor, target, first string, want []string, text func(row any) string) (pages [][]string) {
	s.T.Helper()
	for at := target + first; at != ""; {
		rows, page := s.RowsAt(at, text)
		if !totalAgrees(page, want) {
			s.T.Fatalf("%s: got total %v, want %d", at, page["total"], len(want))
		}
		pages = append(pages, rows)
		at = ""
		if next, ok := page[cursor].(string); ok {
			at = target + "&cursor=" + next
		}
	}
	return pages
}

// walkAgrees walks a list to its end by a cursor.
func walkAgrees(s *apitest.Site, cursor, target string, limit int, want []string, text func(row any) string) {
	s.T.Helper()
	if got := slices.Concat(pagesBy(s, cursor, fmt.Sprintf("%slimit=%d", target, limit), "", want, text)...); !slices.Equal(got, want) {
		s.T.Fatalf("%s by %s: got %v, want %v", target, cursor, got, want)
	}
}

// cursorsAgree walks a list by its cursors to its oldest row and back to its newest.
func cursorsAgree(s *apitest.Site, target string, want []string, limit int, text func(row any) string) {
	s.T.Helper()
	walkAgrees(s, "prev_cursor", target, limit, want, text)
	back := pagesBy(s, "next_cursor", fmt.Sprintf("%slimit=%d", target, limit), fmt.Sprintf("&offset=%d", max(len(want)-1, 0)/limit*limit), want, text)
	slices.Reverse(back) // pages are newest first
	if got := slices.Concat(back...); !slices.Equal(got, want) {
		s.T.Fatalf("%s by next_cursor: got %v, want %v", target, got, want)
	}
}

// Lists of transactions have those that the chain has, whatever the page and the bounds.
func TestTransactionLists(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	low, high := all[len(all)/3].height, all[len(all)*2/3].height
	everything, id := func(*plainTx) bool { return true }, apitest.Member("tx_id")
	between := func(from, to int64, also func(*plainTx) bool) func(*plainTx) bool {
		return func(tx *plainTx) bool { return tx.height >= from && tx.height <= to && also(tx) }
	}
	t.Run("all", func(t *testing.T) {
		s := withT(s, t)
		want := newestFirst(all, everything)
		offsetsAgree(s, "/extended/v1/tx?", want, 7, id)
		cursorsAgree(s, "/extended/v1/tx?", want, 50, id)
		offsetsAgree(s, fmt.Sprintf("/extended/v1/tx?from_block=%d&to_block=%d&", low, high), newestFirst(all, between(low, high, everything)), 7, id)
		slices.Reverse(want)
		offsetsAgree(s, "/extended/v1/tx?order=asc&", want, 7, id)
	})
	t.Run("types", func(t *testing.T) {
		s := withT(s, t)
		for _, types := range [][]string{{"coinbase"}, {"token_transfer", "smart_contract"}, {"contract_call", "tenure_change", "poison_microblock"}, {"poison_microblock"}} {
			of := func(tx *plainTx) bool { return slices.Contains(types, tx.kind) }
			target := "/extended/v1/tx?type=" + types[0]
			for _, more := range types[1:] {
				target += "," + more
			}
			want := newestFirst(all, of)
			offsetsAgree(s, target+"&", want, 5, id)
			cursorsAgree(s, target+"&", want, 20, id)
			offsetsAgree(s, fmt.Sprintf("%s&from_block=%d&to_block=%d&", target, low, high), newestFirst(all, between(low, high, of)), 5, id)
			slices.Reverse(want)
			offsetsAgree(s, target+"&order=asc&", want, 5, id)
		}
	})
	t.Run("accounts", func(t *testing.T) {
		s := withT(s, t)
		for _, account := range busiest(all, 6) {
			of := func(tx *plainTx) bool { return tx.concerns(account) }
			target := "/extended/v1/address/" + account + "/transactions?"
			want := newestFirst(all, of)
			offsetsAgree(s, target, want, 7, id)
			cursorsAgree(s, target, want, 11, id)
			offsetsAgree(s, fmt.Sprintf("%sfrom_block=%d&to_block=%d&", target, low, high), newestFirst(all, between(low, high, of)), 3, id)
			offsetsAgree(s, fmt.Sprintf("%suntil_block=%d&", target, high), newestFirst(all, between(0, high, of)), 3, id)
			offsetsAgree(s, fmt.Sprintf("%sheight=%d&", target, high), newestFirst(all, between(high, high, of)), 3, id)
		}
	})
	t.Run("filters", func(t *testing.T) {
		s := withT(s, t)
		found := 0
		for _, account := range busiest(all, 5) {
			for query, of := range map[string]func(tx *plainTx) bool{
				"to_address=" + account:                                   func(tx *plainTx) bool { return tx.receiver == account },
				"contract_id=" + account:                                  func(tx *plainTx) bool { return tx.contract == account && tx.kind == "contract_call" },
				"contract_id=" + account + "&type=contract_call,coinbase": func(tx *plainTx) bool { return tx.contract == account && tx.kind == "contract_call" },
				"to_address=" + account + "&type=coinbase":                func(tx *plainTx) bool { return tx.receiver == account && tx.kind == "coinbase" },
				fmt.Sprintf("to_address=%s&from_block=%d", account, low):  func(tx *plainTx) bool { return tx.receiver == account && tx.height >= low },
			} {
				want := newestFirst(all, of)
				found += len(want)
				offsetsAgree(s, "/extended/v1/tx?"+query+"&", want, 3, id)
				walkAgrees(s, "prev_cursor", "/extended/v1/tx?"+query+"&", 4, want, id)
				slices.Reverse(want)
				offsetsAgree(s, "/extended/v1/tx?order=asc&"+query+"&", want, 3, id)
				walkAgrees(s, "next_cursor", "/extended/v1/tx?order=asc&"+query+"&", 4, want, id)
			}
			if strings.Contains(account, ".") {
				continue
			}
			for query, of := range map[string]func(tx *plainTx) bool{
				"from_address=" + account:                     func(tx *plainTx) bool { return tx.sender == account },
				"nonce=0&from_address=" + account:             func(tx *plainTx) bool { return tx.sender == account && tx.nonce == "0" },
				"type=token_transfer&from_address=" + account: func(tx *plainTx) bool { return tx.sender == account && tx.kind == "token_transfer" },
				"function_name=transfer&from_address=" + account: func(tx *plainTx) bool {
					return tx.sender == account && tx.function == "transfer" && tx.kind == "contract_call"
				},
				fmt.Sprintf("from_address=%s&start_time=%d&end_time=%d", account, all[len(all)/3].burnTime, all[len(all)*2/3].burnTime): func(tx *plainTx) bool {
					return tx.sender == account && tx.burnTime >= all[len(all)/3].burnTime && tx.burnTime <= all[len(all)*2/3].burnTime
				},
			} {
				want := newestFirst(all, of)
				found += len(want)
				offsetsAgree(s, "/extended/v1/tx?"+query+"&", want, 3, id)
			}
		}
		if found < 100 {
			t.Errorf("got %d transactions: too little to compare", found)
		}
		for key, less := range map[string]func(a, b *plainTx) int{
			"fee":             func(a, b *plainTx) int { return compareWhole(b.fee, a.fee) },
			"burn_block_time": func(a, b *plainTx) int { return cmp.Compare(b.burnTime, a.burnTime) },
		} {
			sorted := slices.Clone(all)
			slices.Reverse(sorted)
			slices.SortStableFunc(sorted, func(a, b plainTx) int { return less(&a, &b) })
			var want []string
			for i := range sorted {
				want = append(want, sorted[i].id)
			}
			offsetsAgree(s, "/extended/v1/tx?sort_by="+key+"&", want, 30, id)
		}
	})
	t.Run("version 3", func(t *testing.T) {
		s := withT(s, t)
		keysetAgrees(s, "/extended/v3/transactions?", newestFirst(all, everything), "tx_id")
		keysetAgrees(s, fmt.Sprintf("/extended/v3/transactions?from_block=%d&to_block=%d&", low, high), newestFirst(all, between(low, high, everything)), "tx_id")
	})
}

// keysetAgrees walks a list of version 3 to its end.
func keysetAgrees(s *apitest.Site, target string, want []string, path ...string) {
	s.T.Helper()
	if got := s.Walk(target+"limit=13", len(want), apitest.Member(path...)); !slices.Equal(got, want) {
		s.T.Fatalf("%s: got %v, want %v", target, got, want)
	}
}

func compareWhole(a, b string) int {
	x, y := new(big.Int), new(big.Int)
	add(x, a)
	add(y, b)
	return x.Cmp(y)
}

// kindNames are the types of events that lists of events show.
var kindNames = map[string]string{
	"stx_transfer_event": "stx_asset", "stx_mint_event": "stx_asset", "stx_burn_event": "stx_asset", "stx_lock_event": "stx_lock", "contract_event": "smart_contract_log",
	"ft_transfer_event": "fungible_token_asset", "ft_mint_event": "fungible_token_asset", "ft_burn_event": "fungible_token_asset",
	"nft_transfer_event": "non_fungible_token_asset", "nft_mint_event": "non_fungible_token_asset", "nft_burn_event": "non_fungible_token_asset",
}

// eventsOf names the events that are wanted, the newest first.
func eventsOf(all []plainTx, wanted func(*plainTx, *plainEvent) bool) (names []string) {
	for i := len(all) - 1; i >= 0; i-- {
		for j := len(all[i].events) - 1; j >= 0; j-- {
			if e := &all[i].events[j]; wanted(&all[i], e) {
				names = append(names, fmt.Sprintf("%s %d %s", all[i].id, e.index, kindNames[e.kind]))
			}
		}
	}
	return names
}

// ofAccount says that an event is in the list of an account.
func (e *plainEvent) ofAccount(account string) bool {
	return e.moves(account) || e.kind == "stx_lock_event" && e.sender == account
}

// Lists of events have those that the chain has.
func TestEventLists(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	high := all[len(all)*2/3].height
	kinds := map[string]int{}
	for _, account := range busiest(all, 8) {
		target := "/extended/v1/address/" + account + "/assets?"
		of := func(_ *plainTx, e *plainEvent) bool { return e.ofAccount(account) }
		eventsAgree(s, target, eventsOf(all, of), 9)
		eventsAgree(s, fmt.Sprintf("%suntil_block=%d&", target, high), eventsOf(all, func(tx *plainTx, e *plainEvent) bool { return tx.height <= high && of(tx, e) }), 9)
		for _, name := range eventsOf(all, of) {
			kinds[name[strings.LastIndex(name, " ")+1:]]++
		}
		// All events, also what it prints.
		for types, of := range map[string]func(e *plainEvent) bool{
			"":                   func(e *plainEvent) bool { return true },
			"smart_contract_log": func(e *plainEvent) bool { return e.kind == "contract_event" },
			"stx_asset,stx_lock": func(e *plainEvent) bool { return e.kind[:3] == "stx" },
			"stx_lock,smart_contract_log,non_fungible_token_asset": func(e *plainEvent) bool {
				return slices.Contains([]string{"stx_lock", "smart_contract_log", "non_fungible_token_asset"}, kindNames[e.kind])
			},
		} {
			want := eventsOf(all, func(tx *plainTx, e *plainEvent) bool {
				return (e.ofAccount(account) || e.kind == "contract_event" && e.printedBy == account) && of(e)
			})
			base := "/extended/v1/tx/events?address=" + account + "&"
			if types != "" {
				base += "type=" + types + "&"
			}
			eventsAgree(s, base, want, 6)
		}
		// What came in.
		var inbound []string
		for i := len(all) - 1; i >= 0; i-- {
			for j := len(all[i].events) - 1; j >= 0; j-- {
				e := &all[i].events[j]
				if e.kind == "stx_transfer_event" && e.recipient == account && (all[i].kind == "token_transfer" || len(e.memo) > 0) {
					kind := "stx-transfer-memo"
					if all[i].kind == "token_transfer" {
						kind = "stx-transfer"
					}
					inbound = append(inbound, fmt.Sprintf("%s %s %s %s %d", all[i].id, e.amount, e.sender, kind, all[i].height))
					kinds[kind]++
				}
			}
		}
		got, page := s.RowsAt("/extended/v1/address/"+account+"/stx_inbound?limit=50",
			apitest.Members("tx_id", "amount", "sender", "transfer_type", "block_height"))
		if want := window(inbound, 0, 50); !slices.Equal(got, want) || page["total"] != float64(len(inbound)) {
			t.Errorf("%s: got %v of %v, want %v of %d", account, got, page["total"], want, len(inbound))
		}
	}
	for _, kind := range []string{"stx_asset", "stx_lock", "fungible_token_asset", "non_fungible_token_asset", "stx-transfer"} {
		if kinds[kind] < 3 {
			t.Errorf("got %v: too little to compare", kinds)
		}
	}
}

// eventsAgree compares a list of events, by cursors and by offsets.
func eventsAgree(s *apitest.Site, target string, want []string, limit int) {
	s.T.Helper()
	walkAgrees(s, "prev_cursor", target, limit, want, eventName)
	for _, offset := range []int{1, 2, 5, len(want) / 3, len(want) / 2, len(want) - 1, len(want), len(want) + 3} {
		offset = max(offset, 0)
		if got, _ := s.RowsAt(fmt.Sprintf("%slimit=%d&offset=%d", target, limit, offset), eventName); !slices.Equal(got, window(want, offset, limit)) {
			s.T.Fatalf("%soffset=%d: got %v, want %v", target, offset, got, window(want, offset, limit))
		}
	}
}

// What transactions moved of an account adds up to what their events say.
func TestTransfers(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	byID := map[string]*plainTx{}
	for i := range all {
		byID[all[i].id] = &all[i]
	}
	compared, id := 0, apitest.Member("tx", "tx_id")
	for _, account := range busiest(all, 5) {
		want := newestFirst(all, func(tx *plainTx) bool { return tx.concerns(account) })
		base := "/extended/v1/address/" + account
		offsetsAgree(s, base+"/transactions_with_transfers?", want, 7, id)
		v2 := "/extended/v2/addresses/" + account + "/transactions?"
		offsetsAgree(s, v2, want, 7, id)
		cursorsAgree(s, v2, want, 20, id)
		page := s.Object(base + "/transactions_with_transfers?limit=50")
		counted := s.Object(v2 + "limit=50")["results"].([]any)
		for i, one := range page["results"].([]any) {
			item := one.(map[string]any)
			tx := byID[apitest.TextOf(item, "tx", "tx_id")]
			sent, received := new(big.Int), new(big.Int)
			if tx.sponsor == account || tx.sponsor == "" && tx.sender == account {
				add(sent, tx.fee)
			}
			lists := map[string]int{}
			counts := map[string]int{}
			for j := range tx.events {
				e := &tx.events[j]
				if !e.moves(account) {
					continue
				}
				compared++
				kind, action, _ := strings.Cut(strings.TrimSuffix(e.kind, "_event"), "_")
				lists[kind+"_transfers"]++
				counts[kind+" "+action]++
				if kind == "stx" && e.sender == account {
					add(sent, e.amount)
				}
				if kind == "stx" && e.recipient == account {
					add(received, e.amount)
				}
			}
			if item["stx_sent"] != sent.String() || item["stx_received"] != received.String() {
				t.Errorf("%s of %s: got %v sent and %v received, want %s and %s", tx.id, account, item["stx_sent"], item["stx_received"], sent, received)
			}
			for _, name := range []string{"stx_transfers", "ft_transfers", "nft_transfers"} {
				check.Equal(t, fmt.Sprintf("%s of %s: %s", tx.id, account, name), len(item[name].([]any)), lists[name])
			}
			for _, kind := range []string{"stx", "ft", "nft"} {
				for _, action := range []string{"transfer", "mint", "burn"} {
					check.Equal(t, fmt.Sprintf("%s of %s: %s %s", tx.id, account, kind, action), apitest.TextOf(counted[i], "events", kind, action), fmt.Sprint(counts[kind+" "+action]))
				}
			}
			if apitest.TextOf(counted[i], "stx_sent") != sent.String() || apitest.TextOf(counted[i], "stx_received") != received.String() {
				t.Errorf("%s of %s: got %v", tx.id, account, counted[i])
			}
			if i%7 == 0 {
				for _, name := range []string{tx.id, tx.id[2:]} {
					alone := s.Object(base + "/" + name + "/with_transfers")
					delete(item, "ft_transfers")
					delete(item, "nft_transfers")
					check.Equal(t, "alone", apitest.AsJSON(t, alone), apitest.AsJSON(t, item))
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("got %d events: too little to compare", compared)
	}
}

func add(sum *big.Int, decimal string) {
	n, _ := new(big.Int).SetString(decimal, 10)
	sum.Add(sum, n)
}
