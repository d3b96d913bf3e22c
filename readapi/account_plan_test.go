package readapi_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	signed "strata/domain/transaction"
	"strata/internal/testkit/pgtest"
	"strata/readapi"
)

// longLists makes the lists of one account long: n blocks with ten transactions each, of which half call its contract; all
// are its own, and each moves something of it and prints something.
func (s *site) longLists(n int) {
	s.t.Helper()
	s.projection("accounts", "chain_v1")
	s.fill(n)
	s.mine(120, minedTx{tx: from(s.t, 1, 49, &signed.SmartContract{ContractName: "coin"})})
	s.deploy(120, 0, alice+".coin", nil, abiOfCoin)
	s.mine(150, minedTx{tx: call(s.t, 50, alice+".coin", "transfer")}, minedTx{tx: transfer(s.t, 51)})
	s.exec(`
		INSERT INTO chain_v1.transaction
		SELECT made.*
		FROM generate_series(61, $1::int) h CROSS JOIN generate_series(0, 9) i
		JOIN chain_v1.transaction t ON t.source_seq = 150 AND t.tx_index = i % 2
		CROSS JOIN jsonb_populate_record(t, jsonb_build_object('source_seq', h + 100, 'tx_index', i, 'execution_index', i, 'event_count', 2, 'txid', '\x' || encode(sha256((h * 10 + i)::text::bytea), 'hex'))) made`, n)
	s.exec(`
		INSERT INTO chain_v1.event (source_seq, tx_index, event_index, pointer, type, amount, sender, recipient, contract_identifier, topic, value)
		SELECT h + 100, i, k, 2 * i + k, CASE k WHEN 0 THEN 'stx_transfer_event' ELSE 'contract_event' END, 1, $2, $3, $2 || '.coin', 'print', '\x03'
		FROM generate_series(61, $1::int) h CROSS JOIN generate_series(0, 9) i CROSS JOIN generate_series(0, 1) k`, n, alice, bob)
	s.exec(`INSERT INTO accounts_v1.account VALUES (110, 10, 1, $1), (110, 10, 2, $2), (110, 10, 3, $3)`, alice, bob, alice+".coin")
	s.exec(`INSERT INTO accounts_v1.account SELECT h + 100, h, h, 'SP' || h FROM generate_series(61, $1::int) h`, n)
	s.exec(`
		INSERT INTO accounts_v1.block
		SELECT h, h + 100, (h - 61) * 10 + 1, (h - 60) * 10, (h - 60) * 5, 0, (h - 60) * 5, 0, 0, 0, h, h, h, h * 600, NULL, h, sha256(('i' || h)::bytea), sha256(('b' || h)::bytea), sha256('x'), '{1}'
		FROM generate_series(61, $1::int) h`, n)
	s.exec(`
		INSERT INTO accounts_v1.transaction
		SELECT (h - 61) * 10 + i + 1, h, h + 100, (h - 61) * 5 + i / 2 + 1, i, NULL, CASE i % 2 WHEN 0 THEN 2 ELSE 0 END
		FROM generate_series(61, $1::int) h CROSS JOIN generate_series(0, 9) i`, n)
	s.exec(`
		INSERT INTO accounts_v1.account_transaction (tx, source_seq, account, n, calls, stx_transfers, involvement, stx_sent, fee_paid)
		SELECT n, source_seq, a, n, CASE a WHEN 3 THEN n END, 1, CASE a WHEN 1 THEN 97 WHEN 2 THEN 100 ELSE 8 END, 1, 180
		FROM accounts_v1.transaction CROSS JOIN generate_series(1, 3) a`)
	s.exec(`
		INSERT INTO accounts_v1.account_transaction (tx, source_seq, account, n, involvement)
		SELECT (h - 61) * 10 + 1, h + 100, h, 1, 32 FROM generate_series(61, $1::int) h`, n)
	s.exec(`
		INSERT INTO accounts_v1.account_event (tx, source_seq, account, n, event_index, inbound, kind, transfer_type)
		SELECT n, source_seq, a, n, 0, CASE a WHEN 2 THEN n END, 1, CASE a WHEN 2 THEN 2 END FROM accounts_v1.transaction CROSS JOIN generate_series(1, 2) a`)
	s.exec(`INSERT INTO accounts_v1.contract_event (tx, source_seq, contract, n, event_index) SELECT n, source_seq, 3, n, 1 FROM accounts_v1.transaction`)
	s.exec(`UPDATE strata.projection SET position = $1::bigint, log_seq = $1::bigint + 100, block_height = $1::bigint, index_block_hash = sha256(('i' || $1::bigint)::bytea),
		block_hash = sha256(('b' || $1::bigint)::bytea), burn_block_height = $1::bigint WHERE name = 'accounts'`, n)
	for _, table := range []string{"chain_v1.transaction", "chain_v1.event", "accounts_v1.block", "accounts_v1.transaction", "accounts_v1.account", "accounts_v1.account_transaction", "accounts_v1.account_event", "accounts_v1.contract_event"} {
		s.exec(`VACUUM ANALYZE ` + table)
	}
}

// A page costs the same wherever it is in a list, with a plan for its arguments as with one for any.
func TestAccountListPlans(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it fills large tables")
	}
	w := newWorld(t)
	const n = 1500
	w.longLists(n)
	seen := &queries{}
	config, err := pgxpool.ParseConfig(w.pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.Tracer = seen
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(t, pool.Close)
	s := newSiteOn(t, pool, readapi.Config{})
	v1, v2, v3 := "/extended/v1/address/"+alice, "/extended/v2/addresses/"+alice, "/extended/v3/principals/"+alice
	for _, tc := range []struct {
		first, deep string
		most        int64 // blocks that either touches
		apart       int64 // by which they may differ: where an index is a level deeper, or halving took a step more
	}{
		{"/extended/v1/tx?limit=20", "/extended/v1/tx?limit=20&offset=13000", 800, 20},
		{"/extended/v1/tx?limit=20&order=asc", "/extended/v1/tx?limit=20&order=asc&offset=8000", 800, 20},
		{"/extended/v1/tx?limit=20&type=contract_call", "/extended/v1/tx?limit=20&type=contract_call&offset=6900", 900, 40},
		{"/extended/v1/tx?limit=20&type=contract_call,token_transfer", "/extended/v1/tx?limit=20&type=contract_call,token_transfer&offset=11000", 1000, 60},
		{"/extended/v1/tx?limit=20&contract_id=" + alice + ".coin", "/extended/v1/tx?limit=20&contract_id=" + alice + ".coin&offset=11000", 800, 20},
		{v1 + "/transactions", v1 + "/transactions?offset=13000", 900, 20},
		{v1 + "/transactions?cursor=14000", v1 + "/transactions?cursor=1000", 900, 20},
		{v1 + "/transactions?to_block=1450", v1 + "/transactions?to_block=200", 1400, 40},
		{v1 + "/transactions_with_transfers", v1 + "/transactions_with_transfers?offset=13000", 1900, 60},
		{v1 + "/assets", v1 + "/assets?offset=13000", 900, 20},
		{"/extended/v1/address/" + bob + "/stx_inbound", "/extended/v1/address/" + bob + "/stx_inbound?offset=13000", 1000, 20},
		{"/extended/v1/tx/events?address=" + alice + "&offset=100", "/extended/v1/tx/events?address=" + alice + "&offset=11000", 1200, 60},
		{v2 + "/transactions", v2 + "/transactions?offset=13000", 900, 30},
		{v3 + "/transactions?cursor=1450:0:0", v3 + "/transactions?cursor=100:0:0", 1500, 60},
		{"/extended/v3/transactions", "/extended/v3/transactions?cursor=100:0:0", 900, 60},
	} {
		cost := func(target, mode string) (touched int64) {
			seen.all()
			if got := s.get(target); got.status != 200 {
				t.Fatalf("%s: got %d %s", target, got.status, got.body)
			}
			for _, q := range seen.all() {
				touched += w.blocksTouched(mode, q)
			}
			return touched
		}
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			first, deep := cost(tc.first, mode), cost(tc.deep, mode)
			if max(first, deep) > tc.most || deep > first+tc.apart || first > deep+tc.apart {
				t.Errorf("%s, %s: touch %d and %d blocks (%s), want at most %d, and %d apart", tc.first, tc.deep, first, deep, mode, tc.most, tc.apart)
			}
		}
	}
	// What looks through a list does so within bounds.
	for _, target := range []string{"/extended/v1/tx?nonce=7", "/extended/v1/tx?from_address=" + alice + "&nonce=3", "/extended/v1/tx?sort_by=fee", "/extended/v1/tx/events?type=stx_lock&address=" + alice} {
		seen.all()
		if got := s.get(target); got.status != 200 {
			t.Fatalf("%s: got %d %s", target, got.status, got.body)
		}
		touched := int64(0)
		for _, q := range seen.all() {
			touched += w.blocksTouched("force_generic_plan", q)
		}
		if touched > 300_000 { // thirty for each row that is looked at
			t.Errorf("%s: touches %d blocks", target, touched)
		}
	}
}

// all gives the queries on tables of projections since the last time.
func (q *queries) all() (seen []pgx.TraceQueryStartData) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, data := range q.seen {
		if strings.Contains(data.SQL, "accounts_v1") || strings.Contains(data.SQL, "chain_v1") {
			seen = append(seen, data)
		}
	}
	q.seen = nil
	return seen
}
