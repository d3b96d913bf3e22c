package version_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/projections"
	"strata/projections/version"
	"strata/rig"
)

// reader reads the active version over and over, as the API does: which version is active, and its rows, in one
// snapshot.
type reader struct {
	versions [3]atomic.Int64 // how often each was seen
	seen     int64           // the last step
	err      error
	done     chan struct{}
}

func read(ctx context.Context, pool *pgxpool.Pool) *reader {
	r := &reader{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for ctx.Err() == nil && r.err == nil {
			r.err = r.once(pool)
		}
	}()
	return r
}

// ended reports whether the reader has stopped: its context has ended, or a read failed.
func (r *reader) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func (r *reader) once(pool *pgxpool.Pool) error {
	ctx := context.Background() // a read is not cut off
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var version int
		var position int64
		err := tx.QueryRow(ctx, `SELECT version, position FROM strata.active JOIN strata.projection USING (name, version) WHERE name = 'tally'`).Scan(&version, &position)
		if err != nil {
			return err
		}
		var last, sum int64
		var rules int
		if err := tx.QueryRow(ctx, fmt.Sprintf(`
			SELECT step, rules, steps FROM tally_v%[1]d.row, tally_v%[1]d.sum ORDER BY step DESC LIMIT 1`, version)).Scan(&last, &rules, &sum); err != nil {
			return err
		}
		if last != position || sum != position || rules != version {
			return fmt.Errorf("version %d at %d: rows up to %d of rules %d, and the sum is %d", version, position, last, rules, sum)
		}
		if last < r.seen {
			return fmt.Errorf("version %d ends at step %d, after %d was seen", version, last, r.seen)
		}
		r.seen = last
		r.versions[version].Add(1)
		return nil
	})
}

// isBehind reports whether a version was refused only because the log has grown faster than it was folded.
func isBehind(err error) bool {
	var behind *version.BehindError
	var unfit *version.VerifyError
	return errors.As(err, &behind) ||
		errors.As(err, &unfit) && len(unfit.Findings) == 1 && unfit.Findings[0].Check == "it has caught up"
}

// waitUntilIndexed waits until a version is near the head of a growing log, and has its indexes.
func waitUntilIndexed(t *testing.T, log interface{ Pool() *pgxpool.Pool }, i projections.Schema) {
	t.Helper()
	eventually.Holds(t, i.String()+" catches up", func() bool {
		var ok bool
		err := log.Pool().QueryRow(t.Context(), `SELECT indexed AND state = 'live' FROM strata.projection WHERE name = $1 AND version = $2`, i.Name, i.Version).Scan(&ok)
		return err == nil && ok
	})
}

// TestActivateRefuses expects versions that are not fit for readers to stay inactive.
func TestActivateRefuses(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	log, stop := rig.Folded(t, 300, lines...)
	stop()
	rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "tally"})
	activate := func(lines projections.Lines) error {
		_, err := version.Activate(t.Context(), log.Pool(), lines, []projections.Schema{rig.Schema("tally", 2)})
		return err
	}
	var verify *version.VerifyError
	if err := activate(lines); !errors.As(err, &verify) || verify.Findings[0].Check != "it has caught up" {
		t.Errorf("a version that is behind: got %v", err)
	}
	stop = rig.Follow(t, log, lines...)
	rig.WaitUntilLive(t, log, rig.Schema("tally", 2))
	stop()
	refused := 0
	for _, c := range []struct{ name, spoil, mend, want string }{
		{"a check", `UPDATE tally_v2.sum SET steps = steps + 1`, `UPDATE tally_v2.sum SET steps = steps - 1`, "the sum is that of the rows"},
		{
			"a row without an event", `UPDATE tally_v2.row SET source_seq = 1301 WHERE step = 7`, `UPDATE tally_v2.row SET source_seq = 7 WHERE step = 7`,
			"each row of row names an event of the log",
		},
		{"an index", `DROP INDEX tally_v2.row_source_idx`, `CREATE UNIQUE INDEX row_source_idx ON tally_v2.row (source_seq, step)`, "it has its indexes"},
		{
			"quarantine", `INSERT INTO strata.quarantine VALUES ('tally', 2, 5, '/p', '', 'r')`, `DELETE FROM strata.quarantine`,
			"it could read the events that the active version could read",
		},
		{
			"a failure", `UPDATE strata.projection SET state = 'failed', error = 'e', error_position = 5 WHERE version = 2`,
			`UPDATE strata.projection SET state = 'live' WHERE version = 2`, "it runs",
		},
	} {
		rig.Execute(t, log, c.spoil)
		if err := activate(lines); !errors.As(err, &verify) || len(verify.Findings) != 1 || verify.Findings[0].Check != c.want || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		} else {
			refused++
		}
		rig.Execute(t, log, c.mend)
	}
	if err := activate(projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(3))}); !errors.Is(err, version.ErrRules) {
		t.Errorf("a version with other rules: got %v", err)
	}
	if err := activate(projections.Lines{projections.Chain(rig.Chain(t))}); !errors.Is(err, projections.ErrUnknown) {
		t.Errorf("a projection without code: got %v", err)
	}
	if version := rig.Query[int](t, log, `SELECT version FROM strata.active WHERE name = 'tally'`); version != 1 {
		t.Errorf("version %d is active", version)
	}
	// Nobody knows whether the active version could read an event that it has not come to.
	rig.Execute(t, log, `INSERT INTO strata.quarantine VALUES ('tally', 2, 301, '/p', '', 'r')`)
	if err := activate(lines); err != nil {
		t.Error(err)
	} else {
		t.Logf("fault: %d versions that were spoiled were refused; one that met a malformed event first was activated", refused)
	}
	// No runner follows the versions now, and the old one falls behind.
	rig.Execute(t, log, `UPDATE strata.projection SET position = position - 1 WHERE name = 'tally' AND version = 1`)
	var behind *version.BehindError
	if _, err := version.Rollback(t.Context(), log.Pool(), lines, "tally"); !errors.As(err, &behind) || behind.Schema != rig.Schema("tally", 1) || behind.Position != 299 || behind.Head != 300 {
		t.Errorf("roll back to a version that is behind: got %v", err)
	}
}
