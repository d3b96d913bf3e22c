package metadata

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"golang.org/x/sync/semaphore"

	"strata/domain/fetch"
	"strata/eventstore"
)

// Bounds of what shares one transaction, which holds the lock of the log's head.
const (
	batchReports = 512
	batchBytes   = 8 << 20
	// linger is how long the first report of a batch waits for company.
	linger = 10 * time.Millisecond
)

// memoryMax bounds the bytes of all reports that wait for the recorder, in whichever form.
const memoryMax = 64 << 20

// Backoff while the database can't be written to, and the time of one transaction.
const (
	recordRetryFirst   = 50 * time.Millisecond
	recordRetryLongest = 2 * time.Second
	commitTimeout      = 10 * time.Second
)

// finished is an attempt that waits to be recorded.
type finished struct {
	ctx      context.Context // of its job: when it is done, nothing is written any more
	job      *river.Job[task]
	incoming eventstore.Incoming
	done     chan error
}

func (f *finished) size() int64 { return f.incoming.Body.Size() }

// recorder appends reports to the log, those that finish at about the same time together.
type recorder struct {
	logger  *slog.Logger
	metrics *metrics
	commit  func(ctx context.Context, batch []*finished) (settled map[*finished]error, err error)
	queue   chan *finished
	memory  *semaphore.Weighted
}

func newRecorder(log *eventstore.Log, config Config, m *metrics) *recorder {
	return &recorder{
		logger:  config.Logger,
		metrics: m,
		commit:  committer{log}.commit,
		queue:   make(chan *finished),
		memory:  semaphore.NewWeighted(memoryMax),
	}
}

// admit waits until there is memory for a report. Whoever gets it gives it back with release.
func (r *recorder) admit(ctx context.Context, report *fetch.Report) (release func(), err error) {
	weight := min(weightOf(report), memoryMax)
	if err := r.memory.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { r.memory.Release(weight) }, nil
}

// record returns nil when a report that was admitted is in the log and its job is completed. Otherwise neither is so.
func (r *recorder) record(ctx context.Context, job *river.Job[task], report *fetch.Report) error {
	body, err := encode(report, reportMax)
	if err != nil {
		return fmt.Errorf("write the report on %s: %w", job.Args.Raising.Key, err)
	}
	f := &finished{ctx: ctx, job: job, incoming: incoming(report, body), done: make(chan error, 1)}
	select {
	case r.queue <- f:
		return <-f.done // what is being written can't be left alone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// incoming is the event of a report.
func incoming(report *fetch.Report, body []byte) eventstore.Incoming {
	return eventstore.Incoming{
		ReceivedAt: report.FinishedAt, Source: "metadata", Path: fetch.PathReport, ContentType: fetch.ContentType,
		Body: eventstore.NewBody(body),
	}
}

// weightOf estimates the memory of a report: the bodies, and their text in JSON.
func weightOf(report *fetch.Report) int64 {
	weight := int64(1 << 10)
	for _, e := range report.Exchanges {
		weight += 3 * int64(len(e.Body))
	}
	return weight
}

// run records until stop is closed. Whoever closes it makes sure that no worker is left.
func (r *recorder) run(stop <-chan struct{}) {
	for {
		select {
		case f := <-r.queue:
			r.write(r.gather(f))
		case <-stop:
			return
		}
	}
}

// gather waits a moment for what else is finished.
func (r *recorder) gather(first *finished) []*finished {
	batch, size := []*finished{first}, first.size()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for len(batch) < batchReports && size < batchBytes {
		select {
		case f := <-r.queue:
			batch = append(batch, f)
			size += f.size()
		case <-timer.C:
			return batch
		}
	}
	return batch
}

// write appends a batch, again and again until the database takes it or the time of each is over.
func (r *recorder) write(batch []*finished) {
	pause := recordRetryFirst
	for {
		batch = r.inTime(batch)
		if len(batch) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
		settled, err := r.commit(ctx, batch)
		cancel()
		if err == nil {
			if len(settled) == 0 {
				r.metrics.batches.Observe(float64(len(batch)))
				for _, f := range batch {
					f.done <- nil
				}
				return
			}
			batch = answerSome(batch, settled)
			continue
		}
		if pause == recordRetryFirst {
			r.logger.LogAttrs(context.Background(), slog.LevelWarn, "what was fetched can't be recorded; trying again",
				slog.Int("reports", len(batch)), slog.Any("error", err))
		}
		time.Sleep(pause)
		pause = min(2*pause, recordRetryLongest)
	}
}

// inTime turns away those whose time is over.
func (r *recorder) inTime(batch []*finished) []*finished {
	var left []*finished
	for _, f := range batch {
		if f.ctx.Err() != nil {
			f.done <- context.Cause(f.ctx)
		} else {
			left = append(left, f)
		}
	}
	return left
}

// answerSome tells those that are settled, and returns the others.
func answerSome(batch []*finished, settled map[*finished]error) []*finished {
	var left []*finished
	for _, f := range batch {
		if err, ok := settled[f]; ok {
			f.done <- err
		} else {
			left = append(left, f)
		}
	}
	return left
}
