package eventstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"strata/eventstore"
)

// concurrently calls f with 0 to n-1 at the same time and waits for all.
func concurrently(t testing.TB, n int, f func(i int)) {
	t.Helper()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// Sixteen appenders use two Logs, which know nothing of each other, like two processes. One appender also writes
// batches. A reader follows the log and must never see a position before all earlier ones.
func TestConcurrentAppends(t *testing.T) {
	const appenders, each = 16, 40
	pool := migrated.New(t)
	logs := []*eventstore.Log{openLog(t, pool, eventstore.Config{}), openLog(t, pool, eventstore.Config{})}

	following := make(chan error, 1)
	stop := make(chan struct{})
	go func() { following <- follow(logs[0], stop) }()

	var mu sync.Mutex
	got := map[int64]string{}
	add := func(seq int64, body string) {
		mu.Lock()
		defer mu.Unlock()
		if before, taken := got[seq]; taken {
			t.Errorf("position %d was given to %q and to %q", seq, before, body)
		}
		got[seq] = body
	}
	concurrently(t, appenders, func(i int) {
		log := logs[i%2]
		for j := range each {
			body := fmt.Sprintf("%d %d", i, j)
			if i == 0 {
				second := body + " second"
				first, err := log.AppendBatch(context.Background(), []eventstore.Incoming{
					incoming("/x", []byte(body)), incoming("/x", []byte(second)),
				}, nil)
				if err != nil {
					t.Errorf("append a batch: %v", err)
					continue
				}
				add(first, body)
				add(first+1, second)
				continue
			}
			seq, err := log.Append(context.Background(), incoming("/x", []byte(body)))
			if err != nil {
				t.Errorf("append: %v", err)
				continue
			}
			add(seq, body)
		}
	})
	close(stop)
	if err := <-following; err != nil {
		t.Error(err)
	}
	events := checkWhole(t, logs[1])
	if want := appenders*each + each; len(events) != want {
		t.Errorf("got %d events, want %d", len(events), want)
	}
	for _, e := range events {
		if got[e.Seq] != string(e.Body) {
			t.Errorf("event %d is %q, Append returned that position for %q", e.Seq, e.Body, got[e.Seq])
		}
	}
}

// follow reads the log until stop is closed. It returns an error if a position is missing.
func follow(log *eventstore.Log, stop <-chan struct{}) error {
	var position int64
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		events, err := log.Read(context.Background(), eventstore.Range{After: position, Events: 1000, Bytes: 1 << 20})
		if err != nil {
			return err
		}
		for _, e := range events {
			if e.Seq != position+1 {
				return fmt.Errorf("after %d came %d", position, e.Seq)
			}
			position = e.Seq
		}
	}
}
