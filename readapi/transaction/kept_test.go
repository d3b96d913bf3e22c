package transaction_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/domain/shard"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// A block that has nothing to do with an answer leaves its entity tag as it is: so clients need not take it again.
func TestTransactionsKept(t *testing.T) {
	t.Parallel()
	s, _, ids := newTransactionWorld(t)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{})
	known := ids["events"].String()
	targets := []string{
		"/extended/v1/tx/" + known, "/extended/v1/tx/" + known + "/raw", "/extended/v1/tx/multiple?tx_id=" + known, "/extended/v1/tx/events?tx_id=" + known,
		"/extended/v1/tx/block/" + idOfBlock(58), "/extended/v1/tx/block_height/58", "/extended/v2/blocks/58/transactions", "/extended/v2/blocks/" + idOfBlock(58) + "/transactions",
		"/extended/v3/transactions/" + known, "/extended/v3/transactions/" + known + "/events", "/extended/v3/blocks/58/transactions",
		"/extended/v1/contract/" + apitest.Alice + ".coin", "/extended/v2/smart-contracts/status?contract_id=" + apitest.Alice + ".coin",
	}
	before := map[string]apitest.Reply{}
	for _, target := range targets {
		first, second := k.Get(target), k.Get(target)
		if first.Status != http.StatusOK || first.Header.Get("ETag") == "" || second.Header.Get("ETag") != first.Header.Get("ETag") || second.Body != first.Body {
			t.Errorf("%s: got %d with %q, and then %d with %q", target, first.Status, first.Header.Get("ETag"), second.Status, second.Header.Get("ETag"))
		}
		before[target] = first
	}
	check.Equal(t, "reads", k.Reads(), len(targets))
	s.Advance("chain", shard.Height(61))
	k.Seen("/extended/v2/blocks")
	for _, target := range targets {
		got := k.Get(target)
		if got.Header.Get("ETag") != before[target].Header.Get("ETag") || got.Body != before[target].Body {
			t.Errorf("%s: a block that has nothing to do with it changed %s to %s", target, before[target].Header.Get("ETag"), got.Header.Get("ETag"))
		}
		check.Equal(t, fmt.Sprintf("%s: for an answer that the client has", target), k.Request(http.MethodGet, target, "If-None-Match", before[target].Header.Get("ETag")).Status, http.StatusNotModified)
	}
	s.Exec(`DELETE FROM chain_v1.canonical WHERE height = 58`)
	s.Advance("chain", shard.Height(58), shard.Block(apitest.ID(apitest.IndexHash, 58)), shard.Block(apitest.ID(apitest.BlockHash, 58)))
	k.Seen("/extended/v2/blocks")
	for _, target := range targets[:11] {
		if got := k.Get(target); got.Header.Get("ETag") == before[target].Header.Get("ETag") && !strings.HasSuffix(target, "/raw") {
			t.Errorf("%s: an orphaned block left its ETag as it was", target)
		}
	}
}

// What is deep in the chain may be kept by clients for an hour; what is at its end, or may change otherwise, may not.
func TestTransactionsSettle(t *testing.T) {
	t.Parallel()
	s, _, ids := newTransactionWorld(t)
	deep := apitest.Transfer(t, 12)
	s.Mine(130, apitest.MinedTx{Tx: deep})
	s.Orphan(170, 31)
	orphaned := apitest.Transfer(t, 13)
	s.Mine(170, apitest.MinedTx{Tx: orphaned})
	const settled, tip = "public, max-age=3600, must-revalidate", "public, no-cache, must-revalidate"
	for target, want := range map[string]string{
		"/extended/v1/tx/" + deep.TxID().String():                                    settled,
		"/extended/v1/tx/" + deep.TxID().String() + "/raw":                           settled,
		"/extended/v3/transactions/" + deep.TxID().String():                          settled,
		"/extended/v3/transactions/" + deep.TxID().String() + "/events":              settled,
		"/extended/v1/tx/block_height/30":                                            settled,
		"/extended/v1/tx/block/" + idOfBlock(30):                                     settled,
		"/extended/v2/blocks/30/transactions":                                        settled,
		"/extended/v3/blocks/30/transactions":                                        settled,
		"/extended/v1/tx/" + ids["events"].String():                                  tip,
		"/extended/v2/blocks/58/transactions":                                        tip,
		"/extended/v2/blocks/latest/transactions":                                    tip,
		"/extended/v1/tx/" + orphaned.TxID().String():                                tip,
		"/extended/v1/tx/block/" + idOfBlock(170):                                    tip,
		"/extended/v1/tx/multiple?tx_id=" + deep.TxID().String():                     tip,
		"/extended/v1/tx/events?tx_id=" + deep.TxID().String():                       tip,
		"/extended/v1/contract/" + apitest.Alice + ".coin":                           tip,
		"/extended/v2/smart-contracts/status?contract_id=" + apitest.Alice + ".coin": tip,
	} {
		if got := s.Get(target); got.Status != http.StatusOK || got.Header.Get("Cache-Control") != want {
			t.Errorf("%s: got %d with %q, want %q", target, got.Status, got.Header.Get("Cache-Control"), want)
		}
	}
}

// Before the first block there is nothing to find, and nothing fails.
func TestTransactionsBeforeTheFirst(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	some := apitest.ID(apitest.TxHash, 1).String()
	for _, before := range []string{"the projection", "the first block"} {
		for target, want := range map[string]int{
			"/extended/v1/tx/" + some: 404, "/extended/v1/tx/" + some + "/raw": 404, "/extended/v1/tx/multiple?tx_id=" + some: 200, "/extended/v1/tx/events?tx_id=" + some: 200,
			"/extended/v1/tx/block/" + some: 404, "/extended/v1/tx/block_height/1": 404, "/extended/v2/blocks/latest/transactions": 404,
			"/extended/v3/transactions/" + some: 404, "/extended/v3/transactions/" + some + "/events": 404, "/extended/v3/blocks/latest/transactions": 404,
			"/extended/v1/contract/" + apitest.Alice + ".coin": 404, "/extended/v2/smart-contracts/status?contract_id=" + apitest.Alice + ".coin": 200,
		} {
			if got := s.Get(target); got.Status != want {
				t.Errorf("before %s: %s: got %d %s, want %d", before, target, got.Status, got.Body, want)
			}
		}
		if before == "the projection" {
			s.Projection("chain", "log")
		}
	}
}

// The rows behind an answer are those that it shows, and the events have them where the rows say.
func TestTraceOfTransactions(t *testing.T) {
	t.Parallel()
	s, _ := apitest.MadeUp(t)
	var withEvents string
	must.Do(t, s.Pool.QueryRow(t.Context(), schemas.In(`
		SELECT '0x' || encode(t.txid, 'hex') FROM {chain}.transaction t JOIN {chain}.canonical c ON c.block_seq = t.source_seq
		ORDER BY t.event_count DESC, t.source_seq LIMIT 1`)).Scan(&withEvents))
	for _, target := range []string{
		"/extended/v1/tx/" + withEvents, "/extended/v1/tx/multiple?tx_id=" + withEvents, "/extended/v1/tx/events?tx_id=" + withEvents, "/extended/v3/transactions/" + withEvents + "/events",
	} {
		traced := s.Trace(target, 200)
		row := s.One(traced, "chain.transaction")
		fact := s.Fact(apitest.RowOf{Table: row.Table, Key: row.Key, Sources: row.Sources[:1]}, "source_seq")
		if fact["txid"] != withEvents || row.Column("txid") != withEvents {
			t.Errorf("%s: got %v, of an event with %v", target, row.Values, fact["txid"])
		}
		events := traced.In("chain.event")
		if len(events) == 0 {
			t.Errorf("%s: got no events", target)
		}
		for _, e := range events {
			if fact := s.Fact(apitest.RowOf{Table: e.Table, Key: e.Key, Sources: e.Sources[:1]}, "source_seq"); fact["txid"] != withEvents || fact["type"] != e.Column("type") {
				t.Errorf("%s: got %v, of an event with %v", target, e.Values, fact)
			}
		}
	}
	page := s.Object("/extended/v2/blocks/latest/transactions?limit=50")
	results, _ := page["results"].([]any)
	if got := s.Trace("/extended/v2/blocks/latest/transactions?limit=50", 3).In("chain.transaction"); len(got) != len(results) || len(got) == 0 {
		t.Errorf("got %d rows behind %d transactions", len(got), len(results))
	}
	var contract string
	must.Do(t, s.Pool.QueryRow(t.Context(), schemas.In(`SELECT d.contract_id FROM {chain}.contract d JOIN {chain}.canonical c ON c.block_seq = d.source_seq LIMIT 1`)).Scan(&contract))
	for _, target := range []string{"/extended/v1/contract/" + contract, "/extended/v2/smart-contracts/status?contract_id=" + contract} {
		if row := s.One(s.Trace(target, 50), "chain.contract"); row.Column("contract_id") != contract {
			t.Errorf("%s: got %v", target, row)
		}
	}
	bare := s.TracePage("/extended/v1/tx/" + withEvents[2:])
	if bare.Status != http.StatusFound || len(bare.Rows) != 0 {
		t.Errorf("got %v of a redirection", bare)
	}
}

// Whatever stands in a path or a query, the answer is one that is documented, and never a failure of the server.
func FuzzTransactions(f *testing.F) {
	some := apitest.ID(apitest.TxHash, 1).String()
	for _, seed := range [][2]string{
		{"v1/tx/" + some, "event_limit=100&event_offset=9223372036854775807"}, {"v1/tx/" + some[2:], "a=%zz"}, {"v1/tx/" + some + "/raw", ""}, {"v1/tx/x/y", ""},
		{"v1/tx/multiple", "tx_id=" + some + ",&tx_id=%00"}, {"v1/tx/multiple", "tx_id"}, {"v1/tx/events", "tx_id=" + some + "&type=stx_lock,&offset=9223372036854775807"},
		{"v1/tx/block/" + some, "limit=200&offset=9223372036854775807"}, {"v1/tx/block_height/9223372036854775807", "exclude_function_args=true"},
		{"v2/blocks/58/transactions", "limit=0&offset=9223372036854775807"}, {"v2/blocks/-9223372036854775808/transactions", ""},
		{"v3/transactions/" + some, "include=result,source_code&include="}, {"v3/transactions/" + some + "/events", "cursor=9999999999&limit=100"},
		{"v3/blocks/58/transactions", "cursor=2147483647:2147483647:32767"}, {"v3/blocks/latest/transactions", "cursor=58:0:0&limit=1"},
		{"v1/contract/" + apitest.Alice + ".coin", ""}, {"v1/contract/%00", ""}, {"v2/smart-contracts/status", "contract_id=" + apitest.Alice + ".coin&contract_id=x"},
	} {
		f.Add(seed[0], seed[1])
	}
	s, _, _ := newTransactionWorld(f)
	s.FuzzReads(f)
}
