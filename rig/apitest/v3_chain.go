package apitest

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strata/domain/transaction"
)

// Keyset reads all of a list of version 3 in pages of a limit.
func (s *Site) Keyset(t *testing.T, path string, limit int) (results []Fields) {
	t.Helper()
	return s.keyset(limited(path, limit), float64(limit))
}

// CursorMax is the size of the longest cursor that an answer may have, in bytes.
const CursorMax = 200

// keyset reads all of a list of version 3, and checks the sizes of cursors, totals and that its cursors lead forth and back. A limit of nil may be any.
func (s *Site) keyset(target string, limit any) (results []Fields) {
	s.T.Helper()
	var pages []Fields
	var previous any
	for next := target; ; {
		page := s.Object(next)
		pages = append(pages, page)
		results = append(results, rowsOf(page)...)
		cursor := page["cursor"].(map[string]any)
		for name, text := range cursor {
			if size := len(fmt.Sprint(text)); size > CursorMax {
				s.T.Errorf("%s: %s has %d bytes", next, name, size)
			}
		}
		if len(pages) > 1 && url.QueryEscape(fmt.Sprint(cursor["current"])) != strings.TrimPrefix(next, target+"&cursor=") {
			s.T.Errorf("%s: is at %v", next, cursor["current"])
		}
		if cursor["previous"] != previous {
			s.T.Errorf("%s: page %d has %v before it, want %v", next, len(pages), cursor["previous"], previous)
		}
		previous = cursor["current"]
		if cursor["next"] == nil {
			break
		}
		next = target + "&cursor=" + url.QueryEscape(fmt.Sprint(cursor["next"]))
	}
	for i, page := range pages {
		if page["total"] != float64(len(results)) || limit != nil && page["limit"] != limit {
			s.T.Errorf("%s: page %d is of %v, limit %v; want %d", target, i, page["total"], page["limit"], len(results))
		}
		if i == 0 {
			continue
		}
		before := s.Object(target + "&cursor=" + url.QueryEscape(fmt.Sprint(page["cursor"].(map[string]any)["previous"])))
		if got, want := fmt.Sprint(rowsOf(before)), fmt.Sprint(rowsOf(pages[i-1])); got != want {
			s.T.Errorf("%s: before page %d is %s, want %s", target, i, got, want)
		}
	}
	return results
}

// moved returns the lines of events of some types that a condition selects, newest first.
func (h *history) moved(prefix string, of func(data map[string]any) bool) (lines []string) {
	for _, e := range reversed(h.happenings()) {
		kind := fmt.Sprint(e.event["type"])
		if strings.HasPrefix(kind, prefix) && kind != "stx_lock_event" && of(e.data()) {
			kind = strings.TrimSuffix(strings.TrimPrefix(kind, prefix), "_event")
			lines = append(lines, fmt.Sprint(kind, " ", e.txid, " ", e.number, " ", e.height, " ", e.data()["sender"], " ", e.data()["recipient"], " ", e.data()["amount"]))
		}
	}
	return lines
}

// transferLine returns the same line for a transfer of version 3.
func transferLine(r Fields) string {
	tx, block := r["transaction"].(map[string]any), r["block"].(map[string]any)
	return fmt.Sprint(r["type"], " ", tx["tx_id"], " ", tx["event_index"], " ", block["height"], " ", r["sender"], " ", r["recipient"], " ", r["amount"])
}

// Transfers compares the lists of transfers of all accounts and tokens with the events of the chain.
func (h *history) Transfers(t *testing.T) {
	check := func(path string, want []string) {
		t.Helper()
		for _, limit := range []int{3, 50} {
			got := mapped(h.Keyset(t, path, limit), transferLine)
			same(t, fmt.Sprintf("%s, limit %d", path, limit), got, want)
		}
	}
	accounts, tokens := map[string]int{}, map[[2]string]int{}
	for _, e := range h.happenings() {
		for _, side := range []string{"sender", "recipient"} {
			if name, ok := e.data()[side].(string); ok {
				accounts[name]++
				if strings.HasPrefix(fmt.Sprint(e.event["type"]), "ft_") {
					tokens[[2]string{name, fmt.Sprint(e.data()["asset_identifier"])}]++
				}
			}
		}
	}
	if len(accounts) < 5 || len(tokens) < 3 {
		t.Fatalf("got %d accounts, and %d with tokens", len(accounts), len(tokens))
	}
	looked := 0
	for name := range accounts {
		if looked++; looked > 8 {
			break
		}
		path := "/extended/v3/principals/" + name + "/transfers/stx/"
		check(path+"inbound", h.moved("stx_", func(data map[string]any) bool { return data["recipient"] == name }))
		check(path+"outbound", h.moved("stx_", func(data map[string]any) bool { return data["sender"] == name }))
	}
	looked = 0
	var busiest [2]string
	for of, n := range tokens {
		if n > tokens[busiest] {
			busiest = of
		}
		if looked++; looked > 8 {
			continue
		}
		check("/extended/v3/principals/"+of[0]+"/transfers/ft/"+url.PathEscape(of[1]), h.moved("ft_", func(data map[string]any) bool {
			return data["asset_identifier"] == of[1] && (data["sender"] == of[0] || data["recipient"] == of[0])
		}))
	}
	path := "/extended/v3/principals/" + busiest[0] + "/transfers/ft/" + url.PathEscape(busiest[1])
	h.jumps(t, path)
	h.traces(path+"?limit=2", map[string]int{"accounts.account_event": 2, "chain.event": 2})
	// A cursor at a height opens the page at the end of that block.
	height := len(h.blocks) / 2
	var want []string
	for _, line := range h.moved("ft_", func(data map[string]any) bool {
		return data["asset_identifier"] == busiest[1] && (data["sender"] == busiest[0] || data["recipient"] == busiest[0])
	}) {
		if at, _ := strconv.Atoi(strings.Fields(line)[3]); at <= height {
			want = append(want, line)
		}
	}
	got := mapped(objectsOf(h.Object(fmt.Sprintf("%s?limit=50&cursor=%d:0:0:0", path, height))["results"]), transferLine)
	same(t, fmt.Sprintf("from block %d on", height), got, want[:min(len(want), 50)])
	if got := h.Object("/extended/v3/principals/SP000000000000000000002Q6VF78/transfers/ft/" + url.PathEscape("SP000000000000000000002Q6VF78.none::none")); got["total"] != 0.0 {
		t.Errorf("got %v", got)
	}
}

// Mining compares the rewards of all miners with the blocks that credit them.
func (h *history) Mining(t *testing.T) {
	type earned struct {
		lines, cursors []string
		coinbase, fees big.Int
	}
	miners := map[string]*earned{}
	number := func(value any) *big.Int {
		n, ok := new(big.Int).SetString(fmt.Sprint(value), 10)
		if !ok {
			return new(big.Int)
		}
		return n
	}
	for _, block := range h.blocks {
		rewards, _ := block["matured_miner_rewards"].([]any)
		for i, one := range rewards {
			r := one.(map[string]any)
			coinbase, fees := number(r["coinbase_amount"]), new(big.Int)
			for _, name := range []string{"tx_fees_anchored", "tx_fees_streamed_confirmed", "tx_fees_streamed_produced"} {
				fees.Add(fees, number(r[name]))
			}
			if coinbase.Sign() == 0 && fees.Sign() == 0 {
				continue
			}
			m := miners[fmt.Sprint(r["recipient"])]
			if m == nil {
				m = &earned{}
				miners[fmt.Sprint(r["recipient"])] = m
			}
			m.coinbase.Add(&m.coinbase, coinbase)
			m.fees.Add(&m.fees, fees)
			miner := r["miner_address"]
			if miner == nil {
				miner = r["recipient"]
			}
			m.lines = append(m.lines, fmt.Sprint(block["index_block_hash"], ":", i, " ", r["recipient"], " ", miner, " ",
				coinbase, " ", fees, " ", new(big.Int).Add(coinbase, fees), " ", block["index_block_hash"], " ", r["from_index_consensus_hash"]))
			m.cursors = append(m.cursors, fmt.Sprint(block["block_height"], ":", i))
		}
	}
	if len(miners) == 0 {
		t.Fatal("nobody mines")
	}
	for name, m := range miners {
		path := "/extended/v3/principals/" + name + "/mining"
		got := fmt.Sprint(h.Object(path)["rewards"])
		want := fmt.Sprint(map[string]any{"count": len(m.lines), "coinbase": m.coinbase.String(), "fees": m.fees.String(), "total": new(big.Int).Add(&m.coinbase, &m.fees).String()})
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		for _, limit := range []int{2, 50} {
			shown := mapped(h.Keyset(t, path+"/rewards", limit), func(r Fields) string {
				return fmt.Sprint(r["id"], " ", r["recipient"], " ", r["miner"], " ", r["coinbase"], " ", r["fees"], " ", r["total"], " ",
					r["block"].(Fields)["index_hash"], " ", r["source_block"].(Fields)["index_hash"])
			})
			same(t, name, shown, reversed(m.lines))
		}
		// A cursor that names no reward is a bound.
		half := len(m.cursors) / 2
		height, _, _ := strings.Cut(m.cursors[half], ":")
		last := half
		for last+1 < len(m.cursors) && strings.HasPrefix(m.cursors[last+1], height+":") {
			last++
		}
		for cursor, first := range map[string]int{m.cursors[half]: half, height + ":32767": last, "2147483647:0": len(m.cursors) - 1} {
			list := h.Object(path + "/rewards?limit=1&cursor=" + cursor)
			if got := list["cursor"].(Fields)["current"]; got != m.cursors[first] {
				t.Errorf("%s from %s: got %v, want %s", name, cursor, got, m.cursors[first])
			}
		}
		h.refuses(path+"/rewards?cursor=2147483648:0", 400, "Cursor value out of range: 2147483648:0")
		h.refuses(path+"/rewards?cursor=1:32768", 400, "Cursor value out of range: 1:32768")
		h.refuses(path+"/rewards?cursor=7", 400, "querystring/cursor must match pattern")
		h.traces(path+"/rewards?limit=1", map[string]int{"accounts.miner_reward": 1})
		h.Costs(t, map[string]int64{path + "/rewards?limit=5&cursor=" + m.cursors[half]: 300})
	}
	if got := fmt.Sprint(h.Object("/extended/v3/principals/SP000000000000000000002Q6VF78/mining")); got != "map[rewards:map[coinbase:0 count:0 fees:0 total:0]]" {
		t.Errorf("got %s", got)
	}
}

// BlocksOfVersion3 compares the lists of blocks and Bitcoin blocks with the chain.
func (h *history) BlocksOfVersion3(t *testing.T) {
	line := func(b map[string]any) string {
		bitcoin := b["bitcoin_block"].(map[string]any)
		return fmt.Sprint(b["height"], " ", b["hash"], " ", b["index_hash"], " ", int64(b["time"].(float64)), " ", b["tx_count"], " ", bitcoin["height"], " ", bitcoin["hash"])
	}
	var want []string
	counts, transactions := map[string]int{}, map[string]int{}
	var bitcoins []string
	for _, block := range reversed(h.blocks) {
		n := len(block["transactions"].([]any))
		want = append(want, fmt.Sprint(block["block_height"], " ", block["block_hash"], " ", block["index_block_hash"], " ", timeOf(block), " ", n, " ", block["burn_block_height"], " ", block["burn_block_hash"]))
		burn := fmt.Sprint(block["burn_block_height"], " ", block["burn_block_hash"])
		if counts[burn]++; counts[burn] == 1 {
			bitcoins = append(bitcoins, burn)
		}
		transactions[burn] += n
	}
	for _, limit := range []int{7, 30} {
		same(t, fmt.Sprintf("limit %d", limit), mapped(h.Keyset(t, "/extended/v3/blocks", limit), line), want)
		var got []string
		for _, b := range h.Keyset(t, "/extended/v3/bitcoin-blocks", limit) {
			burn := fmt.Sprint(b["height"], " ", b["hash"])
			got = append(got, burn)
			if b["block_count"] != float64(counts[burn]) || b["tx_count"] != float64(transactions[burn]) {
				t.Errorf("%s: got %v, want %d blocks and %d transactions", burn, b, counts[burn], transactions[burn])
			}
		}
		same(t, fmt.Sprintf("limit %d", limit), got, bitcoins)
	}
	var listed []string
	for i, burn := range bitcoins {
		height, id, _ := strings.Cut(burn, " ")
		named := []string{height, id}[i%2]
		one := h.Object("/extended/v3/bitcoin-blocks/" + named)
		if fmt.Sprint(one["height"], " ", one["hash"]) != burn {
			t.Errorf("%s: got %v", named, one)
		}
		listed = append(listed, mapped(h.Keyset(t, "/extended/v3/bitcoin-blocks/"+named+"/blocks", 2), line)...)
	}
	same(t, "list", listed, want)
	middle := h.blocks[len(h.blocks)/2]
	for _, name := range []any{middle["block_height"], middle["index_block_hash"], middle["block_hash"]} {
		if got := h.Object(fmt.Sprint("/extended/v3/blocks/", name)); got["parent_block"].(map[string]any)["index_hash"] != middle["parent_index_block_hash"] {
			t.Errorf("%v: got %v", name, got)
		}
	}
	for target, want := range map[string]string{
		"/extended/v3/blocks/99999999": "Block not found", "/extended/v3/bitcoin-blocks/99999999": "Bitcoin block not found", "/extended/v3/bitcoin-blocks/99999999/blocks": "Bitcoin block not found",
	} {
		h.refuses(target, 404, want)
	}
	h.traces("/extended/v3/blocks?limit=3", map[string]int{"chain.block": 3})
}

// FunctionsOfPrints compares the prints of the busiest contract, by the functions that made it print.
func (h *history) FunctionsOfPrints(t *testing.T) {
	contract := h.Busiest("contract_event", "contract_identifier")
	called := map[string]string{} // function by transaction
	for _, block := range h.blocks {
		for _, tx := range objectsOf(block["transactions"]) {
			raw, err := hex.DecodeString(strings.TrimPrefix(fmt.Sprint(tx["raw_tx"]), "0x"))
			if err != nil || len(raw) < 2 {
				continue
			}
			if decoded, err := transaction.Decode(raw); err == nil {
				if call, ok := decoded.Payload.(*transaction.ContractCall); ok {
					called[fmt.Sprint(tx["txid"])] = call.Function
				}
			}
		}
	}
	byFunction := map[string][]string{}
	var all []string
	for _, e := range reversed(h.happenings()) {
		if e.event["type"] == "contract_event" && e.data()["contract_identifier"] == contract {
			line := fmt.Sprint(e.txid, " ", e.number, " ", called[e.txid])
			all = append(all, line)
			byFunction[called[e.txid]] = append(byFunction[called[e.txid]], line)
		}
	}
	lines := func(rows []Fields) (shown []string) {
		for _, r := range rows {
			id, index := r["tx_id"], r["event_index"]
			if tx, ok := r["transaction"].(map[string]any); ok {
				id, index = tx["tx_id"], tx["event_index"]
			}
			shown = append(shown, fmt.Sprint(id, " ", index, " ", cmp.Or(r["function_name"], any(""))))
		}
		return shown
	}
	check := func(query string, want []string) {
		t.Helper()
		v1, _ := h.walk("/extended/v1/contract/"+contract+"/events"+query, 4)
		for name, got := range map[string][]string{
			"version 1": lines(v1), "version 2": lines(h.Pages("/extended/v2/smart-contracts/"+contract+"/logs"+query, 7)),
			"version 3": lines(h.Keyset(t, "/extended/v3/smart-contracts/"+contract+"/events"+query, 5)),
		} {
			same(t, fmt.Sprintf("%s%s", name, query), got, want)
		}
	}
	check("", all)
	functions := 0
	for function, want := range byFunction {
		if function != "" {
			functions++
			check("?function_name="+url.QueryEscape(function), want)
		}
	}
	if functions == 0 {
		t.Fatal("no function prints")
	}
	check("?function_name=nobody-has-it", nil)
	h.refuses("/extended/v3/smart-contracts/"+contract+"/events?function_name=a&topic=b", 400, "can't handle both 'topic' and 'function_name'")
	one := h.Object("/extended/v3/smart-contracts/" + contract + "?include=source_code,abi")
	v1 := h.Object("/extended/v1/contract/" + contract)
	if one["source_code"] != v1["source_code"] || one["tx_id"] != v1["tx_id"] || one["block"].(map[string]any)["height"] != v1["block_height"] {
		t.Errorf("got %v, want %v", one, v1)
	}
	if plain := h.Object("/extended/v3/smart-contracts/" + contract); plain["source_code"] != nil || plain["contract_id"] != contract {
		t.Errorf("got %v", plain)
	}
	h.refuses("/extended/v3/smart-contracts/"+contract+"-no", 404, "Smart contract not found")
}

// HoldersOfVersion3 compares the holders of STX, tokens and collections with those of version 1 and with custody.
func (h *history) HoldersOfVersion3(t *testing.T) {
	assets, collections := map[string]bool{}, map[string]map[string]int{}
	for key := range h.Truth.Tokens {
		assets[key.Asset] = true
	}
	owners := map[[2]string]string{}
	for _, e := range h.happenings() {
		if strings.HasPrefix(fmt.Sprint(e.event["type"]), "nft_") {
			owner, _ := e.data()["recipient"].(string)
			owners[[2]string{fmt.Sprint(e.data()["asset_identifier"]), fmt.Sprint(e.data()["raw_value"])}] = owner
		}
	}
	for of, owner := range owners {
		if collections[of[0]] == nil {
			collections[of[0]] = map[string]int{}
		}
		if owner != "" {
			collections[of[0]][owner]++
		}
	}
	if len(assets) == 0 || len(collections) == 0 {
		t.Fatal("there are no tokens")
	}
	lines := func(rows []Fields, account, amount string) (shown []string) {
		return mapped(rows, func(r Fields) string { return fmt.Sprint(r[account], " ", r[amount]) })
	}
	compare := func(v3, v1, amount string) []string {
		t.Helper()
		old, _ := h.walk(v1, 200)
		want := lines(old, "address", amount)
		for _, limit := range []int{2, 200} {
			same(t, v3, lines(h.Keyset(t, v3, limit), "principal", amount), want)
		}
		return want
	}
	compare("/extended/v3/tokens/stx/holders", "/extended/v1/tokens/ft/stx/holders", "balance")
	for asset := range assets {
		path := "/extended/v3/tokens/ft/" + url.PathEscape(asset)
		compare(path+"/holders", "/extended/v1/tokens/ft/"+url.PathEscape(asset)+"/holders", "balance")
		if got := h.Object(path + "/supply"); got["total"] != h.Truth.Supplies[asset].String() || got["asset_identifier"] != asset {
			t.Errorf("%s: got %v, want %v", asset, got, h.Truth.Supplies[asset])
		}
		if got := h.Object("/extended/v3/tokens/nft/" + url.PathEscape(asset) + "/holders"); got["total"] != 0.0 || len(got["results"].([]any)) != 0 {
			t.Errorf("%s is no collection: got %v", asset, got)
		}
	}
	for asset, counts := range collections {
		path := "/tokens/nft/" + url.PathEscape(asset) + "/holders"
		shown := compare("/extended/v3"+path, "/extended/v1"+path, "count")
		var want []string
		tokens := 0
		for _, owner := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
			want = append(want, fmt.Sprint(owner, " ", counts[owner]))
			tokens += counts[owner]
		}
		same(t, asset, shown, want)
		if got := h.Object("/extended/v1" + path); got["total_supply"] != strconv.Itoa(tokens) || got["total"] != float64(len(want)) {
			t.Errorf("%s: got %v of %v, want %d of %d", asset, got["total"], got["total_supply"], len(want), tokens)
		}
		if len(want) > 0 {
			h.traces("/extended/v3"+path+"?limit=1", map[string]int{"balances.holding": 1})
		}
	}
	looked := 0
	for of, owner := range owners {
		if looked++; looked > 6 {
			break
		}
		v1 := h.Object("/extended/v1/tokens/nft/history?asset_identifier=" + url.QueryEscape(of[0]) + "&value=" + of[1])
		path := "/extended/v3/tokens/nft/" + url.PathEscape(of[0]) + "/" + of[1] + "/history"
		var got, want []string
		for _, r := range h.Keyset(t, path, 1) {
			tx := r["transaction"].(map[string]any)
			got = append(got, fmt.Sprint(r["type"], " ", tx["tx_id"], " ", tx["event_index"], " ", r["sender"], " ", r["recipient"]))
		}
		for _, r := range objectsOf(v1["results"]) {
			want = append(want, fmt.Sprint(r["asset_event_type"], " ", r["tx_id"], " ", r["event_index"], " ", r["sender"], " ", r["recipient"]))
		}
		same(t, path, got, want)
		h.jumps(t, path)
		h.Costs(t, map[string]int64{path + "?limit=5&cursor=200:0:0:0": 200})
		if owner == "" {
			continue
		}
		rows := h.Keyset(t, "/extended/v3/principals/"+owner+"/balances/nft?asset_identifier="+url.QueryEscape(of[0]), 2)
		if len(rows) != collections[of[0]][owner] {
			t.Errorf("%s has %d of %s, want %d", owner, len(rows), of[0], collections[of[0]][owner])
		}
		for _, r := range rows {
			if r["asset_identifier"] != of[0] {
				t.Errorf("%s: got %v", of[0], r)
			}
		}
	}
}

// jumps opens a list of events at the ends of blocks, and with cursors that nothing has.
func (h *history) jumps(t *testing.T, path string) {
	t.Helper()
	rows := h.Keyset(t, path, 50)
	for i, r := range rows {
		block, tx := r["block"].(Fields), r["transaction"].(Fields)
		if i > 0 && rows[i-1]["block"].(Fields)["height"] == block["height"] {
			continue // not the last of its block
		}
		want := regexp.MustCompile(fmt.Sprintf("^%v:[0-9]+:%v:%v$", block["height"], block["tx_index"], tx["event_index"]))
		for _, cursor := range []string{fmt.Sprintf("%v:0:0:0", block["height"]), fmt.Sprintf("%v:2147483647:32767:2147483647", block["height"])} {
			if got := h.Object(path + "?limit=1&cursor=" + cursor)["cursor"].(Fields)["current"]; !want.MatchString(fmt.Sprint(got)) {
				t.Errorf("%s from %s: got %v, want %s", path, cursor, got, want)
			}
		}
	}
	for _, cursor := range []string{"2147483648:0:0:0", "1:2147483648:0:0", "1:0:32768:0", "1:0:0:2147483648", "99999999999999999999:0:0:0"} {
		h.refuses(path+"?cursor="+cursor, 400, "Cursor value out of range: "+cursor)
	}
	h.refuses(path+"?cursor=1:0:0", 400, "querystring/cursor must match pattern")
}

// Batches reads several transactions at once, and finds things by their names.
func (h *history) Batches(t *testing.T) {
	var want []string
	for _, block := range reversed(h.blocks) {
		want = append(want, reversed(executed(block))...)
	}
	want = want[:20]
	ids := slices.Clone(want)
	slices.Sort(ids)
	for _, query := range []string{strings.Join(ids, ","), strings.Join(ids, "&tx_id="), strings.TrimPrefix(ids[0], "0x") + "," + strings.Join(ids, ",")[:66*19+18]} {
		got := textsOf(objectsOf(h.Object("/extended/v3/transactions/batch?tx_id=" + query)["results"]), "tx_id")
		if len(got) == 20 && !slices.Equal(got, want) || len(got) < 19 {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	unknown := "0x" + strings.Repeat("ab", 32)
	if got := h.Object("/extended/v3/transactions/batch?include=result&tx_id=" + unknown + "&tx_id=" + want[0])["results"].([]any); len(got) != 1 || got[0].(map[string]any)["result"] == nil {
		t.Errorf("got %v", got)
	}
	for query, message := range map[string]string{
		"": "querystring must have required property 'tx_id'",
		"?tx_id=" + strings.Join(append(ids, unknown), ","): "querystring/tx_id must NOT have more than 20 items",
		"?tx_id=abc": "querystring/tx_id/0 must match pattern",
	} {
		h.refuses("/extended/v3/transactions/batch"+query, 400, message)
	}
	block := h.blocks[len(h.blocks)/2]
	found := func(query string) (types []string) {
		for _, r := range objectsOf(h.Object("/extended/v3/search?q=" + query)["results"]) {
			kind := fmt.Sprint(r["type"])
			if r["result"] == nil {
				t.Errorf("%s: got %v", query, r)
			}
			types = append(types, kind)
		}
		return types
	}
	contract := h.Busiest("contract_event", "contract_identifier")
	for query, want := range map[string]string{
		want[3]:                 "transaction",
		want[3] + "&type=block": "",
		"+" + fmt.Sprint(block["index_block_hash"]) + "+":                  "block",
		fmt.Sprint(block["block_hash"]):                                    "block",
		fmt.Sprint(block["burn_block_hash"]):                               "bitcoin_block",
		contract:                                                           "smart_contract",
		contract + "&type=address,block":                                   "",
		contract[:len(contract)-1] + "&type=smart_contract":                "smart_contract",
		strings.ToLower(strings.Split(contract, ".")[0]) + "&type=address": "address",
		fmt.Sprint(block["block_height"]) + "&type=block":                  "block",
		unknown: "",
	} {
		if got := strings.Join(found(query), " "); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	h.refuses("/extended/v3/search?q=x", 400, "The term is not a block or transaction hash")
	h.traces("/extended/v3/search?q="+want[3], map[string]int{"chain.transaction": 1})
}
