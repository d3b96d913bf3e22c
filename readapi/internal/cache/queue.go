package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// queue is a bounded queue of jobs for a few workers. Jobs that don't fit are dropped, so that add never waits.
type queue struct {
	work    func(context.Context, job)
	urgent  chan job // jobs with a turn, for which other processes wait
	rest    chan job
	room    atomic.Int64 // bytes that may still be added
	closing chan struct{}
	dropped func(reason string)
	drain   time.Duration
	cancel  context.CancelFunc
	workers sync.WaitGroup
}

func newQueue(limits limits, work func(context.Context, job), metrics *metrics) *queue {
	ctx, cancel := context.WithCancel(context.Background())
	q := &queue{
		work:    work,
		urgent:  make(chan job, limits.queueLen),
		rest:    make(chan job, limits.queueLen),
		closing: make(chan struct{}),
		dropped: func(reason string) { metrics.dropped.WithLabelValues(reason).Inc() },
		drain:   limits.drain,
		cancel:  cancel,
	}
	q.room.Store(limits.queueBytes)
	for range limits.workers {
		q.workers.Go(func() { q.run(ctx) })
	}
	return q
}

// add puts a job into the queue and reports whether there was room. Jobs that hold a turn go before all others.
func (q *queue) add(j job) bool {
	if q.closed() {
		q.refuse(j, "closed")
		return false
	}
	if q.room.Add(-int64(len(j.value))) < 0 {
		q.room.Add(int64(len(j.value)))
		q.refuse(j, "queue full")
		return false
	}
	line := q.rest
	if j.turn != none {
		line = q.urgent
	}
	select {
	case line <- j:
		return true
	default:
		q.room.Add(int64(len(j.value)))
		q.refuse(j, "queue full")
		return false
	}
}

// closed reports whether the queue accepts no more jobs.
func (q *queue) closed() bool {
	select {
	case <-q.closing:
		return true
	default:
		return false
	}
}

// refuse counts a dropped value.
func (q *queue) refuse(j job, reason string) {
	if j.key != "" {
		q.dropped(reason)
	}
}

// run executes jobs until the queue is closed and empty.
func (q *queue) run(ctx context.Context) {
	for {
		select {
		case j := <-q.urgent:
			q.do(ctx, j)
			continue
		default:
		}
		select {
		case j := <-q.urgent:
			q.do(ctx, j)
		case j := <-q.rest:
			q.do(ctx, j)
		case <-q.closing:
			if len(q.urgent)+len(q.rest) == 0 {
				return
			}
		}
	}
}

func (q *queue) do(ctx context.Context, j job) {
	q.room.Add(int64(len(j.value)))
	if ctx.Err() != nil {
		q.refuse(j, "closed")
		return
	}
	q.work(ctx, j)
}

// close waits until the queue is empty, for at most the drain time; then it drops the remaining jobs.
func (q *queue) close() {
	close(q.closing)
	timer := time.AfterFunc(q.drain, q.cancel)
	q.workers.Wait()
	timer.Stop()
	q.cancel()
}
