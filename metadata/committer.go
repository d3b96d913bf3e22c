package metadata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"

	"strata/eventstore"
	"strata/metadata/internal/jobqueue"
)

// errLost means that an attempt must not be recorded: it took so long that its job was given to another worker.
var errLost = errors.New("the job was given to another worker")

// errNotAll rolls back the transaction of a batch with reports that must not be recorded.
var errNotAll = errors.New("not all of the batch can be recorded")

// committer appends reports and completes their jobs in one transaction.
type committer struct {
	log    *eventstore.Log
	budget *budget
}

// commit records the whole batch or nothing. If some attempts must not be recorded, it records nothing, and returns
// these attempts with the reason: errLost, or nil for one that is already in the log, by a commit whose answer was
// lost.
func (c committer) commit(ctx context.Context, batch []*finishedAttempt) (settled map[*finishedAttempt]error, err error) {
	incoming, err := together(batch)
	if err != nil {
		return nil, err
	}
	_, err = c.log.AppendBatch(ctx, incoming, func(tx pgx.Tx, _ int64) error {
		others, err := completeJobs(ctx, tx, batch)
		if err == nil && len(others) == 0 {
			err = c.budget.spend(ctx, tx, batch)
		}
		if err != nil || len(others) == 0 {
			return err
		}
		if settled, err = settleJobs(ctx, tx, others); err != nil {
			return err
		}
		return errNotAll
	})
	if errors.Is(err, errNotAll) {
		return settled, nil
	}
	return nil, err
}

// completeJobs does for a batch what river.JobCompleteTx does for one job. It takes one statement, because the
// transaction blocks all other writers of the log. It returns the attempts whose job is not in the run that their
// worker was given; then the caller must roll back. The time at which a worker got a job distinguishes its runs.
func completeJobs(ctx context.Context, tx pgx.Tx, batch []*finishedAttempt) (others []*finishedAttempt, err error) {
	ids := make([]int64, len(batch))
	for i, f := range batch {
		ids[i] = f.job.ID
	}
	slices.Sort(ids)
	rows, err := tx.Query(ctx, `
		UPDATE `+jobqueue.Schema+`.river_job SET state = 'completed', finalized_at = now()
		WHERE id = ANY ($1) AND state = 'running'
		RETURNING id, coalesce(attempted_at, 'epoch')`, ids)
	if err != nil {
		return nil, fmt.Errorf("complete %d jobs: %w", len(batch), err)
	}
	completed := make(map[int64]time.Time, len(batch))
	var (
		id int64
		at time.Time
	)
	if _, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error {
		completed[id] = at
		return nil
	}); err != nil {
		return nil, fmt.Errorf("complete %d jobs: %w", len(batch), err)
	}
	for _, f := range batch {
		if at, ok := completed[f.job.ID]; !ok || f.job.AttemptedAt == nil || !at.Equal(*f.job.AttemptedAt) {
			others = append(others, f)
		}
	}
	return others, nil
}

// settleJobs returns why jobs must not be completed: nil for those that are already completed by the same run, and
// errLost for the others.
func settleJobs(ctx context.Context, tx pgx.Tx, others []*finishedAttempt) (map[*finishedAttempt]error, error) {
	type run struct {
		state string
		at    time.Time
	}
	ids := make([]int64, len(others))
	for i, f := range others {
		ids[i] = f.job.ID
	}
	rows, err := tx.Query(ctx, `
		SELECT id, state::text, coalesce(attempted_at, 'epoch') FROM `+jobqueue.Schema+`.river_job WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d jobs: %w", len(others), err)
	}
	runs := make(map[int64]run, len(others))
	var (
		id  int64
		now run
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &now.state, &now.at}, func() error {
		runs[id] = now
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %d jobs: %w", len(others), err)
	}
	settled := map[*finishedAttempt]error{}
	for _, f := range others {
		ours := f.job.AttemptedAt != nil && runs[f.job.ID].at.Equal(*f.job.AttemptedAt)
		if ours && rivertype.JobState(runs[f.job.ID].state) == rivertype.JobStateCompleted {
			settled[f] = nil
		} else {
			settled[f] = errLost
		}
	}
	return settled, nil
}
