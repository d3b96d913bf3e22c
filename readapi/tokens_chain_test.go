package readapi_test

import (
	"cmp"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"strata/internal/synth/synthchain"
)

// happening is an event of a canonical block, in the order of execution.
type happening struct {
	event          fields
	txid           string
	height, number int // number: among the events of its transaction
}

// happenings are all of them.
func (h *history) happenings() (all []happening) {
	for _, block := range h.blocks {
		events := map[string][]fields{}
		for _, e := range block["events"].([]any) {
			event := e.(map[string]any)
			events[fmt.Sprint(event["txid"])] = append(events[fmt.Sprint(event["txid"])], event)
		}
		status := map[string]string{}
		for _, tx := range block["transactions"].([]any) {
			status[fmt.Sprint(tx.(map[string]any)["txid"])] = fmt.Sprint(tx.(map[string]any)["status"])
		}
		var height int
		_, _ = fmt.Sscan(fmt.Sprint(block["block_height"]), &height)
		for _, id := range executed(block) {
			number := 0
			index := func(e fields) (n int) { _, _ = fmt.Sscan(fmt.Sprint(e["event_index"]), &n); return n }
			slices.SortStableFunc(events[id], func(a, b fields) int { return cmp.Compare(index(a), index(b)) })
			for _, event := range events[id] {
				if committed, ok := event["committed"].(bool); status[id] == "success" && (!ok || committed) {
					all = append(all, happening{event: event, txid: id, height: height, number: number})
					number++
				}
			}
		}
	}
	return all
}

// data is what an event says of itself.
func (e happening) data() map[string]any {
	data, _ := e.event[fmt.Sprint(e.event["type"])].(map[string]any)
	return data
}

// walk reads all of a list whose pages have a cursor to the next.
func (s *site) walk(path string, limit int) (results []fields, total any) {
	s.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	target := fmt.Sprintf("%s%slimit=%d", path, separator, limit)
	for next := target; ; {
		page := s.object(next)
		total = page["total"]
		for _, one := range page["results"].([]any) {
			results = append(results, one.(map[string]any))
		}
		cursor := page["cursor"].(map[string]any)["next"]
		if cursor == nil {
			return results, total
		}
		next = target + "&cursor=" + url.QueryEscape(fmt.Sprint(cursor))
	}
}

func TestTokensOfChain(t *testing.T) {
	t.Parallel()
	h := newHistory(t, synthchain.V30, 300)
	t.Run("holders", h.holdersOfTokens)
	t.Run("non-fungible", h.nonFungible)
	t.Run("supply", h.supplyOfSTX)
	t.Run("prints", h.printsOfContracts)
	t.Run("traits", h.contractsByTrait)
	t.Run("search", h.searches)
	t.Run("costs", func(t *testing.T) {
		asset := h.busiest("nft_mint_event", "asset_identifier")
		contract := h.busiest("contract_event", "contract_identifier")
		h.costs(t, map[string]int64{
			"/extended/v1/tokens/ft/stx/holders":                                                   1500,
			"/extended/v1/tokens/nft/mints?limit=10&asset_identifier=" + url.QueryEscape(asset):    200,
			"/extended/v1/contract/" + contract + "/events?limit=10":                               600,
			"/extended/v2/smart-contracts/" + contract + "/logs?limit=10&from_block=3&to_block=20": 600,
			"/extended/v1/stx_supply?height=20":                                                    10,
		})
	})
}

// busiest is what most events of a type are of.
func (h *history) busiest(kind, member string) (most string) {
	counts := map[string]int{}
	for _, e := range h.happenings() {
		if e.event["type"] == kind {
			name := fmt.Sprint(e.data()[member])
			if counts[name]++; counts[name] > counts[most] {
				most = name
			}
		}
	}
	return most
}

func (h *history) holdersOfTokens(t *testing.T) {
	type held struct {
		account string
		balance *big.Int
	}
	of := map[string][]held{}
	for account, balance := range h.truth.Balances {
		of["stx"] = append(of["stx"], held{account, new(big.Int).SetUint64(balance)})
	}
	for token, balance := range h.truth.Tokens {
		of[token.Asset] = append(of[token.Asset], held{token.Owner, balance})
	}
	if len(of) < 2 {
		t.Fatal("there are no tokens")
	}
	for asset, all := range of {
		all = slices.DeleteFunc(all, func(x held) bool { return x.balance.Sign() <= 0 })
		slices.SortFunc(all, func(a, b held) int { return cmp.Or(b.balance.Cmp(a.balance), cmp.Compare(a.account, b.account)) })
		var want []string
		for _, x := range all {
			want = append(want, x.account+" "+x.balance.String())
		}
		path := "/extended/v1/tokens/ft/" + url.PathEscape(asset) + "/holders"
		for _, limit := range []int{3, 200} {
			got, total := h.walk(path, limit)
			var shown []string
			for _, x := range got {
				shown = append(shown, fmt.Sprint(x["address"], " ", x["balance"]))
			}
			if !slices.Equal(shown, want) || total != float64(len(want)) {
				t.Fatalf("%s: got %d of %v: %v, want %v", asset, len(shown), total, shown, want)
			}
		}
		supply := h.truth.Liquid()
		if asset != "stx" {
			supply = h.truth.Supplies[asset]
		}
		page := h.object(path + "?limit=2&offset=1")
		if results := page["results"].([]any); len(want) > 2 && fmt.Sprint(results[0].(map[string]any)["address"]) != strings.Fields(want[1])[0] {
			t.Errorf("%s: got %v, want %v", asset, results, want[1:3])
		}
		if supply == nil {
			supply = new(big.Int)
		}
		if page["total_supply"] != supply.String() {
			t.Errorf("%s: got a supply of %v, want %v", asset, page["total_supply"], supply)
		}
	}
	if got := h.object("/extended/v1/tokens/ft/none/holders"); got["total"] != 0.0 || got["total_supply"] != "0" {
		t.Errorf("got %v", got)
	}
	if traced := h.trace("/extended/v1/tokens/ft/stx/holders?limit=5", 200); len(traced.in("balances.holding")) != 5 || len(traced.in("balances.asset")) != 1 {
		t.Errorf("got %v", traced.Rows)
	}
}

func (h *history) nonFungible(t *testing.T) {
	type token struct{ asset, value string }
	histories, mints := map[token][]happening{}, map[string][]happening{}
	got := map[token]int{} // when it was got last
	for i, e := range h.happenings() {
		kind := fmt.Sprint(e.event["type"])
		if !strings.HasPrefix(kind, "nft_") {
			continue
		}
		of := token{fmt.Sprint(e.data()["asset_identifier"]), fmt.Sprint(e.data()["raw_value"])}
		histories[of] = append(histories[of], e)
		got[of] = i
		if kind == "nft_mint_event" {
			mints[of.asset] = append(mints[of.asset], e)
		}
	}
	if len(histories) < 5 {
		t.Fatalf("got %d tokens", len(histories))
	}
	line := func(kind, txid string, index any) string { return fmt.Sprint(kind, " ", txid, " ", index) }
	looked := 0
	for of, events := range histories {
		if looked++; looked > 12 {
			break
		}
		var want []string
		for _, e := range reversed(events) {
			want = append(want, line(strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(e.event["type"]), "nft_"), "_event"), e.txid, e.number))
		}
		path := "/extended/v1/tokens/nft/history?asset_identifier=" + url.QueryEscape(of.asset) + "&value=" + strings.TrimPrefix(of.value, "0x")
		rows, total := h.walk(path, 1)
		var shown []string
		for _, r := range rows {
			shown = append(shown, line(fmt.Sprint(r["asset_event_type"]), fmt.Sprint(r["tx_id"]), r["event_index"]))
		}
		if !slices.Equal(shown, want) || total != float64(len(want)) {
			t.Errorf("%v: got %v, want %v", of, shown, want)
		}
		if looked == 1 {
			whole := h.object(path + "&tx_metadata=true")["results"].([]any)[0].(map[string]any)
			if tx, _ := whole["tx"].(map[string]any); tx == nil || tx["tx_id"] != rows[0]["tx_id"] || whole["tx_id"] != nil {
				t.Errorf("got %v", whole)
			}
			if traced := h.trace(path, 200); len(traced.in("balances.nft_event")) != len(want) {
				t.Errorf("got %v", traced.Rows)
			}
		}
	}
	for asset, events := range mints {
		var want, shown []string
		for _, e := range reversed(events) {
			want = append(want, line(fmt.Sprint(e.data()["raw_value"]), e.txid, e.number))
		}
		rows, total := h.walk("/extended/v1/tokens/nft/mints?asset_identifier="+url.QueryEscape(asset), 4)
		for _, r := range rows {
			shown = append(shown, line(fmt.Sprint(r["value"].(map[string]any)["hex"]), fmt.Sprint(r["tx_id"]), r["event_index"]))
		}
		if !slices.Equal(shown, want) || total != float64(len(want)) {
			t.Errorf("%s: got %v, want %v", asset, shown, want)
		}
	}
	owned := map[string][]token{}
	for item, owner := range h.truth.Items {
		owned[owner] = append(owned[owner], token{item.Asset, item.Value})
	}
	for owner, tokens := range owned {
		slices.SortFunc(tokens, func(a, b token) int { return cmp.Compare(got[b], got[a]) })
		for _, asset := range []string{"", tokens[0].asset} {
			path, want := "/extended/v1/tokens/nft/holdings?principal="+owner, []string(nil)
			if asset != "" {
				path += "&asset_identifiers=" + url.QueryEscape(asset+","+alice+".none::none")
			}
			for _, of := range tokens {
				if asset == "" || asset == of.asset {
					want = append(want, of.asset+" "+of.value)
				}
			}
			rows, total := h.walk(path, 3)
			var shown []string
			for _, r := range rows {
				shown = append(shown, fmt.Sprint(r["asset_identifier"], " ", r["value"].(map[string]any)["hex"]))
			}
			if !slices.Equal(shown, want) || total != float64(len(want)) {
				t.Errorf("%s %s: got %v of %v, want %v", owner, asset, shown, total, want)
			}
		}
	}
	for path, want := range map[string]string{
		"holdings?principal=x": "Invalid or missing principal", "holdings?principal=" + alice + "&asset_identifiers=x": "Invalid asset identifier",
		"history?asset_identifier=x&value=00": "Invalid or missing asset_identifier", "mints?asset_identifier=x": "Invalid or missing asset_identifier",
		"history?value=0x1&asset_identifier=" + url.QueryEscape(art): "Hex string is an odd number of digits", "history?asset_identifier=x": "querystring must have required property 'value'",
	} {
		if got := h.get("/extended/v1/tokens/nft/" + path); got.status != http.StatusBadRequest || !strings.Contains(got.body, `"message":"`+want+`"`) {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
}

func (h *history) supplyOfSTX(t *testing.T) {
	micro := h.truth.Liquid().String()
	stx := micro[:len(micro)-6] + "." + micro[len(micro)-6:]
	got := h.object("/extended/v1/stx_supply")
	if got["total_stx"] != stx || got["unlocked_stx"] != stx || got["unlocked_percent"] != "100.00" || got["block_height"] != float64(h.truth.Tip.Height) {
		t.Errorf("got %v, want %s", got, stx)
	}
	for _, path := range []string{"total", "circulating"} {
		if got := h.get("/extended/v1/stx_supply/" + path + "/plain"); got.body != stx || !strings.HasPrefix(got.header.Get("Content-Type"), "text/plain") {
			t.Errorf("got %s %v, want %s", got.body, got.header, stx)
		}
	}
	if got := h.object("/extended/v3/tokens/stx/supply"); got["total"] != micro || got["projected_total_2050"] != "2318000000000000" {
		t.Errorf("got %v", got)
	}
	legacy := h.object("/extended/v1/stx_supply/legacy_format")
	if legacy["totalStacks"] != stx || strings.ReplaceAll(fmt.Sprint(legacy["totalStacksFormatted"]), ",", "") != stx || legacy["totalStacksYear2050Formatted"] != "2,318,000,000.000000" {
		t.Errorf("got %v", legacy)
	}
	// At each height it is what the bodies up to it say.
	sum := new(big.Int)
	add := func(of *big.Int, value any, sign int64) {
		n, ok := new(big.Int).SetString(fmt.Sprint(value), 10)
		if !ok {
			t.Fatalf("%v is no number", value)
		}
		of.Add(of, n.Mul(n, big.NewInt(sign)))
	}
	events, at := h.happenings(), 0
	for i, block := range h.blocks {
		for ; at < len(events) && fmt.Sprint(events[at].height) == fmt.Sprint(block["block_height"]); at++ {
			switch events[at].event["type"] {
			case "stx_mint_event":
				add(sum, events[at].data()["amount"], 1)
			case "stx_burn_event":
				add(sum, events[at].data()["amount"], -1)
			}
		}
		rewards, _ := block["matured_miner_rewards"].([]any)
		for _, reward := range rewards {
			add(sum, reward.(map[string]any)["coinbase_amount"], 1)
		}
		if i%6 == 0 {
			micro := fmt.Sprintf("%07s", sum)
			want := micro[:len(micro)-6] + "." + micro[len(micro)-6:]
			if got := h.object(fmt.Sprintf("/extended/v1/stx_supply?height=%v", block["block_height"])); got["total_stx"] != want {
				t.Errorf("block %v: got %v, want %s", block["block_height"], got["total_stx"], want)
			}
		}
	}
	if got := h.get("/extended/v1/stx_supply?height=99999"); got.status != http.StatusNotFound {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func (h *history) printsOfContracts(t *testing.T) {
	contract := h.busiest("contract_event", "contract_identifier")
	var all []happening
	for _, e := range h.happenings() {
		if e.event["type"] == "contract_event" && e.data()["contract_identifier"] == contract {
			all = append(all, e)
		}
	}
	if len(all) < 4 {
		t.Fatalf("got %d prints", len(all))
	}
	line := func(txid, index any) string { return fmt.Sprint(txid, " ", index) }
	check := func(query string, from, to int) {
		t.Helper()
		var want []string
		for _, e := range reversed(all) {
			if e.height >= from && e.height <= to {
				want = append(want, line(e.txid, e.number))
			}
		}
		lines := func(rows []fields) (shown []string) {
			for _, r := range rows {
				shown = append(shown, line(r["tx_id"], r["event_index"]))
			}
			return shown
		}
		rows, _ := h.walk("/extended/v1/contract/"+contract+"/events?"+query, 4)
		if got := lines(rows); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
		for _, limit := range []int{1, 7} {
			if got := lines(h.pages("/extended/v2/smart-contracts/"+contract+"/logs?"+query, limit)); !slices.Equal(got, want) {
				t.Errorf("%s, limit %d: got %v, want %v", query, limit, got, want)
			}
		}
	}
	middle := all[len(all)/2].height
	check("", 0, 1<<30)
	check(fmt.Sprintf("from_block=%d", middle), middle, 1<<30)
	check(fmt.Sprintf("to_block=%d", middle), 0, middle)
	check(fmt.Sprintf("from_block=%d&to_block=%d", middle, middle), middle, middle)
	check("topic=nothing+has+it", 1, 0)
	senders, topics := map[string]int{}, map[string]int{}
	rows, err := h.pool.Query(t.Context(), `
		SELECT coalesce(s.account, ''), coalesce(t.name, '') FROM accounts_v3.contract_event e JOIN accounts_v3.account a ON a.id = e.contract
		LEFT JOIN accounts_v3.account s ON s.id = e.sender LEFT JOIN accounts_v3.contract_topic t ON t.contract = e.contract AND t.topic = e.topic WHERE a.account = $1`, contract)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	both := map[[2]string]int{}
	for rows.Next() {
		var sender, topic string
		if err := rows.Scan(&sender, &topic); err != nil {
			t.Fatal(err)
		}
		senders[sender]++
		topics[topic]++
		both[[2]string{sender, topic}]++
	}
	for sender, n := range senders {
		if got, _ := h.walk("/extended/v1/contract/"+contract+"/events?sender="+sender, 3); sender != "" && len(got) != n {
			t.Errorf("%s: got %d, want %d", sender, len(got), n)
		}
	}
	for topic, n := range topics {
		if got := h.pages("/extended/v2/smart-contracts/"+contract+"/logs?topic="+url.QueryEscape(topic), 3); topic != "" && len(got) != n {
			t.Errorf("%s: got %d, want %d", topic, len(got), n)
		}
	}
	for of, n := range both {
		if of[0] == "" || of[1] == "" {
			continue
		}
		if got, _ := h.walk("/extended/v1/contract/"+contract+"/events?sender="+of[0]+"&topic="+url.QueryEscape(of[1]), 2); len(got) != n {
			t.Errorf("%v: got %d, want %d", of, len(got), n)
		}
	}
	if got := h.get("/extended/v2/smart-contracts/" + contract + "/logs?cursor=1:2:3:4"); got.status != http.StatusNotFound || !strings.Contains(got.body, "Cursor not found") {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if traced := h.trace("/extended/v2/smart-contracts/"+contract+"/logs?limit=3", 200); len(traced.in("chain.event")) != 3 {
		t.Errorf("got %v", traced.Rows)
	}
}

func (h *history) contractsByTrait(t *testing.T) {
	all := h.object("/extended/v1/contract/by_trait?limit=50&trait_abi=" + url.QueryEscape(`{"functions":[]}`))["results"].([]any)
	if len(all) != min(len(h.truth.Contracts), 50) {
		t.Errorf("got %d contracts, want %d", len(all), len(h.truth.Contracts))
	}
	found := 0
	for _, one := range all {
		c := one.(map[string]any)
		abi, ok := c["abi"].(string)
		if !ok {
			continue
		}
		var said struct{ Functions []map[string]any }
		decodeJSON(t, abi, &said)
		if len(said.Functions) == 0 {
			continue
		}
		for _, arg := range said.Functions[0]["args"].([]any) {
			arg.(map[string]any)["name"] = "x" // which makes no difference
		}
		path := "/extended/v1/contract/by_trait?limit=50&trait_abi=" + url.QueryEscape(asJSON(t, map[string]any{"functions": said.Functions[:1]}))
		ids := textsOf(objectsOf(h.object(path)["results"]), "contract_id")
		if !slices.Contains(ids, fmt.Sprint(c["contract_id"])) || len(ids) == len(all) {
			t.Errorf("%v: got %v", c["contract_id"], ids)
		}
		said.Functions[0]["name"] = "another-name"
		path = "/extended/v1/contract/by_trait?trait_abi=" + url.QueryEscape(asJSON(t, map[string]any{"functions": said.Functions}))
		if got := h.get(path); got.status != http.StatusNotFound || !strings.Contains(got.body, "cannot find contract for this trait") {
			t.Errorf("got %d %s", got.status, got.body)
		}
		if found++; found == 5 {
			break
		}
	}
	if found == 0 {
		t.Error("no contract has functions")
	}
	for _, bad := range []string{"x", "[]", "{}", `{"functions":[{"name":"x"}]}`} {
		if got := h.get("/extended/v1/contract/by_trait?trait_abi=" + url.QueryEscape(bad)); got.status != http.StatusBadRequest || !strings.Contains(got.body, "Invalid 'trait_abi'") {
			t.Errorf("%s: got %d %s", bad, got.status, got.body)
		}
	}
}

func objectsOf(list any) (objects []fields) {
	for _, one := range list.([]any) {
		objects = append(objects, one.(map[string]any))
	}
	return objects
}

func (h *history) searches(t *testing.T) {
	newest := h.blocks[len(h.blocks)-1]
	ids := executed(newest)
	expect := func(term, kind, data string) {
		t.Helper()
		for _, query := range []string{"", "?include_metadata=true"} {
			got := h.object("/extended/v1/search/" + url.PathEscape(term) + query)
			result, _ := got["result"].(map[string]any)
			if got["found"] != true || result["entity_type"] != kind || data != "" && result[data] == nil || (result["metadata"] != nil) != (query != "") {
				t.Errorf("%s%s: got %v", term, query, got)
			}
		}
	}
	if len(ids) > 0 {
		expect(ids[0], "tx_id", "tx_data")
		expect(" "+strings.TrimPrefix(ids[0], "0x")+" ", "tx_id", "tx_data")
	}
	expect(h.truth.Tip.Hash.String(), "block_hash", "block_data")
	expect(h.newestID(), "block_hash", "block_data")
	for contract := range h.truth.Contracts {
		expect(contract, "contract_address", "tx_data")
		break
	}
	for account := range h.truth.Nonces {
		if !strings.Contains(account, ".") {
			expect(account, "standard_address", "")
			break
		}
	}
	for term, want := range map[string]string{
		id(9, 9).String(): `{"found":false,"result":{"entity_type":"unknown_hash"},"error":"No block or transaction found with hash \"` + id(9, 9).String() + `\""}`,
		alice:             `{"found":false,"result":{"entity_type":"standard_address"},"error":"No principal found with address \"` + alice + `\""}`,
		alice + ".x":      `{"found":false,"result":{"entity_type":"contract_address"},"error":"No principal found with address \"` + alice + `.x\""}`,
		"x":               `{"found":false,"result":{"entity_type":"invalid_term"},"error":"The term \"x\" is not a valid block hash, transaction ID, contract principal, or account address principal"}`,
	} {
		if got := h.get("/extended/v1/search/" + term); got.status != http.StatusNotFound || got.body != want {
			t.Errorf("%s: got %d %s, want %s", term, got.status, got.body, want)
		}
	}
}
