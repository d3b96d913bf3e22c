package metadata_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/metadata"
)

// A late worker, whose want was given to another worker, does not write its report. The want is
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
	// The lease ends, as if the worker had been away for long.
	must.Get(log.Pool().Exec(t.Context(), `UPDATE metadata.lease SET until = now()`))(t)
	second := <-gates
	close(first)
	eventually.Receive(t, "the late worker notices that its want was given to another worker", r.LostSignal().C())
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
	var key []byte
	var holder [16]byte
	must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT key_hash, holder FROM metadata.lease`).Scan(&key, &holder))
	now := time.Now().UTC()
	report := &fetch.Report{Want: contractRead("get-name"), Attempt: 1, Tip: &tip, StartedAt: now, FinishedAt: now}
	for i, want := range []struct {
		settled bool
		holder  [16]byte
		lost    bool
	}{
		{true, [16]byte{1}, true}, // another lease
		{false, holder, false},
		{true, holder, false},     // the same commit again
		{true, [16]byte{1}, true}, // another lease, after this one is done
	} {
		settled, lost, err := metadata.Commit(t.Context(), log, key, want.holder, report)
		if err != nil || settled != want.settled || lost != want.lost {
			t.Errorf("commit %d: got settled %v, lost %v, %v, want %v, %v", i, settled, lost, err, want.settled, want.lost)
		}
	}
	close(gate) // the worker's own commit comes last
	r.awaitReport(t)
	if leases(t, log, `done`) != 1 {
		t.Error("the lease is not done")
	}
}
