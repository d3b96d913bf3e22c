package readapi_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/replay"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/readapi"
)

// history is an API over a made-up chain with forks, the truth about it, and the bodies of its blocks.
type history struct {
	*site
	truth  synthchain.State
	bodies map[string]fields // of blocks by index block hash, orphans included
	blocks []fields          // the bodies of the canonical ones, the first first
}

func newHistory(t *testing.T, generation synthchain.Generation, n int) *history {
	t.Helper()
	config := synthchain.Everything(5, generation)
	config.SigningSample, config.Accounts, config.Maturity = 1000, 12, 6
	made := synthchain.New(config)
	log := replay.NewLog(t)
	h := &history{bodies: map[string]fields{}}
	var posts []replay.Post
	for range n {
		posts = append(posts, replay.Post(made.Next()))
	}
	replay.Append(t, log, posts...)
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	replay.Run(t, log, canonical, accounts.New(), balances.New(nil))
	h.site, h.truth = newSiteOn(t, log.Pool(), readapi.Config{}), made.Expected()
	for _, post := range posts {
		if post.Path == "/new_block" {
			var body fields
			decodeJSON(t, string(post.Body), &body)
			if id := fmt.Sprint(body["index_block_hash"]); h.bodies[id] == nil { // what comes again may say less
				h.bodies[id] = body
			}
		}
	}
	for _, b := range h.truth.Blocks {
		h.blocks = append(h.blocks, h.bodies[b.IndexHash.String()])
	}
	return h
}

// pages are all results of a list with cursors, from its newest page on.
func (s *site) pages(path string, limit int) (results []fields) {
	s.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	target := fmt.Sprintf("%s%slimit=%d", path, separator, limit)
	var total any
	for next, before := target, any(nil); ; {
		page := s.object(next)
		if total != nil && page["total"] != total {
			s.t.Errorf("%s: got a total of %v, and %v before", next, page["total"], total)
		}
		total = page["total"]
		for _, one := range page["results"].([]any) {
			results = append(results, one.(map[string]any))
		}
		if limit == 1 && page["next_cursor"] != before {
			s.t.Errorf("%s: got %v before this page, want %v", next, page["next_cursor"], before)
		}
		if before = page["cursor"]; page["prev_cursor"] == nil {
			break
		}
		next = fmt.Sprintf("%s&cursor=%v", target, page["prev_cursor"])
	}
	if total != float64(len(results)) {
		s.t.Errorf("%s: got %d rows of %v", path, len(results), total)
	}
	return results
}

// strings of a member of objects.
func textsOf(objects []fields, member string) (texts []string) {
	for _, o := range objects {
		texts = append(texts, fmt.Sprint(o[member]))
	}
	return texts
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// timeOf is the time of a block by its body.
func timeOf(body fields) (time int64) {
	text := body["block_time"]
	if text == nil {
		text = body["burn_block_time"]
	}
	_, _ = fmt.Sscan(fmt.Sprint(text), &time)
	return time
}

func TestBlocksOfChain(t *testing.T) {
	t.Parallel()
	h := newHistory(t, synthchain.V30, 300)
	t.Run("version 1", h.blocksOfVersion1)
	t.Run("Bitcoin", h.blocksOfBitcoin)
	t.Run("tenures", h.blocksOfTenures)
	t.Run("times", h.timesOfBlocks)
	t.Run("signatures", h.signaturesOfBlocks)
	t.Run("shapes", func(t *testing.T) {
		for name, path := range map[string]string{
			"block_v1": "/extended/v1/block?limit=1", "burn_blocks": "/extended/v2/burn-blocks?limit=2", "average_times": "/extended/v2/blocks/average-times",
			"signer_signatures": "/extended/v2/blocks/latest/signer-signatures", "tenure_blocks": fmt.Sprintf("/extended/v2/block-tenures/%d/blocks?limit=1", h.truth.Tip.Tenure),
		} {
			golden(t, "chain_"+name, h.get(path).body)
		}
	})
	t.Run("plans", h.plansOfBlocks)
}

// executed are the ids of the transactions of a block in the order of execution, those of microblocks first.
func executed(body fields) (ids []string) {
	list := slices.Clone(body["transactions"].([]any))
	sequence := func(tx any) (n int) {
		n = 1 << 31
		_, _ = fmt.Sscan(fmt.Sprint(tx.(map[string]any)["microblock_sequence"]), &n)
		return n
	}
	slices.SortStableFunc(list, func(a, b any) int { return cmp.Compare(sequence(a), sequence(b)) })
	for _, tx := range list {
		ids = append(ids, fmt.Sprint(tx.(map[string]any)["txid"]))
	}
	return ids
}

func (h *history) blocksOfVersion1(t *testing.T) {
	var hashes []string
	for _, b := range h.truth.Blocks {
		hashes = append(hashes, b.Hash.String())
	}
	for _, limit := range []int{1, 17} {
		if got := textsOf(h.pages("/extended/v1/block", limit), "hash"); !slices.Equal(got, reversed(hashes)) {
			t.Errorf("limit %d: got %v", limit, got)
		}
	}
	check := func(path string, body fields, canonical bool) {
		t.Helper()
		got := h.object(path)
		if want := asJSON(t, reversed(executed(body))); asJSON(t, got["txs"]) != want || got["canonical"] != canonical || got["hash"] != body["block_hash"] ||
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
	first, last := map[string]fields{}, map[string]fields{}
	for _, body := range h.blocks {
		burn := fmt.Sprint(body["burn_block_height"])
		if first[burn] == nil {
			first[burn] = body
		}
		last[burn] = body
	}
	for burn, body := range first {
		check("/extended/v1/block/by_burn_block_height/"+burn, body, true)
		check(fmt.Sprintf("/extended/v1/block/by_burn_block_hash/%v", body["burn_block_hash"]), last[burn], true)
	}
	for path, want := range map[string]string{
		"/extended/v1/block/by_height/99999":                              "cannot find block by height",
		"/extended/v1/block/" + id(9, 9).String():                         "cannot find block by hash",
		"/extended/v1/block/by_burn_block_hash/" + id(9, 9).String():      "cannot find block by burn block hash",
		"/extended/v1/block/by_burn_block_height/99999999":                "cannot find block by height",
		"/extended/v1/block?cursor=" + id(9, 9).String():                  "Cursor not found",
		"/extended/v1/microblock/" + id(9, 9).String():                    "cannot find microblock by hash",
		"/extended/v2/burn-blocks/1":                                      "Not found",
		"/extended/v2/burn-blocks/1/blocks":                               "Burn block not found",
		"/extended/v2/burn-blocks?cursor=" + id(9, 9).String():            "Cursor not found",
		"/extended/v2/block-tenures/1/blocks?cursor=" + h.newestID():      "Cursor not found",
		"/extended/v2/block-tenures/999999/blocks?cursor=" + h.newestID(): "Cursor not found",
	} {
		if got := h.get(path); got.status != http.StatusNotFound || !strings.Contains(got.body, `"message":"`+want+`"`) {
			t.Errorf("%s: got %d %s, want %s", path, got.status, got.body, want)
		}
	}
	traced := h.trace(fmt.Sprintf("/extended/v1/block/by_height/%d", h.truth.Tip.Height), 200)
	if got := len(traced.in("chain.transaction")); got != h.truth.Tip.Transactions {
		t.Errorf("got %d transactions behind a block of %d", got, h.truth.Tip.Transactions)
	}
}

func (h *history) newestID() string { return h.truth.Tip.IndexHash.String() }

func (h *history) blocksOfBitcoin(t *testing.T) {
	var order []string
	blocks, txs := map[string][]string{}, map[string]int{}
	for _, b := range h.truth.Blocks {
		burn := b.BurnHash.String()
		if len(blocks[burn]) == 0 {
			order = append(order, burn)
		}
		blocks[burn], txs[burn] = append(blocks[burn], b.Hash.String()), txs[burn]+b.Transactions
	}
	many := 0
	for _, limit := range []int{1, 7, 30} {
		got := h.pages("/extended/v2/burn-blocks", limit)
		if !slices.Equal(textsOf(got, "burn_block_hash"), reversed(order)) {
			t.Fatalf("limit %d: got %v, want %v", limit, textsOf(got, "burn_block_hash"), reversed(order))
		}
		for _, b := range got {
			burn := fmt.Sprint(b["burn_block_hash"])
			if asJSON(t, b["stacks_blocks"]) != asJSON(t, reversed(blocks[burn])) || b["total_tx_count"] != float64(txs[burn]) {
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
		one := h.object("/extended/v2/burn-blocks/" + burn)
		if got := h.object(fmt.Sprintf("/extended/v2/burn-blocks/%.0f", one["burn_block_height"])); asJSON(t, got) != asJSON(t, one) {
			t.Errorf("got %v, want %v", got, one)
		}
		page := h.object(fmt.Sprintf("/extended/v2/burn-blocks?limit=1&offset=%d", len(order)-1-i))
		if asJSON(t, page["results"]) != "["+asJSON(t, one)+"]" {
			t.Errorf("offset %d: got %v, want %v", i, page, one)
		}
		if got := textsOf(h.pages("/extended/v2/burn-blocks/"+burn+"/blocks", 2), "hash"); !slices.Equal(got, reversed(blocks[burn])) {
			t.Errorf("got %v, want %v", got, reversed(blocks[burn]))
		}
		if traced := h.trace("/extended/v2/burn-blocks/"+burn, 200); len(traced.in("accounts.block")) != len(blocks[burn]) {
			t.Errorf("got %v", traced.Rows)
		}
	}
	if got := h.object("/extended/v2/burn-blocks/latest"); got["burn_block_hash"] != order[len(order)-1] {
		t.Errorf("got %v", got)
	}
}

func (h *history) blocksOfTenures(t *testing.T) {
	tenures := map[uint64][]string{}
	for _, b := range h.truth.Blocks {
		tenures[b.Tenure] = append(tenures[b.Tenure], b.Hash.String())
	}
	for tenure, want := range tenures {
		path := fmt.Sprintf("/extended/v2/block-tenures/%d/blocks", tenure)
		if got := textsOf(h.pages(path, 3), "hash"); !slices.Equal(got, reversed(want)) {
			t.Errorf("tenure %d: got %v, want %v", tenure, got, reversed(want))
		}
		if got := h.object(path + "?offset=300"); got["total"] != float64(len(want)) || len(got["results"].([]any)) != 0 {
			t.Errorf("tenure %d: got %v", tenure, got)
		}
	}
	if got := h.object("/extended/v2/block-tenures/999999/blocks"); got["total"] != 0.0 {
		t.Errorf("got %v", got)
	}
}

func (h *history) timesOfBlocks(t *testing.T) {
	last := func(at int64) (found fields) {
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
			if got := h.object(fmt.Sprintf("/extended/v2/blocks/by-block-time/%d", at)); got["hash"] != last(at)["block_hash"] {
				t.Errorf("%d: got %v, want %v", at, got["hash"], last(at)["block_hash"])
			}
		}
	}
	got := h.object("/extended/v2/blocks/average-times")
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

func (h *history) signaturesOfBlocks(t *testing.T) {
	some := 0
	for _, body := range h.blocks {
		path := fmt.Sprintf("/extended/v2/blocks/%v/signer-signatures", body["block_height"])
		signatures, _ := body["signer_signature"].([]any)
		if some += len(signatures); len(signatures) == 0 && some > 0 {
			continue
		}
		got := h.object(path + "?limit=2&offset=1")
		want := signatures[min(1, len(signatures)):min(3, len(signatures))]
		for i, signature := range want {
			want[i] = "0x" + strings.TrimPrefix(fmt.Sprint(signature), "0x")
		}
		if asJSON(t, got["results"]) != asJSON(t, want) && len(want) > 0 || got["total"] != float64(len(signatures)) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if some == 0 {
		t.Error("nothing is signed")
	}
	if got := h.object("/extended/v2/blocks/99999/signer-signatures"); got["total"] != 0.0 {
		t.Errorf("got %v", got)
	}
}

// plansOfBlocks makes the chain long, and expects that a page anywhere costs what is shown.
func (h *history) plansOfBlocks(t *testing.T) {
	const n = 20_000
	tip := h.truth.Tip
	h.exec(`
		INSERT INTO chain_v3.block
		SELECT made.*
		FROM chain_v3.block b CROSS JOIN generate_series(1, $1::int) i
		CROSS JOIN jsonb_populate_record(b, jsonb_build_object('source_seq', 100000 + i, 'height', b.height + i, 'block_time', b.block_time + 5 * i, 'tenure_height', b.tenure_height + i / 1000,
			'index_block_hash', '\x' || encode(sha256(('i' || i)::bytea), 'hex'), 'block_hash', '\x' || encode(sha256(('b' || i)::bytea), 'hex'),
			'burn_block_hash', '\x' || encode(sha256(('u' || i / 100)::bytea), 'hex'), 'burn_block_height', b.burn_block_height + 1 + i / 100)) made
		WHERE b.index_block_hash = $2`, n, tip.IndexHash)
	h.exec(`INSERT INTO chain_v3.canonical SELECT height, source_seq, source_seq FROM chain_v3.block WHERE source_seq > 100000`)
	h.exec(`
		INSERT INTO accounts_v3.block
		SELECT made.*
		FROM chain_v3.block b JOIN accounts_v3.block a ON a.index_block_hash = $1
		CROSS JOIN jsonb_populate_record(a, jsonb_build_object('source_seq', b.source_seq, 'height', b.height, 'block_time', b.block_time, 'tenure_height', b.tenure_height,
			'burn_blocks', a.burn_blocks + 1 + (b.source_seq - 100000) / 100, 'first_tx', a.last_tx + 1, 'index_block_hash', b.index_block_hash, 'block_hash', b.block_hash,
			'burn_block_hash', b.burn_block_hash, 'burn_block_height', b.burn_block_height, 'touched', '[]'::jsonb)) made
		WHERE b.source_seq > 100000`, tip.IndexHash)
	h.exec(`UPDATE strata.projection SET block_height = block_height + $1::int, burn_block_height = burn_block_height + 1 + $1::int / 100 WHERE name IN ('chain', 'accounts')`, n)
	h.exec(`VACUUM ANALYZE chain_v3.block, chain_v3.canonical, accounts_v3.block`)
	newest, deep := int(tip.Height)+n, int(tip.Height)+n/2
	var cursor string
	if err := h.pool.QueryRow(t.Context(), `SELECT encode(index_block_hash, 'hex') FROM chain_v3.block WHERE source_seq = 110000`).Scan(&cursor); err != nil {
		t.Fatal(err)
	}
	h.costs(t, map[string]int64{
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
