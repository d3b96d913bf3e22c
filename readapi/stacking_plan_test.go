package readapi_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/internal/testkit/must"
	"strata/projections/chain"
	"strata/projections/pox"
	"strata/rig/apitest"
)

const (
	stackingRows = 50_000
	whale        = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	bigPool      = "SP000000000000000000002Q6VF78"
)

// delegated is what pox-4 prints of a delegation.
func delegated(t testing.TB) []byte {
	t.Helper()
	value := func(v clarity.Value, err error) clarity.Value {
		t.Helper()
		return must.Get(v, err)(t)
	}
	who := must.Get(clarity.ParsePrincipal(bigPool))(t)
	principal, zero := value(clarity.NewPrincipal(who)), clarity.NewUint64(0)
	return clarity.NewOk(value(clarity.NewTuple(
		clarity.Field{Name: "name", Value: value(clarity.NewASCII("delegate-stx"))}, clarity.Field{Name: "stacker", Value: principal},
		clarity.Field{Name: "balance", Value: zero}, clarity.Field{Name: "locked", Value: zero}, clarity.Field{Name: "burnchain-unlock-height", Value: zero},
		clarity.Field{Name: "data", Value: value(clarity.NewTuple(
			clarity.Field{Name: "amount-ustx", Value: zero}, clarity.Field{Name: "delegate-to", Value: principal}, clarity.Field{Name: "pox-addr", Value: clarity.NewNone()},
		))},
	))).Encode()
}

// fillStacking makes the tables of many Bitcoin blocks with two rows each, one of which is the whale's, and of as many events, half
// of them of one stacker. One in ten begins a delegation to one pool, and half of these are over.
func fillStacking(s *apitest.Site) {
	s.T.Helper()
	s.ChainTables(pox.Spec(), stackingRows, stackingRows)
	in := func(sql string, args ...any) { s.T.Helper(); s.Exec(pox.Spec().SQL(sql), args...) }
	in(`INSERT INTO {schema}.burn_block SELECT h, 1, 5, 2, 2, 2, decode(lpad(to_hex(h), 64, '0'), 'hex') FROM generate_series(1, $1::int / 2) h`, stackingRows)
	const rows = ` FROM generate_series(1, $1::int / 2) h, generate_series(0, 1) i`
	in(`INSERT INTO {schema}.reward SELECT h, 1, i, 7, CASE WHEN i = 0 THEN $2 ELSE 'other' || h % 997 END`+rows, stackingRows, whale)
	in(`INSERT INTO {schema}.slot SELECT h, 1, i, CASE WHEN i = 0 THEN $2 ELSE 'other' || h % 997 END`+rows, stackingRows, whale)
	in(`INSERT INTO {schema}.payout SELECT h, 1, i, i, 0, i, 7, decode(lpad(to_hex(h), 64, '0'), 'hex'), CASE WHEN i = 0 THEN $2 ELSE 'other' || h % 997 END`+rows, stackingRows, whale)
	in(`INSERT INTO {schema}.recipient SELECT 1, count(*), sum(amount), recipient FROM {schema}.reward GROUP BY recipient`)
	for name, from := range map[string]string{
		`'rewards'`: `reward_index AS i FROM {schema}.reward`, `'rewards:' || recipient`: `reward_index AS i, recipient FROM {schema}.reward`,
		`'slots'`: `slot_index AS i FROM {schema}.slot`, `'slots:' || address`: `slot_index AS i, address FROM {schema}.slot`,
		`'payouts:' || recipient`: `rank AS i, recipient FROM {schema}.payout`,
	} {
		in(strings.NewReplacer("{name}", name, "{from}", from).Replace(`
			WITH entry AS (
				SELECT {name} AS list, height AS a, i AS b, (row_number() OVER (PARTITION BY {name} ORDER BY height, i) - 1) / 700 AS part, count(*) OVER (PARTITION BY {name}) AS n
				FROM (SELECT height, {from}) r
			), lists AS (INSERT INTO {schema}.list (n, name) SELECT max(n), list FROM entry GROUP BY list)
			INSERT INTO {schema}.part (a, b, c, n, list)
			SELECT CASE WHEN part = 0 THEN low ELSE (array_agg(a ORDER BY a, b))[1] END, CASE WHEN part = 0 THEN low ELSE (array_agg(b ORDER BY a, b))[1] END,
			       CASE WHEN part = 0 THEN low ELSE 0 END, count(*), list
			FROM entry, (SELECT '-9223372036854775808'::bigint AS low) least WHERE n > 1024 GROUP BY list, part, low`))
	}
	in(`INSERT INTO {schema}.block SELECT h, h, h, decode(lpad(to_hex(h), 64, '0'), 'hex'), '\x01' FROM generate_series(1, $1::int) h`, stackingRows)
	in(`INSERT INTO {schema}.event SELECT n, CASE WHEN n % 2 = 0 THEN n / 2 ELSE 1 END, n, n, 0, 0, 4, decode(lpad(to_hex(n), 64, '0'), 'hex'), CASE WHEN n % 2 = 0 THEN $2 ELSE 'stacker' || n END
		FROM generate_series(1, $1::int) n`, stackingRows, bigPool)
	s.Exec(chain.Spec().SQL(`INSERT INTO {schema}.event (source_seq, tx_index, event_index, pointer, type, value) SELECT n, 0, 0, 0, 'contract_event', $2 FROM generate_series(1, $1::int) n`),
		stackingRows, delegated(s.T))
	in(`INSERT INTO {schema}.delegation SELECT n, n, CASE WHEN n % 20 = 0 THEN n + 5 END, n, 4, NULL, 7, decode(lpad(to_hex(n), 64, '0'), 'hex'), NULL, 'stacker' || n, $2
		FROM generate_series(10, $1::int, 10) n`, stackingRows, bigPool)
	in(`INSERT INTO {schema}.cycle VALUES (5, 5, 5, 1000, 1, 1000)`)
	in(`INSERT INTO {schema}.list VALUES (1, 'cycles')`)
	in(`INSERT INTO {schema}.signer VALUES (5, 5, 5, 1000, 1, $1, 0, 1000, decode(repeat('02', 33), 'hex'))`, stackingRows)
	in(`INSERT INTO {schema}.stacker SELECT 5, 5, 5, 1, n, 7, 'stacker' || n, NULL, '\x000102' FROM generate_series(1, $1::int) n`, stackingRows)
	s.Exec(`VACUUM ANALYZE`)
}

// A page costs the same wherever it is in a list, with a plan for its arguments as with one for any.
func TestStackingPlans(t *testing.T) {
	t.Parallel()
	s, seen := apitest.NewSeenSite(t)
	fillStacking(s)
	stackers := "/extended/v2/pox/cycles/5/signers/0x" + strings.Repeat("02", 33) + "/stackers"
	const (
		part  = 500 // a part of a list, from its index, and a page of 20
		pool4 = "/extended/v1/pox4/" + bigPool + "/delegations?limit=20"
	)
	s.CheckTouches(seen, "pox", apitest.TouchLimits{
		{burnchain + "rewards?limit=20", part},
		{burnchain + "rewards?limit=20&offset=25000", 2 * part},
		{burnchain + "rewards?limit=20&offset=49970", 2 * part},
		{burnchain + "rewards?limit=20&cursor=12000:0", part},
		{burnchain + "rewards?limit=20&cursor=12000:0&offset=1000", 3 * part}, // as many rows are passed over
		{burnchain + "rewards/" + whale + "?limit=20&offset=12000", 4 * part},
		{burnchain + "rewards/" + whale + "?limit=20&cursor=12000:0", part},
		{burnchain + "rewards/" + whale + "/total", 20},
		{burnchain + "reward_slot_holders?limit=20&offset=25000", 2 * part},
		{burnchain + "reward_slot_holders/" + whale + "?limit=20&offset=12000", 4 * part},
		{"/extended/v2/addresses/" + whale + "/pox-transactions?offset=12000", 4 * part},
		{"/extended/v2/burn-blocks/12000/pox-transactions", 30},
		{"/extended/v2/burn-blocks/latest/pox-transactions", 30},
		{"/extended/v2/burn-blocks/" + fmt.Sprintf("%064x", 12000) + "/pox-transactions", 30},
		{"/extended/v2/pox/cycles", 30},
		{stackers + "?limit=20&offset=45000", 60},
		{stackers + "?limit=20&cursor=25000", 60},
		{"/extended/v1/pox4/events?limit=20&offset=45000", 300},
		{"/extended/v1/pox4/events?limit=20&cursor=25000", 300},
		{"/extended/v1/pox4/stacker/" + bigPool + "?limit=20&offset=20000", 300},
		{"/extended/v1/pox4/stacker/" + bigPool + "?limit=20&cursor=20000", 300},
		{pool4, 1000}, // all 5,000 delegations of the pool are counted
		{pool4 + "&offset=2000", 2000},
		{pool4 + "&cursor=25000", 1000},
		{pool4 + "&height=25000", 1000},
	})
}
