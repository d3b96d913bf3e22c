package version_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/internal/testsignal"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
)

// reader reads the active version over and over, as the API does: which version is active, and its rows, in one
// snapshot.
type reader struct {
	reads    atomic.Int64
	read     testsignal.Signal
	versions [3]atomic.Int64 // how often each was seen
	seen     int64           // the last step
	err      error
	done     chan struct{}
}

func read(ctx context.Context, pool *pgxpool.Pool) *reader {
	r := &reader{done: make(chan struct{})}
	r.read.Init()
	go func() {
		defer close(r.done)
		for ctx.Err() == nil && r.err == nil {
			r.err = r.once(pool)
			r.read.Send()
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
		r.reads.Add(1)
		return nil
	})
}

// TestSwitchUnderReads builds a version with other rules, and switches to it and back, again and again, while events
// come and a reader reads all the time. No read fails, none mixes two versions, and none sees less than the one before.
func TestSwitchUnderReads(t *testing.T) {
	t.Parallel()
	readsMin := short.Form[int64](3000, 1000)
	log := replay.NewLog(t)
	old := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	next := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(2))}
	posts := rig.Blocks(0, 4000)
	appendSome := func(n int) {
		replay.Append(t, log, posts[:n]...)
		posts = posts[n:]
	}
	rig.Follow(t, log, old...)
	appendSome(1500)
	replay.Wait(t, log)

	ctx, stopReading := context.WithCancel(t.Context())
	defer stopReading()
	r := read(ctx, log.Pool())
	appending, stopAppending := context.WithCancel(t.Context())
	appended := make(chan struct{})
	go func() {
		defer close(appended)
		for len(posts) > 10 && appending.Err() == nil {
			appendSome(1 + len(posts)%3)
			for range 3 { // beside so many reads
				select {
				case <-r.read.C():
				case <-appending.Done():
				}
			}
		}
	}()
	// A process with newer code starts, and builds its version beside the old one.
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, BuildNew: true}, next...)
	waitUntilIndexed(t, log, rig.Schema("tally", 2))
	if s := rig.StatusOf(t, log, rig.Schema("tally", 1)); !s.Active {
		t.Errorf("the new version became active by itself")
	}
	for turn := 0; turn < 6 || r.reads.Load() < readsMin; turn++ {
		change(t, func() ([]version.Switch, error) {
			if turn%2 == 0 && turn < 4 {
				return version.Activate(t.Context(), log.Pool(), next, []projections.Schema{rig.Schema("tally", 2)})
			}
			return version.Rollback(t.Context(), log.Pool(), old, "tally")
		})
		before := r.reads.Load()
		eventually.Holds(t, "there are reads after the switch", func() bool { return r.reads.Load() >= before+readsMin/10 || r.ended() })
		if r.ended() {
			t.Fatalf("after %d reads: %v", r.reads.Load(), r.err)
		}
	}
	stopAppending()
	<-appended
	stopReading()
	<-r.done
	if r.err != nil {
		t.Fatal(r.err)
	}
	if r.versions[1].Load() == 0 || r.versions[2].Load() == 0 {
		t.Errorf("got %d reads of version 1 and %d of version 2", r.versions[1].Load(), r.versions[2].Load())
	}
	t.Logf("%d reads", r.reads.Load())
	for _, d := range rig.Differences(t, log, next, "tally", 1, 2) {
		if len(d.Columns) != 1 || d.Columns[0].Column != "rules" || *d.Columns[0].Old != "1" || *d.Columns[0].New != "2" {
			t.Errorf("got %s, want another number of rules only", rig.Describe(d))
			break
		}
	}
}

// change activates versions, or rolls back, as soon as they are not refused because the log has grown faster than they were folded.
func change(t *testing.T, do func() ([]version.Switch, error)) (switches []version.Switch) {
	t.Helper()
	eventually.Holds(t, "the versions can be switched to", func() bool {
		var err error
		switches, err = do()
		var behind *version.BehindError
		var unfit *version.VerifyError
		if errors.As(err, &behind) || errors.As(err, &unfit) && len(unfit.Findings) == 1 && unfit.Findings[0].Check == "it has caught up" {
			return false
		}
		must.Do(t, err)
		return true
	})
	return switches
}

// waitUntilIndexed waits until a version is near the head of a growing log, and has its indexes.
func waitUntilIndexed(t *testing.T, log *eventstore.Log, i projections.Schema) {
	t.Helper()
	eventually.Holds(t, i.String()+" catches up", func() bool {
		return rig.Query[bool](t, log, `SELECT coalesce(bool_or(indexed AND state = 'live'), false) FROM strata.projection WHERE name = $1 AND version = $2`, i.Name, i.Version)
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
	if err := activate(lines); err != nil || !rig.Query[bool](t, log, `SELECT pg_get_viewdef('api.tally_row') LIKE '%tally_v2%'`) {
		t.Errorf("got %v, want the version active, and shown by the view", err)
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
