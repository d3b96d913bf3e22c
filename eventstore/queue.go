package eventstore

import (
	"context"
	"slices"
	"sync"
	"time"
)

// queue implements group commit. A caller that appends while nobody writes becomes the leader: it writes its event in
// its own goroutine, because a hand-over to another goroutine would cost a good part of the commit's time. Callers that
// arrive meanwhile wait. When the leader is done, the first of them becomes the leader of the next batch: its own event
// and those of all callers that wait by then. There is no timer, so an append to a quiet log is written at once.
type queue struct {
	write   func(ctx context.Context, batch []Incoming) (first int64, err error)
	timeout time.Duration
	events  int           // maximum of a batch
	bytes   int64         // maximum of a batch
	slots   chan struct{} // each append under way holds one: back-pressure

	mu        sync.Mutex
	hasLeader bool
	closed    bool
	waiting   []*ticket
	idle      *sync.Cond // signals that there is no leader
}

// ticket is an append under way.
type ticket struct {
	in   Incoming
	turn chan turn // the order to lead, if it comes, and then the result
}

// turn is the order to lead the next batch, or the result of an append.
type turn struct {
	lead bool
	appended
	err error
}

// appended says where an event is, and how its batch was written.
type appended struct {
	seq          int64
	began, ended time.Time // of the writing of the batch
	events       int       // in the batch
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

func (q *queue) add(ctx context.Context, in Incoming) (appended, error) {
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
	case <-ctx.Done():
		in.Body.Close()
		return appended{}, ctx.Err()
	}
	t := &ticket{in: in, turn: make(chan turn, 1)}
	q.mu.Lock()
	switch {
	case q.closed:
		q.mu.Unlock()
		in.Body.Close()
		return appended{}, ErrClosed
	case !q.hasLeader:
		q.hasLeader = true
		q.mu.Unlock()
		return q.lead(t)
	}
	q.waiting = append(q.waiting, t)
	q.mu.Unlock()
	select {
	case turn := <-t.turn:
		return q.take(t, turn)
	case <-ctx.Done():
		return q.abandon(ctx, t)
	}
}

func (q *queue) take(t *ticket, turn turn) (appended, error) {
	if turn.lead {
		return q.lead(t)
	}
	return turn.appended, turn.err
}

// abandon ends an append whose ctx has ended. It withdraws the event if that still waits. An event that is already in
// a leader's batch can't be withdrawn. A caller that has just been told to lead must lead, for others wait for it.
func (q *queue) abandon(ctx context.Context, t *ticket) (appended, error) {
	q.mu.Lock()
	index := slices.Index(q.waiting, t)
	if index >= 0 {
		q.waiting = slices.Delete(q.waiting, index, index+1)
	}
	q.mu.Unlock()
	if index >= 0 {
		t.in.Body.Close()
		return appended{}, ctx.Err()
	}
	select {
	case turn := <-t.turn:
		return q.take(t, turn)
	default:
		return appended{}, ctx.Err()
	}
}

// lead writes a batch of t and waiting tickets, and then makes the next waiting caller the leader.
func (q *queue) lead(t *ticket) (appended, error) {
	q.flush(q.gather(t))
	q.mu.Lock()
	if len(q.waiting) > 0 {
		next := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		next.turn <- turn{lead: true}
	} else {
		q.hasLeader = false
		q.idle.Broadcast()
	}
	q.mu.Unlock()
	own := <-t.turn
	return own.appended, own.err
}

// gather takes waiting tickets into a batch with first, up to the maxima of a batch.
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

// flush writes a batch and sends each of its callers the result. It ignores the leader's context, because the batch
// belongs to others too.
func (q *queue) flush(batch []*ticket) {
	ctx, cancel := context.WithTimeout(context.Background(), q.timeout)
	defer cancel()
	ins := make([]Incoming, len(batch))
	for i, t := range batch {
		ins[i] = t.in
	}
	done := appended{began: time.Now(), events: len(batch)}
	first, err := q.write(ctx, ins)
	done.ended = time.Now()
	for i, t := range batch {
		t.in.Body.Close()
		if err != nil {
			t.turn <- turn{err: err}
			continue
		}
		done.seq = first + int64(i)
		t.turn <- turn{appended: done}
	}
}

// close refuses further appends and waits until those under way are done. It may be called twice.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for q.hasLeader {
		q.idle.Wait()
	}
}
