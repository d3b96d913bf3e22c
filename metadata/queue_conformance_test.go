package metadata_test

import (
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
)

// TestQueue checks those rows of the conformance list about the job queue that are the role's alone: J1, J4 and J11. Attempts, delays
// and states of wants (J5 to J9 and J12) are those of the projections: TestWants. A job in that list corresponds to two things here: a
// want, which is a row of a projection, and a lease, which is one attempt.
func TestQueue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T){
		"J1 jobs in progress do not exceed the limit": testLimit,
		"J4 and J11 the database is down":             testDatabaseDown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// J1: the limit is 1. The second attempt does not begin before the first is done.
func testLimit(t *testing.T) {
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, answerAfter(gate))
	c := config(log, node.URL)
	c.Concurrency, c.NodeTimeout, c.AttemptTimeout = 1, 30*time.Second, 30*time.Second
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first"), priority: 1})
	r := run(t, c)
	eventually.Holds(t, "the first attempt is in progress", func() bool { return len(node.requests()) == 1 })
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second")})
	eventually.Holds(t, "a worker has the second want", func() bool { return openLeases(t, log) == 2 })
	r.awaitPass(t)
	if got := node.requests(); len(got) != 1 {
		t.Errorf("%d attempts are in progress, want 1", len(got))
	}
	close(gate)
	r.awaitReports(t, 2)
}

// functionsRead returns the sorted names of the functions in the reports on contracts.
func functionsRead(t *testing.T, log *eventstore.Log) (functions []string) {
	t.Helper()
	for _, r := range reports(t, log) {
		if r.Want.Kind == fetch.ContractRead {
			functions = append(functions, r.Want.Calls[0].Function)
		}
	}
	slices.Sort(functions)
	return functions
}

// J4: the role starts and stops while the database is down. J11: the database goes down while a job is in progress.
// Neither is an error, and the job in progress is recorded once.
func testDatabaseDown(t *testing.T) {
	server := dedicatedServer(t)
	log := openLog(t, server.New(t))
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	defer open()
	node := newNode(t, answerAfter(gate))
	c := config(log, node.URL)
	c.NodeTimeout, c.AttemptTimeout, c.RecordTimeout = 30*time.Second, 30*time.Second, 30*time.Second
	logged := &logbuffer.Buffer{}
	c.Logger = slog.New(slog.NewTextHandler(logged, nil))
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first")})

	t.Run("J4", func(t *testing.T) {
		server.Stop(t)
		r := run(t, c)
		eventually.Holds(t, "the role waits for the database", func() bool { return logged.HasLine("waits for the database") })
		r.stop()
		if got := len(node.requests()); got != 0 {
			t.Errorf("%d requests were made while the database was down", got)
		}
		server.Start(t)
	})
	t.Run("J11", func(t *testing.T) {
		r := run(t, c)
		eventually.Holds(t, "a job is in progress", func() bool { return len(node.requests()) == 1 })
		server.Stop(t)
		open()
		eventually.Holds(t, "recording has failed", func() bool { return logged.HasLine("recording fetch reports failed") })
		server.Start(t)
		log.Pool().Reset() // the test's own reads must not meet a connection of before
		eventually.Holds(t, "the report is recorded", func() bool { return len(reports(t, log)) > 0 })
		r.awaitReport(t)
		if got := len(node.requests()); got != 1 {
			t.Errorf("the node got %d requests, want one, whose answer waits for the database", got)
		}
	})
}
