package follow

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/internal/register"
)

// stepSource reads the steps that a version of a leader has written, with their content.
type stepSource[T projections.Item] struct {
	pool   *pgxpool.Pool
	leader projections.Schema
	wake   *eventstore.Wake
	list   stepList[T]
}

func (s *stepSource[T]) head(ctx context.Context) (int64, error) {
	return register.LastStep(ctx, s.pool, s.leader)
}

// final reports whether the leader is at the head of the log, or has stopped.
func (s *stepSource[T]) final(ctx context.Context) (final bool, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT p.state <> 'building' OR p.position + $3 >= h.size FROM strata.projection p, log.head h WHERE p.name = $1 AND p.version = $2`,
		s.leader.Name, s.leader.Version, bulkLag).Scan(&final)
	if errors.Is(err, pgx.ErrNoRows) { // it was dropped, and its followers are about to be
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read whether %s has caught up: %w", s.leader, err)
	}
	return final, nil
}

// read returns steps after a position: batchItems at most, and at most batchBytes of content unless the first step
// alone has more.
func (s *stepSource[T]) read(ctx context.Context, after int64) (steps []T, bytes int64, err error) {
	rows, err := s.pool.Query(ctx, `
		SELECT `+s.list.columns+`, total
		FROM (
			SELECT *, sum(CASE WHEN kind >= 0 THEN block_size ELSE 0 END) OVER (ORDER BY step) AS total
			FROM (SELECT * FROM `+s.leader.Table("step")+` WHERE step > $1 ORDER BY step LIMIT $2) page
		) counted
		WHERE total <= $3 OR step = $1 + 1
		ORDER BY step`, after, batchItems, batchBytes)
	if err != nil {
		return nil, 0, fmt.Errorf("read steps of %s after %d: %w", s.leader, after, err)
	}
	steps, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) { return s.list.scan(row, &bytes) })
	if err != nil {
		return nil, 0, fmt.Errorf("read steps of %s after %d: %w", s.leader, after, err)
	}
	return steps, bytes, s.load(ctx, steps)
}

// load adds the content of steps.
func (s *stepSource[T]) load(ctx context.Context, steps []T) error {
	if err := s.list.load(ctx, steps); err != nil {
		return fmt.Errorf("read the content of steps of %s: %w", s.leader, err)
	}
	return nil
}

func (s *stepSource[T]) announced(int64) bool { return false }

func (s *stepSource[T]) grown() <-chan struct{} { return s.wake.C() }

func (s *stepSource[T]) wait(ctx context.Context, grown <-chan struct{}) { s.wake.Wait(ctx, grown) }
