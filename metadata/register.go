package metadata

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/fetch"
	"strata/domain/schema"
)

// projections lists the projections that have wants, with the kinds of their wants.
var projections = map[string][]fetch.Kind{
	"chain": {fetch.ContractInterface}, "ft": tokenKinds, "sft": tokenKinds, "nft": tokenKinds, "names": {fetch.Attachment, fetch.ContractRead}, "bns": {fetch.ContractRead},
}

// tipSQL is the query of the newest canonical block of a version. The projection chain has blocks of all forks.
func tipSQL(version string) string {
	table := func(name string) string { return pgx.Identifier{version, name}.Sanitize() }
	if id, err := schema.Parse(version); err == nil && id.Name == "chain" {
		return `SELECT c.height, b.index_block_hash FROM ` + table("canonical") + ` c JOIN ` + table("block") + ` b ON b.source_seq = c.block_seq ORDER BY c.height DESC LIMIT 1`
	}
	return `SELECT height, index_block_hash FROM ` + table("block") + ` ORDER BY height DESC LIMIT 1`
}

// tokenKinds are the kinds of the wants of tokens.
var tokenKinds = []fetch.Kind{fetch.ContractRead, fetch.ContractInterface, fetch.Document, fetch.Image}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version is the active version of a projection, the one that readers see.
type version struct {
	name     string
	schema   string // of its tables
	input    string // "log", or the schema of the projection whose steps it folds
	position int64
}

// activeVersions reads which versions are active. It leaves out failed ones, because they would not fold the reports, and
// those of earlier rules without wants.
func activeVersions(ctx context.Context, q querier) ([]version, error) {
	rows, err := q.Query(ctx, `
		SELECT p.name, p.version, p.input, p.position
		FROM strata.active a JOIN strata.projection p USING (name, version)
		WHERE p.name = ANY ($1) AND p.state <> 'failed' AND to_regclass(format('%I.want', p.name || '_v' || p.version)) IS NOT NULL
		ORDER BY p.name`, slices.Sorted(maps.Keys(projections)))
	if err != nil {
		return nil, fmt.Errorf("read the active projections: %w", err)
	}
	versions, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (version, error) {
		var v version
		var id schema.Schema
		err := row.Scan(&id.Name, &id.Version, &v.input, &v.position)
		v.name, v.schema = id.Name, id.String()
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the active projections: %w", err)
	}
	return versions, nil
}

// A projection's wants are taken only while it is at most this far behind the log. During a replay it is further
// behind, so a want that is raised and answered many times on the way is fetched at most once, at the end. And within
// these bounds a report is folded long before its lease is forgotten (retention).
const (
	lagItemsMax = 1000
	lagTimeMax  = 5 * time.Minute
)

// isNear reports whether a version is close to the head of the log.
func isNear(ctx context.Context, q querier, v version) (bool, error) {
	items, oldest, err := lag(ctx, q, v.input, v.position)
	if err != nil {
		return false, fmt.Errorf("measure how far %s is behind the log: %w", v.schema, err)
	}
	return items <= lagItemsMax && (oldest == nil || time.Since(*oldest) <= lagTimeMax), nil
}

// lag counts the events and steps between a position of an input and the head of the log. It also returns when the
// oldest of them was received; nil if there are none. An input is "log", or the schema of the projection whose steps
// are folded.
func lag(ctx context.Context, q querier, input string, position int64) (items int64, oldest *time.Time, err error) {
	var head int64
	if input == "log" {
		err = q.QueryRow(ctx, `SELECT size, (SELECT received_at FROM log.event WHERE seq = $1 + 1) FROM log.head`, position).Scan(&head, &oldest)
		if err != nil {
			return 0, nil, fmt.Errorf("read the head of the log: %w", err)
		}
		return max(head-position, 0), oldest, nil
	}
	id, err := schema.Parse(input)
	if err != nil {
		return 0, nil, fmt.Errorf("read the head of %s: %w", input, err)
	}
	var before string
	var at int64 // the position of the projection whose steps they are
	steps := pgx.Identifier{input, "step"}.Sanitize()
	err = q.QueryRow(ctx, `
		SELECT coalesce((SELECT max(step) FROM `+steps+`), 0),
		       (SELECT e.received_at FROM `+steps+` s JOIN log.event e ON e.seq = s.source_seq WHERE s.step = $1 + 1), input, position
		FROM strata.projection WHERE name = $2 AND version = $3`, position, id.Name, id.Version).Scan(&head, &oldest, &before, &at)
	if err != nil {
		return 0, nil, fmt.Errorf("read the head of %s: %w", input, err)
	}
	items, received, err := lag(ctx, q, before, at)
	if received != nil && (oldest == nil || received.Before(*oldest)) {
		oldest = received
	}
	return items + max(head-position, 0), oldest, err
}

// isSchemaGone reports whether a query failed because the version's schema was dropped.
func isSchemaGone(err error) bool {
	const undefinedTable, invalidSchema = "42P01", "3F000"
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == undefinedTable || pg.Code == invalidSchema)
}
