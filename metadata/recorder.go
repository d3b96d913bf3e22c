package metadata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/semaphore"

	"strata/domain/fetch"
	"strata/eventstore"
)

// Limits of the batch that shares one transaction. The transaction holds the lock on the log's head.
const (
	batchReports = 512
	batchBytes   = 8 << 20
	// linger is how long the first report of a batch waits for others.
	linger = 10 * time.Millisecond
)

// memoryMax bounds the memory of all reports that wait for the recorder, in bytes.
const memoryMax = 64 << 20

// reportMax bounds the size of an encoded report, in bytes.
const reportMax = 64 << 20

const (
	recordRetryFirst   = 50 * time.Millisecond // pause after a failed transaction; it doubles each time
	recordRetryLongest = 2 * time.Second
	commitTimeout      = 10 * time.Second // of one transaction
)

// finishedAttempt is an attempt whose report waits to be recorded.
type finishedAttempt struct {
	ctx      context.Context // of the worker; once it is done, the report must not be written
	lease    *lease
	report   *fetch.Report
	incoming eventstore.Incoming // of the report alone
	cost     int64               // bytes that it adds to the log; its share, if it shares an event with others
	done     chan error
}

func (f *finishedAttempt) size() int64 { return f.incoming.Body.Size() }

// recorder appends reports to the log. Reports that are finished at about the same time share a transaction.
type recorder struct {
	logger  *slog.Logger
	metrics *metrics
	log     *eventstore.Log
	budget  *budget
	queue   chan *finishedAttempt
	memory  *semaphore.Weighted
}

func newRecorder(config Config, m *metrics) *recorder {
	return &recorder{
		logger:  config.Logger,
		metrics: m,
		log:     config.Log,
		budget:  &budget{log: config.Log, fetchesMost: config.ContractFetches, bytesMost: config.ContractBytes, logger: config.Logger, rests: m.rests},
		queue:   make(chan *finishedAttempt),
		memory:  semaphore.NewWeighted(memoryMax),
	}
}

// admit waits until there is memory for a report. The caller must return the memory with release.
func (r *recorder) admit(ctx context.Context, report *fetch.Report) (release func(), err error) {
	weight := min(weightOf(report), memoryMax)
	if err := r.memory.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { r.memory.Release(weight) }, nil
}

// record appends an admitted report to the log and ends the lease. It returns an error if neither was done.
func (r *recorder) record(ctx context.Context, l *lease, report *fetch.Report) error {
	body, err := report.EncodeWithin(reportMax)
	if err != nil {
		return fmt.Errorf("encode the report on want %x: %w", l.key, err)
	}
	f := &finishedAttempt{ctx: ctx, lease: l, report: report, incoming: incoming(report, body), done: make(chan error, 1)}
	select {
	case r.queue <- f:
		return <-f.done // not earlier, because the report may be in a transaction
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// incoming returns the log event of a report.
func incoming(report *fetch.Report, body []byte) eventstore.Incoming {
	return eventstore.Incoming{
		ReceivedAt: report.FinishedAt, Source: "metadata", Path: fetch.PathReport, ContentType: fetch.ContentType,
		Body: eventstore.NewBody(body),
	}
}

// weightOf estimates the memory of a report in bytes: its bodies, and their text in JSON.
func weightOf(report *fetch.Report) int64 {
	weight := int64(1 << 10)
	for _, e := range report.Exchanges {
		weight += 3 * int64(len(e.Body))
	}
	return weight
}

// run records reports until stop is closed. No worker may be left by then.
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

// gather collects a batch: the first report, and those that are finished within a moment.
func (r *recorder) gather(first *finishedAttempt) []*finishedAttempt {
	batch, size := []*finishedAttempt{first}, first.size()
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

// write appends a batch. It tries again until the database accepts the batch or the time of every worker in it is over.
func (r *recorder) write(batch []*finishedAttempt) {
	pause := recordRetryFirst
	for {
		batch = r.dropExpired(batch)
		if len(batch) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
		settled, err := r.commit(ctx, batch)
		cancel()
		if err == nil {
			if len(settled) == 0 {
				r.metrics.batches.Observe(float64(len(batch)))
				r.budget.letRest()
				for _, f := range batch {
					f.done <- nil
				}
				return
			}
			batch = answerSettled(batch, settled)
			continue
		}
		if pause == recordRetryFirst {
			r.logger.LogAttrs(context.Background(), slog.LevelWarn, "recording fetch reports failed; retrying",
				slog.Int("reports", len(batch)), slog.Any("error", err))
		}
		time.Sleep(pause)
		pause = min(2*pause, recordRetryLongest)
	}
}

// errLost means that an attempt must not be recorded: it took so long that its want was given to another worker.
var errLost = errors.New("the want was given to another worker")

// errNotAll rolls back the transaction of a batch with reports that must not be recorded.
var errNotAll = errors.New("not all of the batch can be recorded")

// commit appends the reports of a batch and ends their leases in one transaction, all or none. If some must not be recorded, it
// records nothing, and returns these with the reason: errLost, or nil for one that is already in the log, by a commit whose
// answer was lost.
func (r *recorder) commit(ctx context.Context, batch []*finishedAttempt) (settled map[*finishedAttempt]error, err error) {
	incoming, err := together(batch)
	if err != nil {
		return nil, err
	}
	_, err = r.log.AppendBatch(ctx, incoming, func(tx pgx.Tx, _ int64) error {
		settled, err = finish(ctx, tx, batch)
		switch {
		case err != nil:
			return err
		case len(settled) > 0:
			return errNotAll
		}
		return r.budget.spend(ctx, tx, batch)
	})
	if errors.Is(err, errNotAll) {
		return settled, nil
	}
	return nil, err
}

// dropExpired answers the attempts whose worker's time is over, and returns the others.
func (r *recorder) dropExpired(batch []*finishedAttempt) []*finishedAttempt {
	var left []*finishedAttempt
	for _, f := range batch {
		if f.ctx.Err() != nil {
			f.done <- context.Cause(f.ctx)
		} else {
			left = append(left, f)
		}
	}
	return left
}

// answerSettled answers the attempts that are settled, and returns the others.
func answerSettled(batch []*finishedAttempt, settled map[*finishedAttempt]error) []*finishedAttempt {
	var left []*finishedAttempt
	for _, f := range batch {
		if err, ok := settled[f]; ok {
			f.done <- err
		} else {
			left = append(left, f)
		}
	}
	return left
}
