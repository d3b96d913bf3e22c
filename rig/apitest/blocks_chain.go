package apitest

import (
	"cmp"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/search"
	"strata/readapi"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// history is an API over a made-up chain with forks, the truth about it, and the bodies of its blocks.
type history struct {
	*Site
	Truth  synthchain.State
	bodies map[string]Fields // of blocks by index block hash, orphans included
	blocks []Fields          // the bodies of the canonical ones, the first first
}

func NewHistory(t *testing.T, generation synthchain.Generation, n int) *history {
	t.Helper()
	config := synthchain.Everything(5, generation)
	config.SigningSample, config.Accounts, config.Maturity = 1000, 12, 6
	made := synthchain.New(config)
	log := replay.NewLog(t)
	h := &history{bodies: map[string]Fields{}}
	posts := replay.Take(n, made.Next)
	replay.Append(t, log, posts...)
	replay.Run(t, log, NewChain(t), accounts.New(), balances.New(nil), search.New(bns.KnownContracts()))
	h.Site, h.Truth = NewSiteOn(t, log.Pool(), readapi.Config{}), made.Expected()
	for _, post := range posts {
		if post.Path == "/new_block" {
			var body Fields
			DecodeJSON(t, string(post.Body), &body)
			if id := fmt.Sprint(body["index_block_hash"]); h.bodies[id] == nil { // what comes again may say less
				h.bodies[id] = body
			}
		}
	}
	for _, b := range h.Truth.Blocks {
		h.blocks = append(h.blocks, h.bodies[b.IndexHash.String()])
	}
	return h
}

// pages are all results of a list with cursors, from its newest page on.
func (s *Site) Pages(path string, limit int) (results []Fields) {
	s.T.Helper()
	target := limited(path, limit)
	var total any
	for next, before := target, any(nil); ; {
		page := s.Object(next)
		if total != nil && page["total"] != total {
			s.T.Errorf("%s: got a total of %v, and %v before", next, page["total"], total)
		}
		total = page["total"]
		results = append(results, objectsOf(page["results"])...)
		if limit == 1 && page["next_cursor"] != before {
			s.T.Errorf("%s: got %v before this page, want %v", next, page["next_cursor"], before)
		}
		if before = page["cursor"]; page["prev_cursor"] == nil {
			break
		}
		next = fmt.Sprintf("%s&cursor=%v", target, page["prev_cursor"])
	}
	if total != float64(len(results)) {
		s.T.Errorf("%s: got %d rows of %v", path, len(results), total)
	}
	return results
}

// strings of a member of objects.
func textsOf(objects []Fields, member string) []string {
	return mapped(objects, func(o Fields) string { return fmt.Sprint(o[member]) })
}

// mapped are the texts of objects.
func mapped(objects []Fields, text func(Fields) string) (texts []string) {
	for _, o := range objects {
		texts = append(texts, text(o))
	}
	return texts
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// numberOf is the number in a value, or 0.
func numberOf(value any) (n int64) {
	_, _ = fmt.Sscan(fmt.Sprint(value), &n)
	return n
}

// timeOf is the time of a block by its body.
func timeOf(body Fields) int64 { return numberOf(cmp.Or(body["block_time"], body["burn_block_time"])) }

// lists compares all rows of a list, and its total.
func (h *history) lists(t *testing.T, path string, limit int, line func(Fields) string, want []string) []Fields {
	t.Helper()
	rows, total := h.walk(path, limit)
	same(t, fmt.Sprintf("%s, limit %d", path, limit), mapped(rows, line), want)
	if total != float64(len(want)) {
		t.Errorf("%s: got a total of %v, want %d", path, total, len(want))
	}
	return rows
}

// executed are the ids of the transactions of a block in the order of execution, those of microblocks first.
func executed(body Fields) (ids []string) {
	list := objectsOf(body["transactions"])
	sequence := func(tx Fields) (n int) {
		n = 1 << 31
		_, _ = fmt.Sscan(fmt.Sprint(tx["microblock_sequence"]), &n)
		return n
	}
	slices.SortStableFunc(list, func(a, b Fields) int { return cmp.Compare(sequence(a), sequence(b)) })
	return textsOf(list, "txid")
}

func (h *history) BlocksOfVersion1(t *testing.T) {
	var hashes []string
	for _, b := range h.Truth.Blocks {
		hashes = append(hashes, b.Hash.String())
	}
	for _, limit := range []int{1, 17} {
		same(t, fmt.Sprintf("limit %d", limit), textsOf(h.Pages("/extended/v1/block", limit), "hash"), reversed(hashes))
	}
	check := func(path string, body Fields, canonical bool) {
		t.Helper()
		got := h.Object(path)
		if want := AsJSON(t, reversed(executed(body))); AsJSON(t, got["txs"]) != want || got["canonical"] != canonical || got["hash"] != body["block_hash"] ||
			got["miner_txid"] != body["miner_txid"] || fmt.Sprint(got["block_time"]) != fmt.Sprint(float64(timeOf(body))) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	canonical := map[string]bool{}
	for i, body := range h.blocks {
		canonical[fmt.Sprint(body["index_block_hash"])] = true
		if i%7 == 0 {
			check(fmt.Sprintf("/extended/v1/block/by_height/%v", body["block_height"]), body, true)
			check(fmt.Sprintf("/extended/v1/block/%v", body["block_hash"]), body, true)
		}
	}
	orphans := 0
	for id, body := range h.bodies {
		if !canonical[id] && orphans < 5 {
			orphans++
			check("/extended/v1/block/"+id, body, false)
		}
	}
	if orphans == 0 {
		t.Error("there are no orphans")
	}
	last, elected := map[string]Fields{}, map[any]bool{}
	for _, body := range h.blocks {
		last[fmt.Sprint(body["burn_block_height"])] = body
		elected[body["burn_block_hash"]] = true
	}
	for burn, body := range last {
		check("/extended/v1/block/by_burn_block_height/"+burn, body, true)
		check(fmt.Sprintf("/extended/v1/block/by_burn_block_hash/%v", body["burn_block_hash"]), body, true)
	}
	// Where all blocks of a Bitcoin block are orphaned, the highest of them is shown.
	highest, several := map[any]Fields{}, map[any]bool{}
	for _, body := range h.bodies {
		burn := body["burn_block_hash"]
		if before := highest[burn]; !elected[burn] && (before == nil || numberOf(before["block_height"]) <= numberOf(body["block_height"])) {
			several[burn] = before != nil && numberOf(before["block_height"]) == numberOf(body["block_height"])
			highest[burn] = body
		}
	}
	lost := 0
	for burn, body := range highest {
		if several[burn] {
			continue
		}
		check(fmt.Sprintf("/extended/v1/block/by_burn_block_hash/%v", burn), body, false)
		if height := fmt.Sprint(body["burn_block_height"]); last[height] == nil {
			check("/extended/v1/block/by_burn_block_height/"+height, body, false)
		}
		lost++
	}
	if lost == 0 {
		t.Error("no Bitcoin block has orphaned blocks only")
	}
	for path, want := range map[string]string{"?offset=100000": `"results":[]`, "?offset=-1": "querystring/offset must be >= 0"} {
		if got := h.Get("/extended/v1/block" + path); !strings.Contains(got.Body, want) {
			t.Errorf("%s: got %d %s, want %s", path, got.Status, got.Body, want)
		}
	}
	for path, want := range map[string]string{
		"/extended/v1/block/by_height/99999":                              "cannot find block by height",
		"/extended/v1/block/" + ID(9, 9).String():                         "cannot find block by hash",
		"/extended/v1/block/by_burn_block_hash/" + ID(9, 9).String():      "cannot find block by burn block hash",
		"/extended/v1/block/by_burn_block_height/99999999":                "cannot find block by height",
		"/extended/v1/block?cursor=" + ID(9, 9).String():                  "Cursor not found",
		"/extended/v1/microblock/" + ID(9, 9).String():                    "cannot find microblock by hash",
		"/extended/v2/burn-blocks/1":                                      "Not found",
		"/extended/v2/burn-blocks/1/blocks":                               "Burn block not found",
		"/extended/v2/burn-blocks?cursor=" + ID(9, 9).String():            "Cursor not found",
		"/extended/v2/block-tenures/1/blocks?cursor=" + h.newestID():      "Cursor not found",
		"/extended/v2/block-tenures/999999/blocks?cursor=" + h.newestID(): "Cursor not found",
	} {
		h.refuses(path, http.StatusNotFound, `"message":"`+want+`"`)
	}
	traced := h.Trace(fmt.Sprintf("/extended/v1/block/by_height/%d", h.Truth.Tip.Height), 200)
	if got := len(traced.In("chain.transaction")); got != h.Truth.Tip.Transactions {
		t.Errorf("got %d transactions behind a block of %d", got, h.Truth.Tip.Transactions)
	}
}

func (h *history) newestID() string { return h.Truth.Tip.IndexHash.String() }

func (h *history) BlocksOfBitcoin(t *testing.T) {
	var order []string
	blocks, txs := map[string][]string{}, map[string]int{}
	for _, b := range h.Truth.Blocks {
		burn := b.BurnHash.String()
		if len(blocks[burn]) == 0 {
			order = append(order, burn)
		}
		blocks[burn], txs[burn] = append(blocks[burn], b.Hash.String()), txs[burn]+b.Transactions
	}
	many := 0
	for _, limit := range []int{1, 7, 30} {
		got := h.Pages("/extended/v2/burn-blocks", limit)
		same(t, fmt.Sprintf("limit %d", limit), textsOf(got, "burn_block_hash"), reversed(order))
		for _, b := range got {
			burn := fmt.Sprint(b["burn_block_hash"])
			if AsJSON(t, b["stacks_blocks"]) != AsJSON(t, reversed(blocks[burn])) || b["total_tx_count"] != float64(txs[burn]) {
				t.Errorf("got %v, want %v", b, blocks[burn])
			}
			if len(blocks[burn]) > 1 {
				many++
			}
		}
	}
	if many == 0 {
		t.Error("no Bitcoin block has several blocks")
	}
	for i, burn := range order {
		if i%5 != 0 {
			continue
		}
		one := h.Object("/extended/v2/burn-blocks/" + burn)
		if got := h.Object(fmt.Sprintf("/extended/v2/burn-blocks/%.0f", one["burn_block_height"])); AsJSON(t, got) != AsJSON(t, one) {
			t.Errorf("got %v, want %v", got, one)
		}
		page := h.Object(fmt.Sprintf("/extended/v2/burn-blocks?limit=1&offset=%d", len(order)-1-i))
		if AsJSON(t, page["results"]) != "["+AsJSON(t, one)+"]" {
			t.Errorf("offset %d: got %v, want %v", i, page, one)
		}
		same(t, "list", textsOf(h.Pages("/extended/v2/burn-blocks/"+burn+"/blocks", 2), "hash"), reversed(blocks[burn]))
		h.traces("/extended/v2/burn-blocks/"+burn, map[string]int{"accounts.block": len(blocks[burn])})
	}
	if got := h.Object("/extended/v2/burn-blocks/latest"); got["burn_block_hash"] != order[len(order)-1] {
		t.Errorf("got %v", got)
	}
}

func (h *history) BlocksOfTenures(t *testing.T) {
	tenures := map[uint64][]string{}
	for _, b := range h.Truth.Blocks {
		tenures[b.Tenure] = append(tenures[b.Tenure], b.Hash.String())
	}
	for tenure, want := range tenures {
		path := fmt.Sprintf("/extended/v2/block-tenures/%d/blocks", tenure)
		same(t, fmt.Sprintf("tenure %d", tenure), textsOf(h.Pages(path, 3), "hash"), reversed(want))
		if got := h.Object(path + "?offset=300"); got["total"] != float64(len(want)) || len(got["results"].([]any)) != 0 {
			t.Errorf("tenure %d: got %v", tenure, got)
		}
	}
	if got := h.Object("/extended/v2/block-tenures/999999/blocks"); got["total"] != 0.0 {
		t.Errorf("got %v", got)
	}
}

func (h *history) TimesOfBlocks(t *testing.T) {
	last := func(at int64) (found Fields) {
		for _, body := range h.blocks {
			if time := timeOf(body); time <= at && (found == nil || time >= timeOf(found)) {
				found = body
			}
		}
		return found
	}
	for i, body := range h.blocks {
		if i%9 != 0 {
			continue
		}
		for _, at := range []int64{timeOf(body), timeOf(body) + 1} {
			if got := h.Object(fmt.Sprintf("/extended/v2/blocks/by-block-time/%d", at)); got["hash"] != last(at)["block_hash"] {
				t.Errorf("%d: got %v, want %v", at, got["hash"], last(at)["block_hash"])
			}
		}
	}
	got := h.Object("/extended/v2/blocks/average-times")
	for name, span := range map[string]int64{"last_1h": 3600, "last_24h": 86400, "last_7d": 7 * 86400, "last_30d": 30 * 86400} {
		newest := timeOf(h.blocks[len(h.blocks)-1])
		sum, n := int64(0), int64(0)
		for i := len(h.blocks) - 1; i > 0 && timeOf(h.blocks[i-1]) > 0 && timeOf(h.blocks[i]) > newest-span; i-- {
			sum += timeOf(h.blocks[i]) - timeOf(h.blocks[i-1])
			n++
		}
		want := 0.0
		if n > 0 {
			want = float64(sum) / float64(n)
		}
		if mean, ok := got[name].(float64); !ok || mean < want-0.0051 || mean > want+0.0051 || sum == 0 {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
}

func (h *history) SignaturesOfBlocks(t *testing.T) {
	some := 0
	for _, body := range h.blocks {
		path := fmt.Sprintf("/extended/v2/blocks/%v/signer-signatures", body["block_height"])
		signatures, _ := body["signer_signature"].([]any)
		if some += len(signatures); len(signatures) == 0 && some > 0 {
			continue
		}
		got := h.Object(path + "?limit=2&offset=1")
		want := signatures[min(1, len(signatures)):min(3, len(signatures))]
		for i, signature := range want {
			want[i] = "0x" + strings.TrimPrefix(fmt.Sprint(signature), "0x")
		}
		if AsJSON(t, got["results"]) != AsJSON(t, want) && len(want) > 0 || got["total"] != float64(len(signatures)) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if some == 0 {
		t.Error("nothing is signed")
	}
	if got := h.Object("/extended/v2/blocks/99999/signer-signatures"); got["total"] != 0.0 {
		t.Errorf("got %v", got)
	}
}

// plansOfBlocks makes the chain long, and expects that a page anywhere costs what is shown.
func (h *history) PlansOfBlocks(t *testing.T) {
	const n = 20_000
	tip := h.Truth.Tip
	h.Exec(schemas.In(`
		INSERT INTO {chain}.block
		SELECT made.*
		FROM {chain}.block b CROSS JOIN generate_series(1, $1::int) i
		CROSS JOIN jsonb_populate_record(b, jsonb_build_object('source_seq', 100000 + i, 'height', b.height + i, 'block_time', b.block_time + 5 * i, 'tenure_height', b.tenure_height + i / 1000,
			'index_block_hash', '\x' || encode(sha256(('i' || i)::bytea), 'hex'), 'block_hash', '\x' || encode(sha256(('b' || i)::bytea), 'hex'),
			'burn_block_hash', '\x' || encode(sha256(('u' || i / 100)::bytea), 'hex'), 'burn_block_height', b.burn_block_height + 1 + i / 100)) made
		WHERE b.index_block_hash = $2`), n, tip.IndexHash)
	h.Exec(schemas.In(`INSERT INTO {chain}.canonical SELECT height, source_seq, source_seq FROM {chain}.block WHERE source_seq > 100000`))
	h.Exec(schemas.In(`
		INSERT INTO {accounts}.block
		SELECT made.*
		FROM {chain}.block b JOIN {accounts}.block a ON a.index_block_hash = $1
		CROSS JOIN jsonb_populate_record(a, jsonb_build_object('source_seq', b.source_seq, 'height', b.height, 'block_time', b.block_time, 'tenure_height', b.tenure_height,
			'burn_blocks', a.burn_blocks + 1 + (b.source_seq - 100000) / 100, 'first_tx', a.last_tx + 1, 'index_block_hash', b.index_block_hash, 'block_hash', b.block_hash,
			'burn_block_hash', b.burn_block_hash, 'burn_block_height', b.burn_block_height, 'touched', '[]'::jsonb)) made
		WHERE b.source_seq > 100000`), tip.IndexHash)
	h.Exec(`UPDATE strata.projection SET block_height = block_height + $1::int, burn_block_height = burn_block_height + 1 + $1::int / 100 WHERE name IN ('chain', 'accounts')`, n)
	h.Exec(schemas.In(`VACUUM ANALYZE {chain}.block, {chain}.canonical, {accounts}.block`))
	newest, deep := int(tip.Height)+n, int(tip.Height)+n/2
	var cursor string
	must.Do(t, h.Pool.QueryRow(t.Context(), schemas.In(`SELECT encode(index_block_hash, 'hex') FROM {chain}.block WHERE source_seq = 110000`)).Scan(&cursor))
	h.Costs(t, map[string]int64{
		"/extended/v1/block":                                                                          800,
		"/extended/v1/block?limit=30&cursor=" + cursor:                                                1000,
		fmt.Sprintf("/extended/v1/block/by_height/%d", deep):                                          60,
		"/extended/v1/block/" + cursor:                                                                60,
		fmt.Sprintf("/extended/v1/block/by_burn_block_height/%d", int(tip.BurnHeight)+100):            60,
		"/extended/v2/blocks?cursor=" + cursor:                                                        500,
		"/extended/v2/burn-blocks?limit=5":                                                            200,
		"/extended/v2/burn-blocks?limit=5&offset=100":                                                 200,
		"/extended/v2/burn-blocks/latest":                                                             50,
		fmt.Sprintf("/extended/v2/burn-blocks/%d/blocks", int(tip.BurnHeight)+100):                    300,
		fmt.Sprintf("/extended/v2/block-tenures/%d/blocks?offset=300", tip.Tenure+9):                  300,
		"/extended/v2/blocks/average-times":                                                           60,
		fmt.Sprintf("/extended/v2/blocks/by-block-time/%d", timeOf(h.blocks[len(h.blocks)-1])+50_000): 20,
		fmt.Sprintf("/extended/v2/blocks/%d/signer-signatures", newest):                               20,
	})
}

// happenings are all of them.
func (h *history) happenings() (all []happening) {
	for _, block := range h.blocks {
		events := map[string][]Fields{}
		for _, event := range objectsOf(block["events"]) {
			events[fmt.Sprint(event["txid"])] = append(events[fmt.Sprint(event["txid"])], event)
		}
		status := map[string]string{}
		for _, tx := range objectsOf(block["transactions"]) {
			status[fmt.Sprint(tx["txid"])] = fmt.Sprint(tx["status"])
		}
		for _, id := range executed(block) {
			number := 0
			slices.SortStableFunc(events[id], func(a, b Fields) int { return cmp.Compare(numberOf(a["event_index"]), numberOf(b["event_index"])) })
			for _, event := range events[id] {
				if committed, ok := event["committed"].(bool); status[id] == "success" && (!ok || committed) {
					all = append(all, happening{event: event, txid: id, height: int(numberOf(block["block_height"])), number: number})
					number++
				}
			}
		}
	}
	return all
}

// busiest is what most events of a type are of.
func (h *history) Busiest(kind, member string) (most string) {
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

func (h *history) HoldersOfTokens(t *testing.T) {
	type held struct {
		account string
		balance *big.Int
	}
	of := map[string][]held{}
	for account, balance := range h.Truth.Balances {
		of["stx"] = append(of["stx"], held{account, new(big.Int).SetUint64(balance)})
	}
	for token, balance := range h.Truth.Tokens {
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
			h.lists(t, path, limit, func(x Fields) string { return fmt.Sprint(x["address"], " ", x["balance"]) }, want)
		}
		supply := h.Truth.Liquid()
		if asset != "stx" {
			supply = h.Truth.Supplies[asset]
		}
		page := h.Object(path + "?limit=2&offset=1")
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
	if got := h.Object("/extended/v1/tokens/ft/none/holders"); got["total"] != 0.0 || got["total_supply"] != "0" {
		t.Errorf("got %v", got)
	}
	h.traces("/extended/v1/tokens/ft/stx/holders?limit=5", map[string]int{"balances.holding": 5, "balances.asset": 1})
}

func (h *history) NonFungible(t *testing.T) {
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
		rows := h.lists(t, path, 1, func(r Fields) string {
			return line(fmt.Sprint(r["asset_event_type"]), fmt.Sprint(r["tx_id"]), r["event_index"])
		}, want)
		for _, r := range rows {
			for side, without := range map[string]string{"sender": "mint", "recipient": "burn"} {
				if who, said := r[side]; !said || (who == nil) != (r["asset_event_type"] == without) {
					t.Errorf("%v: got %v, want a %s, or null for a %s", of, r, side, without)
				}
			}
		}
		if looked == 1 {
			whole := h.Object(path + "&tx_metadata=true")["results"].([]any)[0].(map[string]any)
			if tx, _ := whole["tx"].(map[string]any); tx == nil || tx["tx_id"] != rows[0]["tx_id"] || whole["tx_id"] != nil {
				t.Errorf("got %v", whole)
			}
			h.traces(path, map[string]int{"balances.nft_event": len(want)})
		}
	}
	for asset, events := range mints {
		var want []string
		for _, e := range reversed(events) {
			want = append(want, line(fmt.Sprint(e.data()["raw_value"]), e.txid, e.number))
		}
		h.lists(t, "/extended/v1/tokens/nft/mints?asset_identifier="+url.QueryEscape(asset), 4, func(r Fields) string {
			return line(fmt.Sprint(r["value"].(map[string]any)["hex"]), fmt.Sprint(r["tx_id"]), r["event_index"])
		}, want)
	}
	owned := map[string][]token{}
	for item, owner := range h.Truth.Items {
		owned[owner] = append(owned[owner], token{item.Asset, item.Value})
	}
	for owner, tokens := range owned {
		slices.SortFunc(tokens, func(a, b token) int { return cmp.Compare(got[b], got[a]) })
		for _, asset := range []string{"", tokens[0].asset} {
			path, want := "/extended/v1/tokens/nft/holdings?principal="+owner, []string(nil)
			if asset != "" {
				path += "&asset_identifiers=" + url.QueryEscape(asset+","+Alice+".none::none")
			}
			for _, of := range tokens {
				if asset == "" || asset == of.asset {
					want = append(want, of.asset+" "+of.value)
				}
			}
			h.lists(t, path, 3, func(r Fields) string {
				return fmt.Sprint(r["asset_identifier"], " ", r["value"].(map[string]any)["hex"])
			}, want)
		}
	}
	for path, want := range map[string]string{
		"holdings?principal=x": "Invalid or missing principal", "holdings?principal=" + Alice + "&asset_identifiers=x": "Invalid asset identifier",
		"history?asset_identifier=x&value=00": "Invalid or missing asset_identifier", "mints?asset_identifier=x": "Invalid or missing asset_identifier",
		"history?value=0x1&asset_identifier=" + url.QueryEscape(Art): "Hex string is an odd number of digits", "history?asset_identifier=x": "querystring must have required property 'value'",
	} {
		h.refuses("/extended/v1/tokens/nft/"+path, http.StatusBadRequest, `"message":"`+want+`"`)
	}
}

func (h *history) SupplyOfSTX(t *testing.T) {
	micro := h.Truth.Liquid().String()
	stx := micro[:len(micro)-6] + "." + micro[len(micro)-6:]
	got := h.Object("/extended/v1/stx_supply")
	if got["total_stx"] != stx || got["unlocked_stx"] != stx || got["unlocked_percent"] != "100.00" || got["block_height"] != float64(h.Truth.Tip.Height) {
		t.Errorf("got %v, want %s", got, stx)
	}
	for _, path := range []string{"total", "circulating"} {
		if got := h.Get("/extended/v1/stx_supply/" + path + "/plain"); got.Body != stx || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("got %s %v, want %s", got.Body, got.Header, stx)
		}
	}
	if got := h.Object("/extended/v3/tokens/stx/supply"); got["total"] != micro || got["projected_total_2050"] != "2318000000000000" {
		t.Errorf("got %v", got)
	}
	legacy := h.Object("/extended/v1/stx_supply/legacy_format")
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
			if got := h.Object(fmt.Sprintf("/extended/v1/stx_supply?height=%v", block["block_height"])); got["total_stx"] != want {
				t.Errorf("block %v: got %v, want %s", block["block_height"], got["total_stx"], want)
			}
		}
	}
	h.refuses("/extended/v1/stx_supply?height=99999", http.StatusNotFound, "")
}

func (h *history) PrintsOfContracts(t *testing.T) {
	contract := h.Busiest("contract_event", "contract_identifier")
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
		lines := func(rows []Fields) (shown []string) {
			return mapped(rows, func(r Fields) string { return line(r["tx_id"], r["event_index"]) })
		}
		rows, _ := h.walk("/extended/v1/contract/"+contract+"/events?"+query, 4)
		same(t, query, lines(rows), want)
		for _, limit := range []int{1, 7} {
			same(t, fmt.Sprintf("%s, limit %d", query, limit), lines(h.Pages("/extended/v2/smart-contracts/"+contract+"/logs?"+query, limit)), want)
		}
	}
	middle := all[len(all)/2].height
	check("", 0, 1<<30)
	check(fmt.Sprintf("from_block=%d", middle), middle, 1<<30)
	check(fmt.Sprintf("to_block=%d", middle), 0, middle)
	check(fmt.Sprintf("from_block=%d&to_block=%d", middle, middle), middle, middle)
	check("topic=nothing+has+it", 1, 0)
	senders, topics := map[string]int{}, map[string]int{}
	type said struct{ Sender, Topic string }
	both := map[said]int{}
	for _, of := range collect(h.Site, pgx.RowToStructByPos[said], schemas.In(`
		SELECT coalesce(s.account, ''), coalesce(t.name, '') FROM {accounts}.contract_event e JOIN {accounts}.account a ON a.id = e.contract
		LEFT JOIN {accounts}.account s ON s.id = e.sender LEFT JOIN {accounts}.contract_topic t ON t.contract = e.contract AND t.topic = e.topic WHERE a.account = $1`), contract) {
		senders[of.Sender]++
		topics[of.Topic]++
		both[of]++
	}
	for sender, n := range senders {
		if got, _ := h.walk("/extended/v1/contract/"+contract+"/events?sender="+sender, 3); sender != "" && len(got) != n {
			t.Errorf("%s: got %d, want %d", sender, len(got), n)
		}
	}
	for topic, n := range topics {
		if got := h.Pages("/extended/v2/smart-contracts/"+contract+"/logs?topic="+url.QueryEscape(topic), 3); topic != "" && len(got) != n {
			t.Errorf("%s: got %d, want %d", topic, len(got), n)
		}
	}
	for of, n := range both {
		if of.Sender == "" || of.Topic == "" {
			continue
		}
		if got, _ := h.walk("/extended/v1/contract/"+contract+"/events?sender="+of.Sender+"&topic="+url.QueryEscape(of.Topic), 2); len(got) != n {
			t.Errorf("%v: got %d, want %d", of, len(got), n)
		}
	}
	h.refuses("/extended/v2/smart-contracts/"+contract+"/logs?cursor=1:2:3:4", http.StatusNotFound, "Cursor not found")
	h.traces("/extended/v2/smart-contracts/"+contract+"/logs?limit=3", map[string]int{"chain.event": 3})
}

func (h *history) ContractsByTrait(t *testing.T) {
	all := objectsOf(h.Object("/extended/v1/contract/by_trait?limit=50&trait_abi=" + url.QueryEscape(`{"functions":[]}`))["results"])
	if len(all) != min(len(h.Truth.Contracts), 50) {
		t.Errorf("got %d contracts, want %d", len(all), len(h.Truth.Contracts))
	}
	found := 0
	for _, c := range all {
		abi, ok := c["abi"].(string)
		if !ok {
			continue
		}
		var said struct{ Functions []map[string]any }
		DecodeJSON(t, abi, &said)
		if len(said.Functions) == 0 {
			continue
		}
		for _, arg := range objectsOf(said.Functions[0]["args"]) {
			arg["name"] = "x" // which makes no difference
		}
		path := "/extended/v1/contract/by_trait?limit=50&trait_abi=" + url.QueryEscape(AsJSON(t, map[string]any{"functions": said.Functions[:1]}))
		ids := textsOf(objectsOf(h.Object(path)["results"]), "contract_id")
		if !slices.Contains(ids, fmt.Sprint(c["contract_id"])) || len(ids) == len(all) {
			t.Errorf("%v: got %v", c["contract_id"], ids)
		}
		said.Functions[0]["name"] = "another-name"
		path = "/extended/v1/contract/by_trait?trait_abi=" + url.QueryEscape(AsJSON(t, map[string]any{"functions": said.Functions}))
		h.refuses(path, http.StatusNotFound, "cannot find contract for this trait")
		if found++; found == 5 {
			break
		}
	}
	if found == 0 {
		t.Error("no contract has functions")
	}
	for _, bad := range []string{"x", "[]", "{}", `{"functions":[{"name":"x"}]}`} {
		h.refuses("/extended/v1/contract/by_trait?trait_abi="+url.QueryEscape(bad), http.StatusBadRequest, "Invalid 'trait_abi'")
	}
}

func (h *history) Searches(t *testing.T) {
	newest := h.blocks[len(h.blocks)-1]
	ids := executed(newest)
	expect := func(term, kind, data string) {
		t.Helper()
		for _, query := range []string{"", "?include_metadata=true"} {
			got := h.Object("/extended/v1/search/" + url.PathEscape(term) + query)
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
	expect(h.Truth.Tip.Hash.String(), "block_hash", "block_data")
	expect(h.newestID(), "block_hash", "block_data")
	for contract := range h.Truth.Contracts {
		expect(contract, "contract_address", "tx_data")
		break
	}
	for account := range h.Truth.Nonces {
		if !strings.Contains(account, ".") {
			expect(account, "standard_address", "")
			break
		}
	}
	for term, want := range map[string]string{
		ID(9, 9).String(): `{"found":false,"result":{"entity_type":"unknown_hash"},"error":"No block or transaction found with hash \"` + ID(9, 9).String() + `\""}`,
		Alice:             `{"found":false,"result":{"entity_type":"standard_address"},"error":"No principal found with address \"` + Alice + `\""}`,
		Alice + ".x":      `{"found":false,"result":{"entity_type":"contract_address"},"error":"No principal found with address \"` + Alice + `.x\""}`,
		"x":               `{"found":false,"result":{"entity_type":"invalid_term"},"error":"The term \"x\" is not a valid block hash, transaction ID, contract principal, or account address principal"}`,
	} {
		if got := h.Get("/extended/v1/search/" + term); got.Status != http.StatusNotFound || got.Body != want {
			t.Errorf("%s: got %d %s, want %s", term, got.Status, got.Body, want)
		}
	}
}
