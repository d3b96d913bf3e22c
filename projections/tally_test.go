package projections_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
	"strata/internal/testkit/replay"
	"strata/projections"
)

// tally is a projection of steps with rules that a test chooses: each row says which rules wrote it.
type tally struct {
	spec  projections.Spec
	rules int
}

func newTally(rules int) *tally {
	return &tally{rules: rules, spec: projections.Spec{
		Name: "tally", Version: rules, Views: []string{"tally_row:row"},
		Tables: `
			CREATE TABLE {schema}.row (
				step       bigint NOT NULL PRIMARY KEY,
				source_seq bigint NOT NULL,
				height     bigint NOT NULL,
				rules      int    NOT NULL
			);
			CREATE TABLE {schema}.sum (steps bigint NOT NULL, since bigint NOT NULL);
			CREATE TABLE {schema}.part (first bigint NOT NULL, n bigint NOT NULL);
` + projections.ReaderIndexes + `
			-- Who asks for a height; or for rules.
			CREATE INDEX row_height_idx ON {schema}.row (height);
			CREATE UNIQUE INDEX row_source_idx
				ON {schema}.row (source_seq, step);
		`,
	}}
}

func (p *tally) Spec() projections.Spec { return p.spec }

func (p *tally) Forget() {}

func (p *tally) Instance(spec projections.Spec) projections.Projection[projections.Step] {
	return &tally{rules: p.rules, spec: spec}
}

func (p *tally) Checks() []projections.Check {
	return []projections.Check{{
		Name: "the sum is that of the rows",
		SQL:  `SELECT s.steps, r.n FROM {schema}.sum s FULL JOIN (SELECT count(*) AS n FROM {schema}.row) r ON true WHERE coalesce(s.steps, 0) <> r.n`,
	}}
}

// BuildDependent tells of a table that has a row for each fold.
func (p *tally) BuildDependent() []string { return []string{"part"} }

func (p *tally) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	if steps[0].Number != after+1 {
		return projections.Outcome{}, fmt.Errorf("step %d comes after %d", steps[0].Number, after)
	}
	b := &pgx.Batch{}
	for _, s := range steps {
		b.Queue(p.spec.SQL(`INSERT INTO {schema}.row VALUES ($1, $2, $3, $4)`), s.Number, s.SourceSeq, s.Height, p.rules)
	}
	b.Queue(p.spec.SQL(`INSERT INTO {schema}.part VALUES ($1, $2)`), steps[0].Number, len(steps))
	b.Queue(p.spec.SQL(`INSERT INTO {schema}.sum SELECT 0, 0 WHERE NOT EXISTS (SELECT FROM {schema}.sum)`))
	b.Queue(p.spec.SQL(`UPDATE {schema}.sum SET steps = steps + $1`), len(steps))
	return projections.Outcome{}, tx.SendBatch(ctx, b).Close()
}

// statusAt is the status of one instance.
func statusAt(t *testing.T, log *eventstore.Log, i projections.Instance) projections.Status {
	t.Helper()
	all, err := projections.Statuses(t.Context(), log.Pool())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Instance() == i {
			return s
		}
	}
	return projections.Status{}
}

// caughtUp waits until instances are live at the head, with their indexes.
func caughtUp(t *testing.T, log *eventstore.Log, instances ...projections.Instance) {
	t.Helper()
	for _, i := range instances {
		var s projections.Status
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
			s = statusAt(t, log, i)
			if s.State == projections.StateLive && s.Lag() == 0 && s.Indexed {
				break
			}
			if s.State == projections.StateFailed || time.Now().After(deadline) {
				reason := ""
				if s.Error != nil {
					reason = *s.Error
				}
				t.Fatalf("%s does not catch up: %+v %s", i, s, reason)
			}
		}
	}
}

func at(name string, version int) projections.Instance {
	return projections.Instance{Name: name, Version: version}
}

// follow runs these lines until stop is called.
func follow(t *testing.T, log *eventstore.Log, lines ...projections.Line) (stop func()) {
	t.Helper()
	return replay.Follow(t, projections.Config{Log: log, Interval: 50 * time.Millisecond}, lines...)
}

// rebuild registers what rebuilds a projection.
func rebuild(t *testing.T, log *eventstore.Log, lines projections.Lines, options projections.RebuildOptions) []projections.Instance {
	t.Helper()
	made, err := projections.Rebuild(t.Context(), log.Pool(), lines, options)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// differences are those of two versions of a projection.
func differences(t *testing.T, log *eventstore.Log, lines projections.Lines, name string, v1, v2 int) (all []projections.Difference) {
	t.Helper()
	d, err := lines.Definition(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := projections.Diff(t.Context(), log.Pool(), d, v1, v2, func(d projections.Difference) bool {
		all = append(all, d)
		return len(all) < 2000
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// verified expects Verify to find nothing wrong.
func verified(t *testing.T, log *eventstore.Log, lines projections.Lines, i projections.Instance) {
	t.Helper()
	d, err := lines.Definition(i.Name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := projections.Verify(t.Context(), log.Pool(), d, i)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range v.Findings {
		t.Errorf("%s: %s", i, f)
	}
}

func query[T any](t *testing.T, log *eventstore.Log, sql string, args ...any) T {
	t.Helper()
	var value T
	if err := log.Pool().QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func execute(t *testing.T, log *eventstore.Log, sql string, args ...any) {
	t.Helper()
	if _, err := log.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
