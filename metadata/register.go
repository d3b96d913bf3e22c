package metadata

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// projections that have wants.
var projections = []string{"ft", "sft", "nft"}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version is the one of a projection that readers see.
type version struct {
	name, schema string
	input        string // what it folds
	position     int64
}

// current reads which versions are active. One that has stopped is left out: it would not fold what is fetched.
func current(ctx context.Context, q querier) ([]version, error) {
	rows, err := q.Query(ctx, `
		SELECT p.name, p.name || '_v' || p.version, p.input, p.position
		FROM strata.active a JOIN strata.projection p USING (name, version)
		WHERE p.name = ANY ($1) AND p.state <> 'failed'
		ORDER BY p.name`, projections)
	if err != nil {
		return nil, fmt.Errorf("read which projections are active: %w", err)
	}
	versions, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (version, error) {
		var v version
		return v, row.Scan(&v.name, &v.schema, &v.input, &v.position)
	})
	if err != nil {
		return nil, fmt.Errorf("read which projections are active: %w", err)
	}
	return versions, nil
}

// Bounds of how far a projection may be behind the log while its wants are dispatched. During a replay it is further
// behind, so that all the times that a want is raised and answered on the way become one at the end. And a job that is
// done is remembered for an hour (retention), which is far longer than a report takes to be folded within these bounds.
const (
	lagItemsMax = 1000
	lagTimeMax  = 5 * time.Minute
)

// near says whether a version is close behind the head of the log.
func near(ctx context.Context, q querier, v version) (bool, error) {
	items, oldest, err := lag(ctx, q, v.input, v.position)
	if err != nil {
		return false, fmt.Errorf("see how far %s is behind the log: %w", v.schema, err)
	}
	return items <= lagItemsMax && (oldest == nil || time.Since(*oldest) <= lagTimeMax), nil
}

// inputsMax bounds how many projections stand between one and the log.
const inputsMax = 4

// lag counts what stands between a position of an input and the head of the log, and says when the oldest of it was
// received; nil when there is nothing. An input is the log, or the schema of a projection whose steps are folded.
func lag(ctx context.Context, q querier, input string, position int64) (items int64, oldest *time.Time, err error) {
	for range inputsMax {
		var head int64
		var received *time.Time
		if input == "log" {
			err = q.QueryRow(ctx, `
				SELECT size, (SELECT received_at FROM log.event WHERE seq = $1 + 1) FROM log.head`, position).
				Scan(&head, &received)
		} else {
			steps := pgx.Identifier{input, "step"}.Sanitize()
			err = q.QueryRow(ctx, `
				SELECT coalesce((SELECT max(step) FROM `+steps+`), 0),
				       (SELECT e.received_at FROM `+steps+` s JOIN log.event e ON e.seq = s.source_seq WHERE s.step = $1 + 1)`, position).
				Scan(&head, &received)
		}
		if err != nil {
			return 0, nil, fmt.Errorf("read the head of %s: %w", input, err)
		}
		items += max(head-position, 0)
		if received != nil && (oldest == nil || received.Before(*oldest)) {
			oldest = received
		}
		if input == "log" {
			return items, oldest, nil
		}
		err = q.QueryRow(ctx, `SELECT input, position FROM strata.projection WHERE name || '_v' || version = $1`, input).
			Scan(&input, &position)
		if err != nil {
			return 0, nil, fmt.Errorf("read where %s stands: %w", input, err)
		}
	}
	return 0, nil, errors.New("its inputs don't lead to the log")
}
