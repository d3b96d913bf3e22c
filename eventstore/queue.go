package eventstore

import (
	"context"
	"slices"
	"sync"
	"time"
)

// queue is the group commit. Whoever appends while nobody writes becomes the leader: it writes its event itself, in
// its own goroutine, because handing it to another one would cost as much as a good part of the commit. Appends that
// arrive meanwhile wait. When the leader is done, the first of them leads the next batch, which is everybody who
// waits by then. No timer: an append to a quiet log is written at once.
type queue struct {
	write   func(ctx context.Context, batch []Incoming) (first int64, err error)
	timeout time.Duration
	events  int
	bytes   int64
	slots   chan struct{} // one is taken by each append under way: back-pressure

	mu      sync.Mutex
	led     bool // somebody leads
	closed  bool
	waiting []*ticket
	idle    *sync.Cond // nobody leads
}

type ticket struct {
	in   Incoming
	turn chan turn // gets one value: the order to lead, or the result
}

type turn struct {
	lead bool
	seq  int64
	err  error
}

func newQueue(config Config, write func(context.Context, []Incoming) (int64, error)) *queue {
	q := &queue{
		write:   write,
		timeout: config.Timeout,
		events:  config.BatchEvents,
		bytes:   config.BatchBytes,
		slots:   make(chan struct{}, config.QueueEvents),
	}
	q.idle = sync.NewCond(&q.mu)
	return q
}

func (q *queue) add(ctx context.Context, in Incoming) (int64, error) {
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
	case <-ctx.Done():
		in.Body.Close()
		return 0, ctx.Err()
	}
	t := &ticket{in: in, turn: make(chan turn, 1)}
	q.mu.Lock()
	switch {
	case q.closed:
		q.mu.Unlock()
		in.Body.Close()
		return 0, ErrClosed
	case !q.led:
		q.led = true
		q.mu.Unlock()
		return q.lead(t)
	}
	q.waiting = append(q.waiting, t)
	q.mu.Unlock()
	select {
	case turn := <-t.turn:
		return q.take(t, turn)
	case <-ctx.Done():
		return q.leave(ctx, t)
	}
}

func (q *queue) take(t *ticket, turn turn) (int64, error) {
	if turn.lead {
		return q.lead(t)
	}
	return turn.seq, turn.err
}

// leave is for a caller who waits no longer. Its event is not written, unless it is in somebody's batch already, or
// the others wait for this caller to lead.
func (q *queue) leave(ctx context.Context, t *ticket) (int64, error) {
	q.mu.Lock()
	at := slices.Index(q.waiting, t)
	if at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
	}
	q.mu.Unlock()
	if at >= 0 {
		t.in.Body.Close()
		return 0, ctx.Err()
	}
	select {
	case turn := <-t.turn:
		return q.take(t, turn)
	default:
		return 0, ctx.Err()
	}
}

// lead writes t and those who wait, and passes the lead on.
func (q *queue) lead(t *ticket) (int64, error) {
	q.flush(q.gather(t))
	q.mu.Lock()
	if len(q.waiting) > 0 {
		next := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		next.turn <- turn{lead: true}
	} else {
		q.led = false
		q.idle.Broadcast()
	}
	q.mu.Unlock()
	own := <-t.turn
	return own.seq, own.err
}

// gather adds to first those who wait, up to the bounds of a batch.
func (q *queue) gather(first *ticket) []*ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := []*ticket{first}
	bytes := first.in.Body.Size()
	n := 0
	for _, t := range q.waiting {
		bytes += t.in.Body.Size()
		if len(batch) >= q.events || bytes > q.bytes {
			break
		}
		batch = append(batch, t)
		n++
	}
	q.waiting = slices.Delete(q.waiting, 0, n)
	return batch
}

// flush writes a batch and tells everybody in it. It does not end with the caller who happens to lead.
func (q *queue) flush(batch []*ticket) {
	ctx, cancel := context.WithTimeout(context.Background(), q.timeout)
	defer cancel()
	ins := make([]Incoming, len(batch))
	for i, t := range batch {
		ins[i] = t.in
	}
	first, err := q.write(ctx, ins)
	for i, t := range batch {
		t.in.Body.Close()
		if err != nil {
			t.turn <- turn{err: err}
			continue
		}
		t.turn <- turn{seq: first + int64(i)}
	}
}

// close refuses further appends and returns when those under way are done. It may be called twice.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for q.led {
		q.idle.Wait()
	}
}
