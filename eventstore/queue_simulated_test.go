package eventstore

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// appendModel is an append under way.
type appendModel struct {
	number, size int
	cancel       context.CancelFunc
	left         bool
	ended        chan struct{}
	result       appended
	err          error
}

func (a *appendModel) done() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// TestSimulatedQueue lets callers append, and leave, while writes take time and fail. Each event is written at most once, in the
// order of arrival and in batches of bounded size; each caller gets its own result, and nobody waits while nobody writes.
func TestSimulatedQueue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulateQueue) })
}

func simulateQueue(t *rapid.T) {
	config := Config{
		Timeout: 5 * time.Second, QueueEvents: rapid.IntRange(1, 8).Draw(t, "queue"), BatchEvents: rapid.IntRange(1, 4).Draw(t, "batch"),
		BatchBytes: rapid.Int64Range(10, 40).Draw(t, "bytes"),
	}
	var takes atomic.Int64
	var fails atomic.Bool
	failed := errors.New("failed")
	var log []int // the numbers of the events, in order
	var writing atomic.Int64
	var batches [][]int
	q := newQueue(config, func(ctx context.Context, batch []Incoming) (int64, error) {
		writing.Add(1)
		defer writing.Add(-1)
		var numbers []int
		for _, in := range batch {
			numbers = append(numbers, int(in.ReceivedAt.Unix()))
		}
		batches = append(batches, numbers)
		timer := time.NewTimer(time.Duration(takes.Load()))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if fails.Load() {
			return 0, failed
		}
		log = append(log, numbers...)
		return int64(len(log) - len(numbers)), nil
	})
	var appends []*appendModel
	defer func() {
		for _, a := range appends {
			a.cancel()
		}
	}()
	closing := make(chan struct{})
	closed := false
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		switch step := rapid.IntRange(0, 11).Draw(t, "step"); {
		case step < 6:
			ctx, cancel := context.WithCancel(context.Background())
			// A caller may leave just when a batch has been written, and it is to lead the next.
			most := rapid.SampledFrom([]time.Duration{0, time.Second, 2 * time.Second}).Draw(t, "patience")
			if most > 0 {
				ctx, cancel = context.WithTimeout(context.Background(), most)
			}
			a := &appendModel{number: len(appends), size: rapid.IntRange(0, 20).Draw(t, "size"), cancel: cancel, left: most > 0, ended: make(chan struct{})}
			appends = append(appends, a)
			in := Incoming{ReceivedAt: time.Unix(int64(a.number), 0), Body: NewBody(make([]byte, a.size))}
			go func() {
				defer close(a.ended)
				a.result, a.err = q.add(ctx, in)
			}()
		case step == 6:
			takes.Store(int64(rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(t, "takes")))
			fails.Store(rapid.IntRange(0, 3).Draw(t, "fails") == 0)
		case step == 7 && len(appends) > 0:
			a := appends[rapid.IntRange(0, len(appends)-1).Draw(t, "caller")]
			a.left = a.left || !a.done()
			a.cancel()
		case step == 8 && !closed && rapid.IntRange(0, 5).Draw(t, "close") == 0:
			closed = true
			go func() {
				defer close(closing)
				q.close()
			}()
		default:
			time.Sleep(rapid.SampledFrom([]time.Duration{100 * time.Millisecond, time.Second, time.Minute}).Draw(t, "time"))
		}
		synctest.Wait()
		q.mu.Lock()
		waiting := len(q.waiting)
		q.mu.Unlock()
		if batches := int(writing.Load()); batches > 1 || waiting > 0 && batches == 0 || waiting+batches > config.QueueEvents {
			t.Fatalf("%d wait, and %d batches are written, of %d", waiting, batches, config.QueueEvents)
		}
	}
	time.Sleep(time.Hour) // all batches time out
	synctest.Wait()
	last := -1
	for _, batch := range batches {
		size := int64(0)
		for _, number := range batch {
			size += int64(appends[number].size)
		}
		if len(batch) > config.BatchEvents || len(batch) > 1 && size > config.BatchBytes {
			t.Fatalf("a batch has %d events and %d bytes, of %+v", len(batch), size, config)
		}
		for _, number := range batch {
			if config.QueueEvents >= len(appends) && number <= last { // nobody had to wait for a slot, where there is no order
				t.Fatalf("the order is %v", batches)
			}
			last = number
		}
	}
	for _, a := range appends {
		places := 0
		for _, number := range log {
			if number == a.number {
				places++
			}
		}
		switch {
		case !a.done():
			t.Fatalf("append %d has not ended", a.number)
		case places > 1:
			t.Fatalf("event %d is in the log %d times", a.number, places)
		case a.err == nil && (places != 1 || log[a.result.seq] != a.number):
			t.Fatalf("append %d is told to be event %d of %v", a.number, a.result.seq, log)
		case a.err != nil && !a.left && places != 0:
			t.Fatalf("append %d failed with %v, and is in the log", a.number, a.err)
		case errors.Is(a.err, ErrClosed) && !closed, errors.Is(a.err, context.Canceled) && !a.left:
			t.Fatalf("append %d: %v", a.number, a.err)
		case a.err != nil && !slices.ContainsFunc([]error{failed, ErrClosed, context.Canceled, context.DeadlineExceeded}, func(e error) bool { return errors.Is(a.err, e) }):
			t.Fatalf("append %d: %v", a.number, a.err)
		}
	}
	if closed {
		<-closing
	}
	if len(q.slots) != 0 || len(q.waiting) != 0 || q.hasLeader {
		t.Fatalf("in the end, %d slots are taken, %d wait, and there is a leader: %v", len(q.slots), len(q.waiting), q.hasLeader)
	}
}
