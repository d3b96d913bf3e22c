package metadata_test

import (
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/metadata"
)

// A late worker, whose job counted as lost and was given to another worker, does not write its report. The want is
// still answered in the end.
func TestALateWorkerDoesNotWrite(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gates := make(chan chan struct{}, 10)
	node := newNode(t, func(w http.ResponseWriter, r *http.Request) {
		gate := make(chan struct{})
		gates <- gate
		answerAfter(gate)(w, r)
	})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	c := config(log, node.URL)
	c.NodeTimeout, c.AttemptTimeout, c.RecordTimeout = 2*time.Second, 2*time.Second, 2*time.Second
	r := run(t, c)
	first := <-gates
	// River does this with a job that counts as lost.
	if _, err := log.Pool().Exec(t.Context(), `UPDATE river.river_job SET state = 'available', scheduled_at = now()`); err != nil {
		t.Fatal(err)
	}
	second := <-gates
	close(first)
	eventually.Receive(t, "the late worker notices that its job was given to another worker", r.LostSignal().C())
	if got := len(reports(t, log)); got != 0 {
		t.Errorf("the late worker wrote %d reports", got)
	}
	// However many runs follow, one of them is undisturbed.
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
	r.awaitReport(t)
}

// A commit whose answer was lost is repeated, and finds that the report is already recorded.
func TestRepeatedCommitRecordsOnce(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, answerAfter(gate))
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	c := config(log, node.URL)
	c.NodeTimeout = 30 * time.Second
	c.AttemptTimeout = 30 * time.Second
	r := run(t, c)
	eventually.Holds(t, "a request is in progress", func() bool { return len(node.requests()) == 1 })
	var (
		id        int64
		attempted time.Time
	)
	if err := log.Pool().QueryRow(t.Context(), `SELECT id, attempted_at FROM river.river_job WHERE state = 'running'`).Scan(&id, &attempted); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	report := &fetch.Report{Want: contractRead("get-name"), Attempt: 1, Tip: &tip, StartedAt: now, FinishedAt: now}
	for i, want := range []struct {
		settled   bool
		attempted time.Time
		lost      bool
	}{
		{true, attempted.Add(-time.Second), true}, // another run of the job
		{false, attempted, false},
		{true, attempted, false},                  // the same commit again
		{true, attempted.Add(-time.Second), true}, // another run, after the job is completed
	} {
		settled, lost, err := metadata.Commit(t.Context(), log, id, want.attempted, report)
		if err != nil || settled != want.settled || lost != want.lost {
			t.Errorf("commit %d: got settled %v, lost %v, %v, want %v, %v", i, settled, lost, err, want.settled, want.lost)
		}
	}
	close(gate) // the worker's own commit comes last
	r.awaitReport(t)
	if jobs(t, log, `state = 'completed'`) != 1 {
		t.Error("the job is not completed")
	}
}

// River neither settles a job that was completed with its report, nor treats it as failed.
func TestRiverLeavesARecordedJobAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for River")
	}
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	c := config(log, node.URL)
	logged := &logbuffer.Buffer{}
	c.Logger = slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r := run(t, c)
	r.awaitReport(t)
	r.stop() // River settles jobs before it stops
	for _, text := range []string{"Job errored", "Completed sub-batch"} {
		if logged.HasLine(text) {
			t.Errorf("River logged %q", text)
		}
	}
}
