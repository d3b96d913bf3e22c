package brc20_test

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/brc20"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// databases have the tables of three versions.
var databases *pgtest.Source = replay.Tables("brc20", brc20.SpecOf(1), brc20.SpecOf(2), brc20.SpecOf(3))

// world folds steps into a version, in one transaction that is never committed.
type world struct {
	t          replay.TB
	tx         pgx.Tx
	projection *brc20.BRC20
	spec       projections.Spec
	step       int64
	outcome    projections.Outcome
}

func newWorld(t replay.TB, tx pgx.Tx, version int) *world {
	return &world{t: t, tx: tx, projection: brc20.NewVersion(version), spec: brc20.SpecOf(version)}
}

// fold folds steps in batches of a size.
func (w *world) fold(size int, steps ...projections.FeedStep) {
	w.t.Helper()
	for batch := range slices.Chunk(steps, size) {
		batch = slices.Clone(batch)
		for i := range batch {
			batch[i].Number = w.step + int64(i) + 1
		}
		var err error
		if w.outcome, err = w.projection.Fold(context.Background(), w.tx, w.step, batch); err != nil {
			w.t.Fatal(err)
		}
		w.step += int64(len(batch))
	}
}

// rows returns the rows of a query with one text column.
func (w *world) rows(query string, args ...any) []string {
	w.t.Helper()
	return replay.Texts(w.t, w.tx, w.spec.SQL(query), args...)
}

// dump returns all rows, without the columns that depend on the event of a block, and without the parts of lists.
func (w *world) dump() (rows []string) {
	w.t.Helper()
	for _, table := range []string{"block", "token", "operation", "entry", "balance", "below_zero", "list"} {
		for _, row := range w.rows(`SELECT (to_jsonb(x) - ARRAY['source_seq', 'block_index'])::text FROM {schema}.` + table + ` x ORDER BY 1`) {
			rows = append(rows, table+" "+row)
		}
	}
	return rows
}

// check compares the rows of a query with what is expected.
func (w *world) check(what, query string, want ...string) {
	w.t.Helper()
	foldtest.Compare(w.t, what, w.rows(query), want)
}

// checkSelf checks what must hold for any rows: running sums, counts, and links.
func (w *world) checkSelf() {
	w.t.Helper()
	for _, c := range w.projection.Checks() {
		if c.IsAbout("below_zero") {
			w.check(c.Name, `SELECT (x)::text FROM (`+c.SQL+`) x`)
		}
	}
	w.check("entries whose sums are wrong", `
		SELECT (x.ticker, x.address, x.height, x.tx_index, x.available, x.transferrable)::text
		FROM (
			SELECT *, sum(available_delta) OVER w AS a, sum(transferrable_delta) OVER w AS t
			FROM {schema}.entry WINDOW w AS (PARTITION BY ticker, address ORDER BY height, tx_index)
		) x WHERE x.a <> x.available OR x.t <> x.transferrable`)
	w.check("balances that are not the last entries", `
		SELECT (b, e)::text FROM {schema}.balance b
		FULL JOIN (SELECT DISTINCT ON (ticker, address) * FROM {schema}.entry ORDER BY ticker, address, height DESC, tx_index DESC) e
			USING (ticker, address)
		WHERE (b.height, b.tx_index, b.source_seq, b.available, b.transferrable, b.total)
			IS DISTINCT FROM (e.height, e.tx_index, e.source_seq, e.available, e.transferrable, e.available + e.transferrable)`)
	w.check("tokens whose counts are wrong", `
		SELECT (t, c)::text FROM {schema}.token t
		FULL JOIN (SELECT ticker, count(*) AS tx_count, coalesce(sum(amount) FILTER (WHERE kind = 2), 0) AS minted FROM {schema}.operation GROUP BY 1) c USING (ticker)
		LEFT JOIN (SELECT ticker, count(*) AS holders FROM {schema}.balance WHERE total > 0 GROUP BY 1) h USING (ticker)
		WHERE (t.tx_count, t.minted, t.holders) IS DISTINCT FROM (c.tx_count, c.minted, coalesce(h.holders, 0))`)
	w.check("tokens with another deploy than the first", `
		SELECT (t, d)::text FROM {schema}.token t
		FULL JOIN (SELECT DISTINCT ON (ticker) * FROM {schema}.operation WHERE kind = 1 ORDER BY ticker, height, tx_index) d USING (ticker)
		WHERE (t.height, t.tx_index, t.source_seq, t.number, t.decimals, t.self_mint, t.tick, t.id, t.txid, t.address, t.max_supply, t.mint_limit)
			IS DISTINCT FROM (d.height, d.tx_index, d.source_seq, d.number, d.decimals, d.self_mint, d.tick, d.id, d.txid, d.address, d.max_supply, d.mint_limit)`)
	w.check("transfers and sends that are not linked", `
		SELECT o::text FROM {schema}.operation o
		LEFT JOIN LATERAL (SELECT * FROM {schema}.operation s WHERE s.id = o.id AND s.kind = 4 ORDER BY s.height, s.tx_index LIMIT 1) s ON true
		LEFT JOIN LATERAL (SELECT * FROM {schema}.operation t WHERE t.id = o.id AND t.kind = 3 ORDER BY t.height, t.tx_index LIMIT 1) t ON true
		WHERE o.kind = 3 AND (o.sent_height, o.sent_tx_index) IS DISTINCT FROM (s.height, s.tx_index)
		   OR o.kind = 4 AND (o.number, o.sat) IS DISTINCT FROM (t.number, t.sat)`)
	w.checkLists()
}

// checkLists compares the lengths of lists and parts with the rows.
func (w *world) checkLists() {
	w.t.Helper()
	const entries = `
		SELECT name, a, b FROM (
			SELECT unnest(ARRAY['all', 'kind:' || kind, 'ticker:' || ticker, 'ticker_kind:' || kind || ':' || ticker,
				'address:' || address, 'address_kind:' || kind || ':' || address]) AS name, height AS a, tx_index AS b FROM {schema}.operation
			UNION ALL SELECT unnest(ARRAY['address:' || receiver, 'address_kind:4:' || receiver]), height, tx_index
			FROM {schema}.operation WHERE kind = 4 AND receiver NOT IN ('', address)
			UNION ALL SELECT 'transferable:' || address, height, tx_index FROM {schema}.operation WHERE kind = 3 AND sent_height IS NULL
			UNION ALL SELECT 'tokens', height, tx_index FROM {schema}.token WHERE height IS NOT NULL
		) e`
	w.check("lists whose length is wrong", `
		SELECT (name, l.n, e.n)::text FROM {schema}.list l
		FULL JOIN (SELECT name COLLATE "C" AS name, count(*) AS n FROM (`+entries+`) e GROUP BY 1) e USING (name)
		WHERE l.n IS DISTINCT FROM e.n`)
	w.check("parts whose length is wrong", `
		WITH p AS (SELECT *, lead((a, b)) OVER (PARTITION BY list ORDER BY a, b, c) AS next FROM {schema}.part),
		e AS MATERIALIZED (`+entries+`)
		SELECT (p.list, p.a, p.b, p.n, count(e.a))::text FROM p
		LEFT JOIN e ON e.name = p.list AND (e.a, e.b) >= (p.a, p.b) AND (p.next IS NULL OR (e.a, e.b) < p.next)
		GROUP BY p.list, p.a, p.b, p.n HAVING p.n <> count(e.a)`)
}

// judge does what the projection ordinals does: it turns posts into steps.
type judge struct{ *foldtest.Feed }

func newJudge(t replay.TB) judge { return judge{foldtest.NewFeed(t)} }

// canonical returns steps that apply the applied blocks in the order of heights.
func (j judge) canonical() (steps []projections.FeedStep) {
	for _, height := range slices.Sorted(maps.Keys(j.Applied)) {
		steps = append(steps, j.Applied[height])
	}
	return steps
}

// tip returns the highest applied block; nil if there is none.
func (j judge) tip() *projections.Tip {
	if len(j.Applied) == 0 {
		return nil
	}
	s := j.Applied[slices.Max(slices.Collect(maps.Keys(j.Applied)))]
	return &projections.Tip{Height: s.Height, IndexBlockHash: s.BlockHash, BlockHash: s.BlockHash, BurnBlockHeight: s.Height}
}

func (w *world) checkTip(want *projections.Tip) {
	w.t.Helper()
	got := w.outcome.Tip
	if (got == nil) != (want == nil) || got != nil && *got != *want {
		w.t.Errorf("the tip is %v, want %v", got, want)
	}
}
