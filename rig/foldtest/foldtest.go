// Package foldtest folds steps with one projection in a database transaction that is never committed, for tests.
package foldtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/chain"
	"strata/rig"
	"strata/rig/replay"
)

// Projection is one that a Rig folds with.
type Projection interface {
	projections.Projection[projections.Step]
	projections.Checked
}

// Rig folds the steps of chain with new instances of a projection.
type Rig struct {
	// Databases have the tables of chain and of the projection.
	Databases *pgtest.Source
	spec      projections.Spec
	create    func() Projection
	columns   []string // those that a dump leaves out
	tables    []string
}

// New returns a rig whose dumps have the rows of these tables, without some columns.
func New(create func() Projection, columns []string, tables ...string) *Rig {
	spec := create().Spec()
	return &Rig{Databases: replay.Tables(spec.Name, chain.Spec(), spec), spec: spec, create: create, columns: columns, tables: tables}
}

// Begin begins a transaction on empty tables, which is never committed. A test has one database, so that it ends one transaction before
// it begins the next.
func (r *Rig) Begin(t testing.TB) pgx.Tx {
	t.Helper()
	return replay.Begin(t, r.Databases.New(t))
}

// Steps folds posts with chain and returns the steps, with their blocks and the records that the projection reads.
func (r *Rig) Steps(t testing.TB, tx pgx.Tx, posts []replay.Post) []projections.Step {
	t.Helper()
	items := replay.Decode(t, posts)
	must.Get(rig.Chain(t).Fold(t.Context(), tx, 0, items))(t)
	steps := StepsAfter(t, tx, 0)
	for i := range steps {
		s := &steps[i]
		item := items[s.BlockSeq-1]
		if s.Kind == projections.Apply {
			s.Block = item.Block
		}
		if slices.Contains(r.spec.Records, s.RecordKind) {
			s.Record = item.Record
			if block, ok := item.Payload.(*nodeevent.BurnBlock); ok {
				s.Record = block
			}
		}
	}
	return steps
}

// StepsAfter reads the steps of chain after one, without their content.
func StepsAfter(t testing.TB, tx pgx.Tx, after int64) []projections.Step {
	t.Helper()
	rows, err := tx.Query(t.Context(), chain.Spec().SQL(`
		SELECT step, kind, coalesce(record, 0), height, index_block_hash, block_seq, source_seq FROM {schema}.step WHERE step > $1 ORDER BY step`), after)
	if err != nil {
		t.Fatal(err)
	}
	steps := must.Get(pgx.CollectRows(rows, func(row pgx.CollectableRow) (s projections.Step, err error) {
		return s, row.Scan(&s.Number, &s.Kind, &s.RecordKind, &s.Height, &s.IndexBlockHash, &s.BlockSeq, &s.SourceSeq)
	}))(t)
	return steps
}

// Canonical returns the steps that apply the blocks which are not reverted later.
func Canonical(steps []projections.Step) (left []projections.Step) {
	for _, step := range steps {
		switch step.Kind {
		case projections.Apply:
			left = append(left, step)
		case projections.Revert:
			left = left[:len(left)-1]
		}
	}
	return left
}

// Back returns the steps that undo the remaining effect of steps: reverts of blocks, the newest first, and then Bitcoin
// blocks that leave the followed fork.
func Back(steps []projections.Step) (all []projections.Step) {
	for _, step := range slices.Backward(Canonical(steps)) {
		step.Kind, step.Block = projections.Revert, nil
		all = append(all, step)
	}
	var followed []projections.Step
	for _, step := range steps {
		switch step.RecordKind {
		case projections.BitcoinFollowed:
			followed = append(followed, step)
		case projections.BitcoinLeft:
			followed = slices.DeleteFunc(followed, func(other projections.Step) bool { return other.BlockSeq == step.BlockSeq })
		}
	}
	for _, step := range followed {
		step.RecordKind = projections.BitcoinLeft
		all = append(all, step)
	}
	number := steps[len(steps)-1].Number
	for i := range all {
		number++
		all[i].Number = number
	}
	return all
}

// Fold folds steps in batches of size, and runs the checks.
func (r *Rig) Fold(t testing.TB, tx pgx.Tx, steps []projections.Step, size func() int) (last projections.Outcome) {
	t.Helper()
	projection := r.create()
	for after := 0; after < len(steps); {
		end := min(after+size(), len(steps))
		outcome := must.Get(projection.Fold(t.Context(), tx, steps[after].Number-1, steps[after:end]))(t)
		last, after = outcome, end
	}
	r.Check(t, tx)
	return last
}

// FoldPosts folds the steps that posts lead to in batches of a size.
func (r *Rig) FoldPosts(t testing.TB, tx pgx.Tx, posts []replay.Post, size int) projections.Outcome {
	t.Helper()
	return r.Fold(t, tx, r.Steps(t, tx, posts), func() int { return size })
}

// InBatches folds the steps that posts lead to in batches of each of these sizes, and calls f with the rows.
func (r *Rig) InBatches(t testing.TB, posts []replay.Post, sizes []int, f func(tx pgx.Tx, size int)) {
	t.Helper()
	for _, size := range sizes {
		tx := r.Begin(t)
		r.FoldPosts(t, tx, posts, size)
		f(tx, size)
		replay.End(t, tx)
	}
}

// History folds posts in batches of random sizes. compare compares the rows with a model, and returns the posts of the canonical chain
// alone, which must lead to the same rows. No row is left when everything is reverted. History returns the rows.
func (r *Rig) History(t testing.TB, posts []replay.Post, random *rand.Rand, most int, compare func(tx pgx.Tx) (alone []replay.Post)) (rows []string) {
	t.Helper()
	tx := r.Begin(t)
	steps := r.Steps(t, tx, posts)
	r.Fold(t, tx, steps, func() int { return 1 + random.IntN(most) })
	rows = r.Dump(t, tx)
	alone := compare(tx)
	r.Fold(t, tx, Back(steps), func() int { return 1 + random.IntN(20) })
	Same(t, "everything reverted", r.Dump(t, tx), nil)
	replay.End(t, tx)
	r.InBatches(t, alone, []int{len(alone)}, func(tx pgx.Tx, _ int) { Same(t, "replayed alone", rows, r.Dump(t, tx)) })
	return rows
}

// Check runs the checks of the projection.
func (r *Rig) Check(t replay.TB, tx pgx.Tx) {
	t.Helper()
	Check(t, tx, r.create())
}

// Check runs the checks of a projection.
func Check(t replay.TB, db replay.Querier, projection interface {
	Spec() projections.Spec
	projections.Checked
}) {
	t.Helper()
	for _, c := range projection.Checks() {
		if wrong := Violations(t, db, projection.Spec(), c); len(wrong) > 0 {
			t.Errorf("check %q fails for %s", c.Name, wrong[0])
		}
	}
}

// Violations returns up to three rows that violate a check.
func Violations(t replay.TB, db replay.Querier, spec projections.Spec, c projections.Check) []string {
	t.Helper()
	return replay.Texts(t, db, spec.SQL(`SELECT row_to_json(wrong)::text FROM (`+c.SQL+`) wrong LIMIT 3`))
}

// Texts returns the rows of a query on the projection's tables, which must have one text column.
func (r *Rig) Texts(t replay.TB, tx pgx.Tx, query string, args ...any) []string {
	t.Helper()
	return replay.Texts(t, tx, r.spec.SQL(query), args...)
}

// Dump returns all rows of the tables.
func (r *Rig) Dump(t replay.TB, tx pgx.Tx) []string {
	t.Helper()
	return r.DumpOf(t, tx, r.tables...)
}

// DumpOf returns all rows of some tables.
func (r *Rig) DumpOf(t replay.TB, tx pgx.Tx, tables ...string) (rows []string) {
	t.Helper()
	for _, table := range tables {
		list := r.Texts(t, tx, fmt.Sprintf(`SELECT '%[1]s ' || (to_jsonb(r) - $1::text[])::text FROM {schema}.%[1]s r`, table), r.columns)
		slices.Sort(list)
		rows = append(rows, list...)
	}
	return rows
}

// Same compares rows with those that are wanted, and shows the first difference.
func Same(t replay.TB, what string, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s, row %d of %d and %d:\n got %s\nwant %s", what, i, len(got), len(want), got[i], want[i])
			return
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: got %d rows, want %d", what, len(got), len(want))
	}
}

// SameSorted compares rows in any order.
func SameSorted(t replay.TB, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	Same(t, what, got, want)
}
