package eventstore

import (
	"context"
	"sync"
	"time"
)

// queue is the group commit: one goroutine writes, and while it does, the appends that arrive wait in a bounded
// channel and become the next batch. No timer: the first append of a quiet log is written at once.
type queue struct {
	waiting chan *ticket
	write   func(ctx context.Context, batch []Incoming) (first int64, err error)
	timeout time.Duration
	events  int
	bytes   int64

	closing   chan struct{}
	closeOnce sync.Once
	done      chan struct{}
}

type ticket struct {
	in     Incoming
	result chan result
}

type result struct {
	seq int64
	err error
}

func newQueue(config Config, write func(context.Context, []Incoming) (int64, error)) *queue {
	q := &queue{
		waiting: make(chan *ticket, config.QueueEvents),
		write:   write,
		timeout: config.Timeout,
		events:  config.BatchEvents,
		bytes:   config.BatchBytes,
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	go q.run()
	return q
}

func (q *queue) add(ctx context.Context, in Incoming) (int64, error) {
	t := &ticket{in: in, result: make(chan result, 1)}
	select {
	case <-q.closing:
		in.Body.Close()
		return 0, ErrClosed
	default:
	}
	select {
	case q.waiting <- t:
	case <-ctx.Done():
		in.Body.Close()
		return 0, ctx.Err()
	case <-q.closing:
		in.Body.Close()
		return 0, ErrClosed
	}
	select {
	case r := <-t.result:
		return r.seq, r.err
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-q.done:
		// run has ended; it answered every ticket that it saw, so either the answer is there or it never saw this one.
		select {
		case r := <-t.result:
			return r.seq, r.err
		default:
			in.Body.Close()
			return 0, ErrClosed
		}
	}
}

func (q *queue) close() {
	q.closeOnce.Do(func() { close(q.closing) })
	<-q.done
}

func (q *queue) run() {
	defer close(q.done)
	var held *ticket // taken from the channel, but too large for the batch before it
	for {
		first := held
		if first == nil {
			select {
			case first = <-q.waiting:
			case <-q.closing:
				select {
				case first = <-q.waiting:
				default:
					return
				}
			}
		}
		var batch []*ticket
		batch, held = q.gather(first)
		q.flush(batch)
	}
}

// gather adds to first what already waits, up to the bounds of a batch.
func (q *queue) gather(first *ticket) (batch []*ticket, held *ticket) {
	batch = append(batch, first)
	bytes := first.in.Body.Size()
	for len(batch) < q.events && bytes < q.bytes {
		select {
		case t := <-q.waiting:
			if bytes += t.in.Body.Size(); bytes > q.bytes {
				return batch, t
			}
			batch = append(batch, t)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

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
			t.result <- result{err: err}
			continue
		}
		t.result <- result{seq: first + int64(i)}
	}
}
