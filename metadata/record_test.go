package metadata_test

import (
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/metadata"
)

// A worker that was taken for lost, and whose job another one does, does not write; and the want is not lost between
// the two.
func TestALateWorkerDoesNotWrite(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gates := make(chan chan struct{}, 10)
	node := newNode(t, func(w http.ResponseWriter, r *http.Request) {
		gate := make(chan struct{})
		gates <- gate
		through(gate)(w, r)
	})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	c := config(log, node.URL)
	c.NodeTimeout, c.AttemptTimeout, c.RecordTimeout = 2*time.Second, 2*time.Second, 2*time.Second
	run(t, c)
	first := <-gates
	// What River does with a job that it takes for lost.
	if _, err := log.Pool().Exec(t.Context(), `UPDATE river.river_job SET state = 'available', scheduled_at = now()`); err != nil {
		t.Fatal(err)
	}
	second := <-gates
	close(first)
	// Whichever runs come of it, one of them is the last.
	time.Sleep(300 * time.Millisecond)
	if got := len(reports(t, log)); got != 0 {
		t.Errorf("the late worker wrote %d reports", got)
	}
	close(second)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case gate := <-gates:
				close(gate)
			case <-t.Context().Done():
				return
			}
		}
	})
	t.Cleanup(done.Wait)
	one(t, log)
}

// A commit whose answer was lost is made again, and finds that it was made.
func TestRecordedOnceThoughCommittedAgain(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, through(gate))
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	c := config(log, node.URL)
	c.NodeTimeout = 30 * time.Second
	c.AttemptTimeout = 30 * time.Second
	run(t, c)
	eventually(t, "a request is under way", 60*time.Second, func() bool { return len(node.requests()) == 1 })
	var (
		id int64
		at time.Time
	)
	if err := log.Pool().QueryRow(t.Context(), `SELECT id, attempted_at FROM river.river_job WHERE state = 'running'`).Scan(&id, &at); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	report := &fetch.Report{Want: contractRead("get-name"), Attempt: 1, Tip: &tip, StartedAt: now, FinishedAt: now}
	for i, want := range []struct {
		settled bool
		at      time.Time
		lost    bool
	}{
		{true, at.Add(-time.Second), true}, // another run of the job
		{false, at, false},
		{true, at, false},                  // again
		{true, at.Add(-time.Second), true}, // another run, when it is done
	} {
		settled, lost, err := metadata.Commit(t.Context(), log, id, want.at, report)
		if err != nil || settled != want.settled || lost != want.lost {
			t.Errorf("commit %d: got settled %v, lost %v, %v, want %v, %v", i, settled, lost, err, want.settled, want.lost)
		}
	}
	close(gate) // the worker's own commit comes last
	one(t, log)
	var state string
	if err := log.Pool().QueryRow(t.Context(), `SELECT state FROM river.river_job`).Scan(&state); err != nil || state != "completed" {
		t.Errorf("the job is %s, %v, want completed", state, err)
	}
}

// River neither settles a job that was completed with its report, nor takes it for one that failed.
func TestRiverLeavesARecordedJobAlone(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	c := config(log, node.URL)
	told := &lines{}
	c.Logger = slog.New(slog.NewTextHandler(told, &slog.HandlerOptions{Level: slog.LevelDebug}))
	stop := run(t, c)
	one(t, log)
	stop() // what River has to settle, it does before it stops
	for _, text := range []string{"Job errored", "Completed sub-batch"} {
		if got := told.count(text); got != 0 {
			t.Errorf("River told %d times: %s", got, text)
		}
	}
}
