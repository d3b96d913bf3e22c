package version

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
	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// States of a version.
const (
	StateBuilding = register.StateBuilding
	StateLive     = register.StateLive
	StateFailed   = register.StateFailed
)

// Status is a version's entry in the register, with its lag.
type Status struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	// Rules is the number of the code that builds it.
	Rules  int  `json:"rules"`
	Active bool `json:"active"`
	// Previous says that a rollback returns to it.
	Previous bool `json:"previous"`
	// Input is "log", or the schema whose steps it folds.
	Input string `json:"input"`
	State string `json:"state"`
	// Position in the input, and Head, the newest position of the input.
	Position int64 `json:"position"`
	Head     int64 `json:"head"`
	// LogSeq is the event of the log that Position stands for.
	LogSeq         int64        `json:"log_seq"`
	BlockHeight    *int64       `json:"block_height"`
	IndexBlockHash *hash.Hash32 `json:"index_block_hash"`
	UpdatedAt      time.Time    `json:"updated_at"`
	// LagSeconds is the age of the oldest event that it has not folded yet; 0 when there is none.
	LagSeconds  float64 `json:"lag_seconds"`
	Quarantined int64   `json:"quarantined"`
	// Indexed says that it has the indexes that only readers need.
	Indexed bool `json:"indexed"`
	// Throttle is the maximum of items per second; nil for no limit.
	Throttle *int `json:"throttle"`
	// Rate is how many items per second it folded when it was last far behind; nil when that was not measured.
	Rate *float64 `json:"rate"`
	// ETASeconds is how long it will take to catch up at that rate if nothing else comes; nil when that is not known.
	ETASeconds *float64 `json:"eta_seconds"`
	// Rows is an estimate of the rows of its tables, and Bytes the size of the tables with their indexes.
	Rows          int64      `json:"rows"`
	Bytes         int64      `json:"bytes"`
	Error         *string    `json:"error"`
	ErrorPosition *int64     `json:"error_position"`
	ErrorAt       *time.Time `json:"error_at"`
}

// Schema returns the identity of the version.
func (s Status) Schema() projections.Schema {
	return projections.Schema{Name: s.Name, Version: s.Version}
}

// Lag returns how many items of its input the version has not folded yet.
func (s Status) Lag() int64 { return max(s.Head-s.Position, 0) }

// Statuses returns those of all versions, by name and version.
func Statuses(ctx context.Context, pool *pgxpool.Pool) ([]Status, error) {
	statuses, err := StatusesWithoutSizes(ctx, pool)
	if err != nil {
		return nil, err
	}
	for i := range statuses {
		s := &statuses[i]
		if s.Rows, s.Bytes, err = measure(ctx, pool, s.Schema()); err != nil {
			return nil, err
		}
	}
	return statuses, nil
}

// StatusesWithoutSizes is Statuses without Rows and Bytes, which take longer to find out.
func StatusesWithoutSizes(ctx context.Context, q register.Querier) ([]Status, error) {
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
	// Versions at the same place, which are most of them at the tip, share a query.
	lags := map[lagKey]lag{}
	for i := range statuses {
		s := &statuses[i]
		key := lagKey{s.Input, s.Position}
		l, ok := lags[key]
		if !ok {
			if l, err = readLag(ctx, q, key); err != nil {
				return nil, err
			}
			lags[key] = l
		}
		s.add(l)
	}
	return statuses, nil
}

// lagKey is a place in an input.
type lagKey struct {
	input    string
	position int64
}

// lag is what comes after a place.
type lag struct {
	head         int64
	waitingSince *time.Time // when the next event, or the event of the next step, was received; nil when there is none
}

// readStatus returns the status of one version, without sizes; ErrNotRegistered when there is no such version.
func readStatus(ctx context.Context, q register.Querier, version projections.Schema) (Status, error) {
	statuses, err := StatusesWithoutSizes(ctx, q)
	if err != nil {
		return Status{}, err
	}
	for _, s := range statuses {
		if s.Schema() == version {
			return s, nil
		}
	}
	return Status{}, fmt.Errorf("projection %s: %w", version, ErrNotRegistered)
}

// measure returns about how many rows the tables of a version have, by the planner's or the cumulative statistics, and
// their size in bytes.
func measure(ctx context.Context, q register.Querier, version projections.Schema) (rows, bytes int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT coalesce(sum(greatest(reltuples, pg_stat_get_live_tuples(oid), 0)), 0)::bigint, coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
		FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace($1)`, version.Quoted()).Scan(&rows, &bytes)
	if err != nil {
		return 0, 0, fmt.Errorf("measure the tables of projection %s: %w", version, err)
	}
	return rows, bytes, nil
}

// readLag reads the head of an input and what waits after a place.
func readLag(ctx context.Context, q register.Querier, at lagKey) (l lag, err error) {
	if at.input == register.Log {
		err = q.QueryRow(ctx, `
			SELECT size, (SELECT received_at FROM log.event WHERE seq = $1 + 1) FROM log.head`, at.position).
			Scan(&l.head, &l.waitingSince)
	} else {
		steps := pgx.Identifier{at.input, "step"}.Sanitize()
		err = q.QueryRow(ctx, `
			SELECT coalesce((SELECT max(step) FROM `+steps+`), 0),
			       (SELECT e.received_at FROM `+steps+` s JOIN log.event e ON e.seq = s.source_seq WHERE s.step = $1 + 1)`, at.position).
			Scan(&l.head, &l.waitingSince)
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42P01" { // undefined_table: the leader was dropped meanwhile, and so were its versions
		return lag{}, nil
	}
	if err != nil {
		return lag{}, fmt.Errorf("read the head of %s: %w", at.input, err)
	}
	return l, nil
}

// add adds the head of the input and the age of the oldest item that is not folded yet.
func (s *Status) add(l lag) {
	s.Head = l.head
	if l.waitingSince != nil {
		s.LagSeconds = max(time.Since(*l.waitingSince).Seconds(), 0)
	}
	if rate := s.expectedRate(); s.Lag() > 0 && rate > 0 {
		seconds := float64(s.Lag()) / rate
		s.ETASeconds = &seconds
	}
}

// expectedRate returns how many items per second it is expected to fold; 0 when that is not known.
func (s Status) expectedRate() float64 {
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

// WaitUntilCaughtUp returns once no active version lags behind its input and all of them are live and have the indexes
// for readers. It returns a *FailedError when one has stopped. It calls progress every interval.
func WaitUntilCaughtUp(ctx context.Context, pool *pgxpool.Pool, progress func([]Status), interval time.Duration) error {
	reported := time.Now()
	for {
		statuses, err := StatusesWithoutSizes(ctx, pool)
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
		if time.Since(reported) >= interval {
			reported = time.Now()
			progress(statuses)
		}
		pause.For(ctx, 20*time.Millisecond)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Led reports whether a process folds the log of this database: one that leads a version.
func Led(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	leaders, err := register.Leaders(ctx, pool)
	return len(leaders) > 0, err
}
