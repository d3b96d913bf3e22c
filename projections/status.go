package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
)

// Status is a version's entry in the register, with its lag.
type Status struct {
	Name           string       `json:"name"`
	Version        int          `json:"version"`
	Active         bool         `json:"active"`
	Input          string       `json:"input"`
	State          string       `json:"state"`
	Position       int64        `json:"position"`
	Head           int64        `json:"head"`
	LogSeq         int64        `json:"log_seq"`
	BlockHeight    *int64       `json:"block_height"`
	IndexBlockHash *hash.Hash32 `json:"index_block_hash"`
	UpdatedAt      time.Time    `json:"updated_at"`
	LagSeconds     float64      `json:"lag_seconds"`
	Quarantined    int64        `json:"quarantined"`
	Error          *string      `json:"error"`
	ErrorPosition  *int64       `json:"error_position"`
	ErrorAt        *time.Time   `json:"error_at"`
}

// Lag is how many items of its input the version has not folded yet.
func (s Status) Lag() int64 { return max(s.Head-s.Position, 0) }

// Statuses reads the register: all versions, by name and version.
func Statuses(ctx context.Context, pool *pgxpool.Pool) ([]Status, error) {
	rows, err := pool.Query(ctx, `
		SELECT p.name, p.version, a.version IS NOT NULL, p.input, p.state, p.position, p.log_seq, p.block_height,
		       p.index_block_hash, p.updated_at, p.error, p.error_position, p.error_at,
		       (SELECT count(*) FROM strata.quarantine q WHERE q.name = p.name AND q.version = p.version)
		FROM strata.projection p
		LEFT JOIN strata.active a USING (name, version)
		ORDER BY p.name, p.version`)
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	statuses, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Status, error) {
		var s Status
		return s, row.Scan(&s.Name, &s.Version, &s.Active, &s.Input, &s.State, &s.Position, &s.LogSeq, &s.BlockHeight,
			&s.IndexBlockHash, &s.UpdatedAt, &s.Error, &s.ErrorPosition, &s.ErrorAt, &s.Quarantined)
	})
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	for i := range statuses {
		if err := addLag(ctx, pool, &statuses[i]); err != nil {
			return nil, err
		}
	}
	return statuses, nil
}

// addLag looks up the head of the input, and when the oldest item that is not folded yet was received.
func addLag(ctx context.Context, pool *pgxpool.Pool, s *Status) error {
	var waitingSince *time.Time
	var err error
	if s.Input == "log" {
		err = pool.QueryRow(ctx, `
			SELECT size, (SELECT received_at FROM log.event WHERE seq = $1 + 1) FROM log.head`, s.Position).
			Scan(&s.Head, &waitingSince)
	} else {
		steps := pgx.Identifier{s.Input, "step"}.Sanitize()
		err = pool.QueryRow(ctx, `
			SELECT coalesce((SELECT max(step) FROM `+steps+`), 0),
			       (SELECT e.received_at FROM `+steps+` s JOIN log.event e ON e.seq = s.source_seq WHERE s.step = $1 + 1)`, s.Position).
			Scan(&s.Head, &waitingSince)
	}
	if err != nil {
		return fmt.Errorf("read the head of %s: %w", s.Input, err)
	}
	if waitingSince != nil && s.Lag() > 0 {
		s.LagSeconds = max(time.Since(*waitingSince).Seconds(), 0)
	}
	return nil
}

// FailedError is returned by WaitUntilCaughtUp when a projection has stopped.
type FailedError struct{ Status Status }

func (e *FailedError) Error() string {
	return fmt.Sprintf("projection %s stopped at position %d: %s", e.Status.Name, *e.Status.ErrorPosition, *e.Status.Error)
}

// WaitUntilCaughtUp returns when no version lags behind its input, and a *FailedError when one has stopped. It looks
// often, and tells progress every interval.
func WaitUntilCaughtUp(ctx context.Context, pool *pgxpool.Pool, progress func([]Status), interval time.Duration) error {
	told := time.Now()
	for {
		statuses, err := Statuses(ctx, pool)
		if err != nil {
			return err
		}
		behind := false
		for _, s := range statuses {
			if s.State == StateFailed {
				return &FailedError{s}
			}
			behind = behind || s.Lag() > 0
		}
		if !behind {
			return nil
		}
		if time.Since(told) >= interval {
			told = time.Now()
			progress(statuses)
		}
		sleep(ctx, 20*time.Millisecond)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
