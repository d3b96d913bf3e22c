package transaction_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/clarity"
	signed "strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// crowd puts a transaction with n events into block 50, and n transactions with a call each into block 55, and returns the
// id of the first.
func crowd(s *apitest.Site, n int) (id string) {
	s.T.Helper()
	many := apitest.Call(s.T, 50, apitest.Alice+".coin", "transfer", clarity.NewUint64(1))
	s.Mine(150, apitest.MinedTx{Tx: many})
	s.Exec(`UPDATE chain_v1.transaction SET event_count = $1 WHERE source_seq = 150`, n)
	s.Exec(`INSERT INTO chain_v1.event (source_seq, tx_index, event_index, pointer, type, contract_identifier, topic, value, amount, sender)
		SELECT 150, 0, i, i, CASE WHEN i % 100 = 0 THEN 'stx_burn_event' ELSE 'contract_event' END, $2, 'print', '\x0703', i, $2 FROM generate_series(0, $1::int - 1) i`, n, apitest.Alice+".coin")
	s.Exec(`UPDATE chain_v1.block SET tx_count = $1 WHERE source_seq = 155`, n)
	s.Exec(`
		INSERT INTO chain_v1.transaction
		SELECT made.*
		FROM chain_v1.transaction t CROSS JOIN generate_series(0, $1::int - 1) i
		CROSS JOIN jsonb_populate_record(t, jsonb_build_object('source_seq', 155, 'tx_index', i, 'execution_index', i, 'event_count', 0, 'txid', '\x' || encode(sha256(i::text::bytea), 'hex'))) made
		WHERE t.source_seq = 150`, n)
	s.Mine(120, apitest.MinedTx{Tx: apitest.From(s.T, 1, 49, &signed.SmartContract{ContractName: "coin"})})
	s.Deploy(120, 0, apitest.Alice+".coin", nil, apitest.AbiOfCoin)
	for _, table := range []string{"transaction", "event", "block", "contract"} {
		s.Exec(`ANALYZE chain_v1.` + table)
	}
	return many.TxID().String()
}

// Pages of events at any depth are what they are counted to be, in both directions and with a filter.
func TestDeepPagesOfEvents(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const n = 2500
	id := crowd(s, n)
	indexes := func(target, list string) (found []int) {
		t.Helper()
		page := s.Object(target)
		all, _ := page[list].([]any)
		for _, one := range all {
			index, _ := one.(map[string]any)["event_index"].(float64)
			found = append(found, int(index))
		}
		return found
	}
	count := func(from, step, n int) (numbers []int) {
		for i := range n {
			numbers = append(numbers, from+i*step)
		}
		return numbers
	}
	for _, tc := range []struct {
		target, list string
		want         []int
	}{
		{"/extended/v1/tx/" + id, "events", count(0, 1, 20)},
		{"/extended/v1/tx/" + id + "?event_limit=100&event_offset=2300", "events", count(2300, 1, 100)},
		{"/extended/v1/tx/" + id + "?event_limit=100&event_offset=2499", "events", count(2499, 1, 1)},
		{"/extended/v1/tx/" + id + "?event_limit=100&event_offset=2500", "events", nil},
		{"/extended/v1/tx/" + id + "?event_offset=9223372036854775807", "events", nil},
		{"/extended/v1/tx/events?tx_id=" + id, "events", count(2499, -1, 20)},
		{"/extended/v1/tx/events?limit=7&offset=2495&tx_id=" + id, "events", count(4, -1, 5)},
		{"/extended/v1/tx/events?limit=5&offset=20&type=stx_asset&tx_id=" + id, "events", count(400, -100, 5)},
		{"/extended/v1/tx/events?limit=5&offset=25&type=stx_asset&tx_id=" + id, "events", nil},
		{"/extended/v1/tx/events?limit=5&type=stx_asset,smart_contract_log&type=stx_lock&tx_id=" + id, "events", count(2499, -1, 5)},
		{"/extended/v3/transactions/" + id + "/events?limit=3&cursor=2400", "results", count(2400, 1, 3)},
	} {
		check.EqualSlices(t, tc.target, indexes(tc.target, tc.list), tc.want)
	}
	for _, tc := range []struct{ cursor, want string }{
		{"", `{"current":"0","next":"100","previous":null}`},
		{"&cursor=0", `{"current":"0","next":"100","previous":null}`},
		{"&cursor=30", `{"current":"30","next":"130","previous":"0"}`},
		{"&cursor=2399", `{"current":"2399","next":"2499","previous":"2299"}`},
		{"&cursor=2400", `{"current":"2400","next":null,"previous":"2300"}`},
		{"&cursor=2500", `{"current":null,"next":null,"previous":"2400"}`},
		{"&cursor=9999999999", `{"current":null,"next":null,"previous":"2400"}`},
	} {
		page := s.Object("/extended/v3/transactions/" + id + "/events?limit=100" + tc.cursor)
		if got := apitest.AsJSON(t, page["cursor"]); got != tc.want || page["total"] != float64(n) {
			t.Errorf("%s: got %s of %v, want %s", tc.cursor, got, page["total"], tc.want)
		}
	}
}

// Cursors of the transactions of a block are positions, which need not be those of a row.
func TestCursorsOfBlockTransactions(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	crowd(s, 95)
	at := func(index int) string { return fmt.Sprintf("55:2147483647:%d", index) }
	for _, tc := range []struct {
		cursor                  string
		first, n                int
		previous, current, next any
	}{
		{"", 94, 10, nil, at(94), at(84)},
		{at(94), 94, 10, nil, at(94), at(84)},
		{at(99), 94, 10, nil, at(94), at(84)},
		{"55:0:0", 94, 10, nil, at(94), at(84)},
		{"56:0:0", 94, 10, nil, at(94), at(84)},
		{"2147483647:2147483647:32767", 94, 10, nil, at(94), at(84)},
		{at(90), 90, 10, at(94), at(90), at(80)},
		{at(84), 84, 10, at(94), at(84), at(74)},
		{at(50), 50, 10, at(60), at(50), at(40)},
		{at(9), 9, 10, at(19), at(9), nil},
		{at(3), 3, 4, at(13), at(3), nil},
		{at(0), 0, 1, at(10), at(0), nil},
		{"55:7:7", -1, 0, at(9), nil, nil},
		{"54:0:0", -1, 0, at(9), nil, nil},
	} {
		target := "/extended/v3/blocks/55/transactions?limit=10"
		if tc.cursor != "" {
			target += "&cursor=" + tc.cursor
		}
		page := s.Object(target)
		cursor, _ := page["cursor"].(map[string]any)
		if cursor["previous"] != tc.previous || cursor["current"] != tc.current || cursor["next"] != tc.next || page["total"] != 95.0 {
			t.Errorf("%q: got %v of %v, want %v, %v, %v", tc.cursor, cursor, page["total"], tc.previous, tc.current, tc.next)
		}
		results, _ := page["results"].([]any)
		check.Equal(t, fmt.Sprintf("%q: transactions", tc.cursor), len(results), tc.n)
		for i, one := range results {
			block, _ := one.(map[string]any)["block"].(map[string]any)
			check.Equal[any](t, fmt.Sprintf("%q: the transaction at %d", tc.cursor, i), block["tx_index"], float64(tc.first-i))
		}
	}
}

// A page is two round trips between those that begin and end the snapshot, however many transactions, contracts and events
// it has; the second is not made when nothing is missing.
func TestRoundTripsOfTransactions(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	id := crowd(s, 300)
	plain := apitest.Transfer(t, 7)
	s.Mine(151, apitest.MinedTx{Tx: plain})
	pool, connection := apitest.CountedPool(t, s.Pool, func(*pgxpool.Config) {})
	counted := apitest.NewSiteOn(t, pool, readapi.Config{})
	for _, tc := range []struct {
		path string
		want int
	}{
		{"/extended/v1/tx/" + id, 4},
		{"/extended/v1/tx/" + id + "?event_limit=100", 4},
		{"/extended/v1/tx/" + plain.TxID().String(), 3},
		{"/extended/v1/tx/" + id + "/raw", 3},
		{"/extended/v1/tx/multiple?tx_id=" + id + "," + plain.TxID().String(), 4},
		{"/extended/v1/tx/events?limit=100&tx_id=" + id, 4},
		{"/extended/v1/tx/block_height/55?limit=50", 4},
		{"/extended/v1/tx/block/" + idOfBlock(55) + "?limit=1", 4},
		{"/extended/v1/tx/block/" + idOfBlock(55) + "?limit=200", 4},
		{"/extended/v2/blocks/55/transactions?limit=50", 4},
		{"/extended/v3/blocks/55/transactions?limit=50&cursor=55:2147483647:100", 3},
		{"/extended/v3/transactions/" + id, 3},
		{"/extended/v3/transactions/" + id + "/events?limit=100&cursor=100", 4},
		{"/extended/v1/contract/" + apitest.Alice + ".coin", 3},
		{"/extended/v2/smart-contracts/status?contract_id=" + apitest.Alice + ".coin", 3},
	} {
		counted.Get(tc.path) // prepares the statements
		got := connection.Least(3, func(int) {
			if got := counted.Get(tc.path); got.Status != http.StatusOK {
				t.Errorf("%s: got %d %s", tc.path, got.Status, got.Body)
			}
		})
		check.Equal(t, fmt.Sprintf("%s: round trips", tc.path), got, tc.want)
	}
}

func idOfBlock(h int) string { return apitest.ID(apitest.IndexHash, h).String() }

// While the state is known, a page of transactions takes two round trips.
func TestRoundTripsOfTransactionsOfKnownState(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	crowd(s, 300)
	pool, connection := apitest.CountedPool(t, s.Pool, func(config *pgxpool.Config) { readapi.Prepare(config, 0) })
	k := apitest.NewKeeper(t, pool, readapi.Config{WatchInterval: apitest.WatchRarely})
	k.Get("/extended/v1/tx/block_height/55?limit=50")
	got := connection.Least(8, func(n int) {
		if got := k.Get(fmt.Sprintf("/extended/v1/tx/block_height/55?limit=%d", 42+n)); got.Status != http.StatusOK {
			t.Fatalf("got %d %s", got.Status, got.Body)
		}
	})
	check.Equal(t, "round trips", got, 2)
}

func BenchmarkTransactions(b *testing.B) {
	s := apitest.NewWorld(b)
	id := crowd(s, 2000)
	pool := must.Get(pgxpool.New(b.Context(), replay.Databases.URL(b)))(b)
	b.Cleanup(pool.Close)
	api := apitest.NewSiteOn(b, pool, readapi.Config{})
	for _, bc := range []struct{ name, path string }{
		{"ByID", "/extended/v1/tx/" + id},
		{"ByIDV3", "/extended/v3/transactions/" + id},
		{"Raw", "/extended/v1/tx/" + id + "/raw"},
		{"BlockFirst50", "/extended/v2/blocks/55/transactions?limit=50"},
		{"BlockLast50", "/extended/v2/blocks/55/transactions?limit=50&offset=1950"},
		{"BlockLast200", "/extended/v1/tx/block/" + idOfBlock(55) + "?limit=200&offset=1800"},
		{"BlockV3", "/extended/v3/blocks/55/transactions?limit=50&cursor=55:2147483647:100"},
		{"EventsFirst", "/extended/v3/transactions/" + id + "/events?limit=100"},
		{"EventsLast", "/extended/v3/transactions/" + id + "/events?limit=100&cursor=1900"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			for range b.N {
				if got := api.Get(bc.path); got.Status != http.StatusOK {
					b.Fatalf("got %d %s", got.Status, got.Body)
				}
			}
		})
	}
}
