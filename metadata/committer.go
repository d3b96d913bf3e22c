package metadata

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"strata/eventstore"
)

// errLost is why an attempt is not recorded: it took so long that its job was given to somebody else.
var errLost = errors.New("the job was given to somebody else")

// errNotAll rolls a transaction back that some reports don't belong in.
var errNotAll = errors.New("not all of the batch can be recorded")

// committer writes reports and completes their jobs, in one transaction.
type committer struct {
	log    *eventstore.Log
	driver *riverpgxv5.Driver
}

func newCommitter(log *eventstore.Log) *committer {
	return &committer{log: log, driver: riverpgxv5.New(log.Pool())}
}

// commit records all of the batch, or nothing. Where some of it must not be recorded it records nothing either, and
// returns these with the reason: errLost, or nil for one that is in the log already, by a commit whose answer was lost.
func (c *committer) commit(ctx context.Context, batch []*finished) (settled map[*finished]error, err error) {
	incoming := make([]eventstore.Incoming, len(batch))
	for i, f := range batch {
		incoming[i] = f.incoming
	}
	_, err = c.log.AppendBatch(ctx, incoming, func(tx pgx.Tx, _ int64) error {
		if settled, err = settle(ctx, tx, batch); err != nil {
			return err
		}
		if len(settled) > 0 {
			return errNotAll
		}
		return c.complete(ctx, tx, batch)
	})
	if errors.Is(err, errNotAll) {
		return settled, nil
	}
	return nil, err
}

// settle locks the jobs of a batch, and finds those that are no longer what their workers were given. The time at which
// a worker got it tells one run of a job from another.
func settle(ctx context.Context, tx pgx.Tx, batch []*finished) (map[*finished]error, error) {
	type run struct {
		state string
		at    time.Time
	}
	ids := make([]int64, len(batch))
	for i, f := range batch {
		ids[i] = f.job.ID
	}
	rows, err := tx.Query(ctx, `
		SELECT id, state::text, coalesce(attempted_at, 'epoch') FROM `+schema+`.river_job WHERE id = ANY ($1) ORDER BY id FOR UPDATE`, ids)
	if err != nil {
		return nil, fmt.Errorf("lock %d jobs: %w", len(batch), err)
	}
	runs := make(map[int64]run, len(batch))
	var (
		id  int64
		now run
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &now.state, &now.at}, func() error {
		runs[id] = now
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock %d jobs: %w", len(batch), err)
	}
	settled := map[*finished]error{}
	for _, f := range batch {
		ours := f.job.AttemptedAt != nil && runs[f.job.ID].at.Equal(*f.job.AttemptedAt)
		switch state := rivertype.JobState(runs[f.job.ID].state); {
		case ours && state == rivertype.JobStateRunning:
		case ours && state == rivertype.JobStateCompleted:
			settled[f] = nil
		default:
			settled[f] = errLost
		}
	}
	return settled, nil
}

// complete does for the jobs of a batch what river.JobCompleteTx does for one: here they take one statement, because
// nobody else can write to the log meanwhile. The caller has locked them.
func (c *committer) complete(ctx context.Context, tx pgx.Tx, batch []*finished) error {
	now := time.Now()
	many := &riverdriver.JobSetStateIfRunningManyParams{Schema: schema}
	for _, f := range batch {
		one := riverdriver.JobSetStateCompleted(f.job.ID, now, nil)
		many.ID = append(many.ID, one.ID)
		many.Attempt = append(many.Attempt, one.Attempt)
		many.ErrData = append(many.ErrData, one.ErrData)
		many.FinalizedAt = append(many.FinalizedAt, one.FinalizedAt)
		many.MetadataDoMerge = append(many.MetadataDoMerge, false)
		many.MetadataUpdates = append(many.MetadataUpdates, nil)
		many.ScheduledAt = append(many.ScheduledAt, one.ScheduledAt)
		many.State = append(many.State, one.State)
	}
	if _, err := c.driver.UnwrapExecutor(tx).JobSetStateIfRunningMany(ctx, many); err != nil {
		return fmt.Errorf("complete %d jobs: %w", len(batch), err)
	}
	return nil
}
