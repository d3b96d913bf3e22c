package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
)

// Status is a version's entry in the register, with its lag.
type Status struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	// Rules is the number of the code that builds it.
	Rules  int  `json:"rules"`
	Active bool `json:"active"`
	// Previous says that a rollback returns to it.
	Previous       bool         `json:"previous"`
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
	// Indexed says that it has the indexes that only readers need.
	Indexed bool `json:"indexed"`
	// Throttle is how many items it may fold in a second; nil for as many as it can.
	Throttle *int `json:"throttle"`
	// Rate is how many items it folded in a second when it was far behind the last time; nil when it was not measured.
	Rate *float64 `json:"rate"`
	// ETASeconds is when it will have caught up at that rate, if nothing else came; nil when that is not known.
	ETASeconds *float64 `json:"eta_seconds"`
	// Rows are about as many as its tables have, and Bytes what they take with their indexes.
	Rows          int64      `json:"rows"`
	Bytes         int64      `json:"bytes"`
	Error         *string    `json:"error"`
	ErrorPosition *int64     `json:"error_position"`
	ErrorAt       *time.Time `json:"error_at"`
}

// Instance is what the tables are named by.
func (s Status) Instance() Instance { return Instance{s.Name, s.Version} }

// Lag is how many items of its input the version has not folded yet.
func (s Status) Lag() int64 { return max(s.Head-s.Position, 0) }

// Statuses reads the register: all versions, by name and version.
func Statuses(ctx context.Context, pool *pgxpool.Pool) ([]Status, error) {
	statuses, err := readStatuses(ctx, pool)
	if err != nil {
		return nil, err
	}
	for i := range statuses {
		s := &statuses[i]
		if s.Rows, s.Bytes, err = sizeOf(ctx, pool, s.Instance()); err != nil {
			return nil, err
		}
	}
	return statuses, nil
}

// readStatuses leaves out what takes longer: the sizes.
func readStatuses(ctx context.Context, q querier) ([]Status, error) {
	rows, err := q.Query(ctx, `
		SELECT p.name, p.version, coalesce(p.rules, p.version), coalesce(a.version = p.version, false), coalesce(a.previous = p.version, false),
		       p.input, p.state, p.position, p.log_seq, p.block_height, p.index_block_hash, p.updated_at, p.indexed, p.throttle, p.rate,
		       p.error, p.error_position, p.error_at,
		       (SELECT count(*) FROM strata.quarantine q WHERE q.name = p.name AND q.version = p.version)
		FROM strata.projection p
		LEFT JOIN strata.active a USING (name)
		WHERE NOT p.scratch
		ORDER BY p.name, p.version`)
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	statuses, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Status, error) {
		var s Status
		return s, row.Scan(&s.Name, &s.Version, &s.Rules, &s.Active, &s.Previous,
			&s.Input, &s.State, &s.Position, &s.LogSeq, &s.BlockHeight, &s.IndexBlockHash, &s.UpdatedAt, &s.Indexed, &s.Throttle, &s.Rate,
			&s.Error, &s.ErrorPosition, &s.ErrorAt, &s.Quarantined)
	})
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	for i := range statuses {
		if err := addLag(ctx, q, &statuses[i]); err != nil {
			return nil, err
		}
	}
	return statuses, nil
}

// sizeOf is about how many rows the tables of an instance have, as the last look of the planner or Postgres' statistics have it, and
// their bytes.
func sizeOf(ctx context.Context, q querier, i Instance) (rows, bytes int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT coalesce(sum(greatest(reltuples, pg_stat_get_live_tuples(oid), 0)), 0)::bigint, coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
		FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace($1)`, pgx.Identifier{i.String()}.Sanitize()).Scan(&rows, &bytes)
	if err != nil {
		return 0, 0, fmt.Errorf("measure the tables of projection %s: %w", i, err)
	}
	return rows, bytes, nil
}

// addLag looks up the head of the input, and when the oldest item that is not folded yet was received.
func addLag(ctx context.Context, q querier, s *Status) error {
	var waitingSince *time.Time
	var err error
	if s.Input == "log" {
		err = q.QueryRow(ctx, `
			SELECT size, (SELECT received_at FROM log.event WHERE seq = $1 + 1) FROM log.head`, s.Position).
			Scan(&s.Head, &waitingSince)
	} else {
		steps := pgx.Identifier{s.Input, "step"}.Sanitize()
		err = q.QueryRow(ctx, `
			SELECT coalesce((SELECT max(step) FROM `+steps+`), 0),
			       (SELECT e.received_at FROM `+steps+` s JOIN log.event e ON e.seq = s.source_seq WHERE s.step = $1 + 1)`, s.Position).
			Scan(&s.Head, &waitingSince)
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42P01" { // undefined_table: it was dropped meanwhile, with what folds its steps
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the head of %s: %w", s.Input, err)
	}
	if waitingSince != nil && s.Lag() > 0 {
		s.LagSeconds = max(time.Since(*waitingSince).Seconds(), 0)
	}
	if rate := s.rate(); s.Lag() > 0 && rate > 0 {
		seconds := float64(s.Lag()) / rate
		s.ETASeconds = &seconds
	}
	return nil
}

// rate is how many items a second it is expected to fold; 0 when that is not known.
func (s Status) rate() float64 {
	rate := 0.0
	if s.Rate != nil {
		rate = *s.Rate
	}
	if s.Throttle != nil && (rate == 0 || rate > float64(*s.Throttle)) {
		rate = float64(*s.Throttle)
	}
	return rate
}

// FailedError is returned by WaitUntilCaughtUp when a projection has stopped.
type FailedError struct{ Status Status }

func (e *FailedError) Error() string {
	return fmt.Sprintf("projection %s stopped at position %d: %s", e.Status.Name, *e.Status.ErrorPosition, *e.Status.Error)
}

// WaitUntilCaughtUp returns when no active version lags behind its input and all follow it live, with the indexes of readers, and a
// *FailedError when one has stopped. It looks often, and tells progress every interval.
func WaitUntilCaughtUp(ctx context.Context, pool *pgxpool.Pool, progress func([]Status), interval time.Duration) error {
	told := time.Now()
	for {
		statuses, err := readStatuses(ctx, pool)
		if err != nil {
			return err
		}
		statuses = slices.DeleteFunc(statuses, func(s Status) bool { return !s.Active })
		behind := false
		for _, s := range statuses {
			if s.State == StateFailed {
				return &FailedError{s}
			}
			behind = behind || s.Lag() > 0 || !s.Indexed || s.State == StateBuilding
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
