package follow_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// attempts is how often an item is tried alone before its projection stops.
const attempts = 5

// TestFailure lets one projection fail at one step. It applies everything before that step, the others go on, and it
// goes on too when it is resumed after the fault is gone.
func TestFailure(t *testing.T) {
	t.Parallel()
	const blocks, poison = 500, 321
	for _, c := range []struct {
		name         string
		panics, live bool
	}{
		{"error in bulk", false, false},
		{"panic in bulk", true, false},
		{"error while live", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			log := replay.NewLog(t)
			r := &rig.Recorder{}
			r.BreakAt(poison, c.panics)
			posts := rig.Blocks(0, blocks)
			var signals *follow.TestSignals
			if c.live {
				replay.Append(t, log, posts[:poison-1]...)
				signals, _ = rig.FollowWithSignals(t, log, projections.Chain(rig.Chain(t), balances.New(nil), r))
				replay.Wait(t, log)
				eventually.Holds(t, "the recorder is live", func() bool { return rig.Status(t, log, "recorder").State == version.StateLive })
				replay.Append(t, log, posts[poison-1:]...)
			} else {
				replay.Append(t, log, posts...)
				replay.Run(t, log, rig.Chain(t)) // so that the recorder finds all steps
				signals, _ = rig.FollowWithSignals(t, log, projections.Chain(rig.Chain(t), balances.New(nil), r))
			}
			eventually.Holds(t, "the recorder fails", func() bool { return rig.Status(t, log, "recorder").State == version.StateFailed })
			eventually.Holds(t, "the others go on", func() bool {
				return rig.Status(t, log, "chain").Position == blocks && rig.Status(t, log, "balances").Position == blocks
			})
			s := rig.Status(t, log, "recorder")
			if s.Position != poison-1 || s.ErrorPosition == nil || *s.ErrorPosition != poison || s.ErrorAt == nil {
				t.Errorf("got %+v, want a failure at step %d after applying all before it", s, poison)
			}
			for _, part := range []string{"recorder", "321", "the well is poisoned\uFFFD", "strata projections resume recorder"} {
				if s.Error == nil || !strings.Contains(*s.Error, part) {
					t.Errorf("the error does not mention %q: %v", part, s.Error)
				}
			}
			rig.CheckRecorded(t, log, poison-1)
			if !c.live && r.Largest() != blocks {
				t.Errorf("the largest batch had %d steps, want all %d", r.Largest(), blocks)
			}
			for range 2 {
				rig.WaitForNext(t, "the follower finds that it is still stopped", &signals.StillFailed)
			}
			if got := r.Alone(poison); got != attempts {
				t.Errorf("step %d was tried %d times, want %d", poison, got, attempts)
			}

			r.BreakAt(0, false)
			must.Do(t, version.Resume(t.Context(), log.Pool(), "recorder"))
			replay.Wait(t, log)
			rig.CheckRecorded(t, log, blocks)
			eventually.Holds(t, "the recorder is live again", func() bool { return rig.Status(t, log, "recorder").State == version.StateLive })
			if err := version.Resume(t.Context(), log.Pool(), "recorder"); err == nil {
				t.Error("resumed a projection that had not failed")
			}
		})
	}
}

func TestRestartTriesAgain(t *testing.T) {
	t.Parallel()
	const blocks, poison = 20, 7
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, blocks)...)
	r := &rig.Recorder{}
	r.BreakAt(poison, false)
	for run := range 2 {
		stop := replay.Start(t, log, rig.Chain(t), r)
		eventually.Holds(t, "the recorder fails", func() bool {
			return r.Alone(poison) >= attempts*(run+1) && rig.Status(t, log, "recorder").State == version.StateFailed
		})
		stop()
	}
	r.BreakAt(0, false)
	replay.Start(t, log, rig.Chain(t), r)
	eventually.Holds(t, "the recorder catches up", func() bool { return rig.Status(t, log, "recorder").Position == blocks })
	rig.CheckRecorded(t, log, blocks)
}

// TestFailureIsWrittenLater lets a projection fail while the database refuses to note that: it is noted later, and once.
func TestFailureIsWrittenLater(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 3)...)
	r := &rig.Recorder{}
	r.BreakAt(2, false)
	rig.Execute(t, log, `CREATE FUNCTION strata.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`)
	replay.Run(t, log, rig.Chain(t))
	rig.Execute(t, log, `CREATE TRIGGER refuse BEFORE UPDATE ON strata.projection FOR EACH ROW WHEN (new.state = 'failed') EXECUTE FUNCTION strata.refuse()`)
	signals, _ := rig.FollowWithSignals(t, log, projections.Chain(rig.Chain(t), r))
	eventually.Holds(t, "the recorder fails", func() bool { return r.Alone(2) >= attempts })
	for range 2 { // it stays as it is
		if s := rig.Status(t, log, "recorder"); s.State == version.StateFailed || s.Error != nil {
			t.Fatalf("got %+v, which the database refuses", s)
		}
		time.Sleep(20 * time.Millisecond)
	}
	rig.Execute(t, log, `DROP TRIGGER refuse ON strata.projection`)
	eventually.Holds(t, "the failure is noted", func() bool { return rig.Status(t, log, "recorder").State == version.StateFailed })
	noted := rig.Status(t, log, "recorder")
	for range 2 {
		rig.WaitForNext(t, "the follower finds that it is still stopped", &signals.StillFailed)
	}
	if s := rig.Status(t, log, "recorder"); *s.ErrorAt != *noted.ErrorAt {
		t.Errorf("the failure is noted at %v, and again at %v", noted.ErrorAt, s.ErrorAt)
	}
	r.BreakAt(0, false)
	must.Do(t, version.Resume(t.Context(), log.Pool(), "recorder"))
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, 3)
}

// hiccuping folds no step at the first attempt, as if the database was shutting down.
type hiccuping struct {
	*rig.Recorder
	folded int64
}

func (h *hiccuping) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	if last := steps[len(steps)-1].Number; last > h.folded {
		h.folded = last
		return projections.Outcome{}, &pgconn.PgError{Code: "57P01"}
	}
	return h.Recorder.Fold(ctx, tx, after, steps)
}

// A projection that has gone on since the database failed it does not wait longer for that the next time.
func TestHiccups(t *testing.T) {
	t.Parallel()
	log, said := replay.NewLog(t), &logbuffer.Buffer{}
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(said, nil))},
		projections.Chain(rig.Chain(t), &hiccuping{Recorder: &rig.Recorder{}}))
	const blocks = 5
	for i := range blocks {
		replay.Append(t, log, rig.Blocks(i, 1)...)
		replay.Wait(t, log)
	}
	if all, short := strings.Count(said.String(), " waits for the database"), strings.Count(said.String(), " wait=50ms "); all != blocks || short != blocks {
		t.Errorf("it waited %d times, %d of them for 50 ms, want %d: %s", all, short, blocks, said.String())
	}
}

// TestTwoProcessesFail expects a fault to stop a projection also where another process stands by: the two must not make
// each other try again.
func TestTwoProcessesFail(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 10)...)
	replay.Run(t, log, rig.Chain(t)) // so that no group tries the step, too
	var recorders [2]rig.Recorder
	var signals [2]*follow.TestSignals
	for i := range recorders {
		recorders[i].BreakAt(5, false)
		signals[i], _ = rig.FollowWithSignals(t, log, projections.Chain(rig.Chain(t), &recorders[i]))
	}
	tried := func() int { return recorders[0].Alone(5) + recorders[1].Alone(5) }
	eventually.Holds(t, "the recorder fails", func() bool {
		return tried() >= attempts && rig.Status(t, log, "recorder").State == version.StateFailed
	})
	for range 3 {
		for i := range signals {
			rig.WaitForNext(t, "each process finds that the recorder is still stopped", &signals[i].StillFailed)
		}
	}
	if got := tried(); got > 2*attempts {
		t.Errorf("the step was tried %d times, want at most %d by each process", got, attempts)
	}
	if s := rig.Status(t, log, "recorder"); s.State != version.StateFailed {
		t.Errorf("got state %s, want failed", s.State)
	}
	for i := range recorders {
		recorders[i].BreakAt(0, false)
	}
	must.Do(t, version.Resume(t.Context(), log.Pool(), "recorder"))
	replay.Wait(t, log)
	rig.CheckRecorded(t, log, 10)
}

// TestResumedAtOnce resumes a projection in the moment in which it has stopped, which must not stop it again before it has tried.
func TestResumedAtOnce(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 10)...)
	replay.Run(t, log, rig.Chain(t)) // so that no group tries the step, too
	rig.Execute(t, log, `
		CREATE SEQUENCE strata.stops;
		CREATE FUNCTION strata.resume() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF nextval('strata.stops') = 1 THEN NEW.state := 'building'; END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER resume BEFORE UPDATE ON strata.projection FOR EACH ROW WHEN (NEW.state = 'failed') EXECUTE FUNCTION strata.resume()`)
	var recorder rig.Recorder
	recorder.BreakAt(5, false)
	signals, _ := rig.FollowWithSignals(t, log, projections.Chain(rig.Chain(t), &recorder))
	rig.WaitForNext(t, "the recorder has stopped for good", &signals.StillFailed)
	if got := recorder.Alone(5); got != 2*attempts {
		t.Errorf("the step was tried %d times, want %d, and as many after it was resumed", got, attempts)
	}
}

// TestMovedPosition moves positions by hand while everything is live.
func TestMovedPosition(t *testing.T) {
	t.Parallel()
	move := func(t *testing.T, log *eventstore.Log, name string, position int64) {
		t.Helper()
		must.Get(log.Pool().Exec(t.Context(), `UPDATE strata.projection SET position = $2 WHERE name = $1`, name, position))(t)
	}
	live := func(t *testing.T) *eventstore.Log {
		log := replay.NewLog(t)
		replay.Start(t, log, rig.Chain(t), &rig.Recorder{})
		replay.Append(t, log, rig.Blocks(0, 20)...)
		replay.Wait(t, log)
		eventually.Holds(t, "all are live", func() bool {
			return rig.Status(t, log, "chain").State == version.StateLive && rig.Status(t, log, "recorder").State == version.StateLive
		})
		return log
	}
	t.Run("chain goes back: it folds the events again, which changes nothing", func(t *testing.T) {
		t.Parallel()
		log := live(t)
		move(t, log, "chain", 5)
		replay.Wait(t, log)
		replay.Append(t, log, rig.Blocks(20, 5)...)
		replay.Wait(t, log)
		rig.CheckRecorded(t, log, 25)
	})
	t.Run("a follower goes back: it stops at a step that it has folded already", func(t *testing.T) {
		t.Parallel()
		log := live(t)
		move(t, log, "recorder", 5)
		eventually.Holds(t, "the recorder fails", func() bool { return rig.Status(t, log, "recorder").State == version.StateFailed })
		if s := rig.Status(t, log, "recorder"); *s.ErrorPosition != 6 || !strings.Contains(*s.Error, "duplicate key") {
			t.Errorf("failed at %d: %s", *s.ErrorPosition, *s.Error)
		}
	})
	t.Run("a follower goes forward: it goes on from there", func(t *testing.T) {
		t.Parallel()
		log := live(t)
		move(t, log, "recorder", 22)
		replay.Append(t, log, rig.Blocks(20, 5)...)
		replay.Wait(t, log)
		got := rig.Query[[]int64](t, log, `SELECT array_agg(step ORDER BY step) FROM recorder_v1.recorded WHERE step > 20`)
		if !slices.Equal(got, []int64{23, 24, 25}) {
			t.Errorf("steps %d were folded", got)
		}
	})
	t.Run("a missing step stops the follower that needs it", func(t *testing.T) {
		t.Parallel()
		log := replay.NewLog(t)
		replay.Append(t, log, rig.Blocks(0, 100)...)
		replay.Run(t, log, rig.Chain(t))
		must.Get(log.Pool().Exec(t.Context(), schemas.In(`DELETE FROM {chain}.step WHERE step = 50`)))(t)
		replay.Start(t, log, rig.Chain(t), &rig.Recorder{})
		eventually.Holds(t, "the recorder fails", func() bool { return rig.Status(t, log, "recorder").State == version.StateFailed })
		if s := rig.Status(t, log, "recorder"); *s.ErrorPosition != 50 {
			t.Errorf("failed at %d, want 50: %s", *s.ErrorPosition, *s.Error)
		}
	})
}

// TestWakeUp polls once an hour, so that only a notification can wake a follower. While nothing comes, nothing is asked.
func TestWakeUp(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	r := &rig.Recorder{}
	var commits atomic.Int64
	replay.Follow(t, follow.Config{Log: log, Interval: time.Hour, Committed: func() { commits.Add(1) }}, projections.Chain(rig.Chain(t), r))
	eventually.Holds(t, "all are live", func() bool {
		return rig.Status(t, log, "chain").State == version.StateLive && rig.Status(t, log, "recorder").State == version.StateLive
	})
	var slowest time.Duration
	posts := rig.Blocks(0, 40)
	for i, post := range posts {
		started := time.Now()
		replay.Append(t, log, post)
		eventually.Holds(t, "the step is folded", func() bool { return len(r.Folds()) > i })
		slowest = max(slowest, time.Since(started))
	}
	eventually.Holds(t, "readers are told of a commit for each block", func() bool { return commits.Load() >= int64(len(posts)) })
	t.Logf("slowest of %d: %v", len(posts), slowest)
	replay.Wait(t, log)
	before := log.Pool().Stat().AcquireCount()
	eventually.Stays(t, "nothing is asked while nothing comes", 300*time.Millisecond, func() bool { return log.Pool().Stat().AcquireCount() < before+10 })
}
