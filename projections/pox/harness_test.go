package pox_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/projections"
	"strata/projections/chain"
	"strata/projections/pox"
	"strata/rig/replay"
)

// databases makes databases with the tables of chain and of the projection.
var databases = replay.Tables("pox", chain.Spec(), pox.Spec())

// begin begins a database transaction, which is never committed, on empty tables.
func begin(t testing.TB) pgx.Tx {
	t.Helper()
	tx, err := databases.New(t).Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// end rolls the transaction back, so that the tables are empty again: a test has one database.
func end(t testing.TB, tx pgx.Tx) {
	t.Helper()
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// stepsOf folds posts with chain and returns the steps, with their blocks and records.
func stepsOf(t testing.TB, tx pgx.Tx, posts []replay.Post) []projections.Step {
	t.Helper()
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	items := replay.Decode(t, posts)
	if _, err := c.Fold(t.Context(), tx, 0, items); err != nil {
		t.Fatal(err)
	}
	rows, err := tx.Query(t.Context(), chain.Spec().SQL(`
		SELECT step, kind, coalesce(record, 0), height, index_block_hash, block_seq, source_seq FROM {schema}.step ORDER BY step`))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (projections.Step, error) {
		var s projections.Step
		err := row.Scan(&s.Number, &s.Kind, &s.RecordKind, &s.Height, &s.IndexBlockHash, &s.BlockSeq, &s.SourceSeq)
		if s.Kind == projections.Apply {
			s.Block = items[s.BlockSeq-1].Block
		}
		if s.RecordKind == projections.BitcoinFollowed || s.RecordKind == projections.BitcoinLeft {
			s.Record = items[s.BlockSeq-1].Payload.(*nodeevent.BurnBlock)
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// fold folds steps in batches of size, and runs the checks.
func fold(t testing.TB, tx pgx.Tx, steps []projections.Step, size func() int) (last projections.Outcome) {
	t.Helper()
	projection := pox.New()
	projection.Limit(4) // so that lists have several parts
	for after := 0; after < len(steps); {
		end := min(after+size(), len(steps))
		outcome, err := projection.Fold(t.Context(), tx, steps[after].Number-1, steps[after:end])
		if err != nil {
			t.Fatal(err)
		}
		last, after = outcome, end
	}
	check(t, tx)
	return last
}

// check runs the checks of the projection.
func check(t testing.TB, tx pgx.Tx) {
	t.Helper()
	for _, c := range pox.New().Checks() {
		if wrong := texts(t, tx, `SELECT row_to_json(wrong)::text FROM (`+c.SQL+`) wrong LIMIT 3`); len(wrong) > 0 {
			t.Errorf("check %q fails for %s", c.Name, wrong[0])
		}
	}
}

// texts returns the rows of a query on the projection's tables, which must have one text column.
func texts(t testing.TB, tx pgx.Tx, query string, args ...any) []string {
	t.Helper()
	return replay.Texts(t, tx, pox.Spec().SQL(query), args...)
}

// allTables are the tables whose rows depend on the canonical chain alone.
var allTables = []string{
	"burn_block", "reward", "recipient", "slot", "payout", "block", "cycle", "signer", "stacker", "event", "delegation", "stacking", "commitment", "pox5_stake", "pox5_key", "list",
}

// dump returns all rows of all tables, except for the column source_seq.
func dump(t testing.TB, tx pgx.Tx) (rows []string) {
	t.Helper()
	for _, table := range allTables {
		list := texts(t, tx, fmt.Sprintf(`SELECT '%[1]s ' || (to_jsonb(r) - 'source_seq')::text FROM {schema}.%[1]s r`, table))
		slices.Sort(list)
		rows = append(rows, list...)
	}
	return rows
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s, row %d of %d and %d:\n got %s\nwant %s", what, i, len(got), len(want), got[i], want[i])
			return
		}
	}
	t.Errorf("%s: got %d rows, want %d", what, len(got), len(want))
}
