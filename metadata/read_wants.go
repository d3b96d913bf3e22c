package metadata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/fetch"
)

// loadedWant is a want read from its row, with the tip of its projection.
type loadedWant struct {
	want      fetch.Want
	contract  string // on whose budget it is fetched; empty for none
	minHeight int64
	tip       *fetch.Tip // nil before the first block

	schema string // that has it
}

// loadFrom looks wants up in one schema, and fills in those lookups that it finds. If the schema is gone, it finds
// none.
func loadFrom(ctx context.Context, q querier, schema string, all []*lookup) error {
	n := len(all)
	keys, seqs, attempts, waits, dues := make([][]byte, n), make([]int64, n), make([]int32, n), make([]int32, n), make([]time.Time, n)
	for i, l := range all {
		r := l.task.Revision
		keys[i], seqs[i], attempts[i], waits[i], dues[i] = l.key, r.Seq, int32(r.Attempts), int32(r.Waits), r.dueAt()
	}
	table := pgx.Identifier{schema, "want"}.Sanitize()
	rows, err := q.Query(ctx, `
		SELECT r.place, w.want, w.contract, w.min_height, tip.height, tip.index_block_hash
		FROM unnest($1::bytea[], $2::bigint[], $3::int[], $4::int[], $5::timestamptz[])
		     WITH ORDINALITY AS r (key_hash, source_seq, attempts, waits, due_at, place)
		CROSS JOIN LATERAL (
			SELECT w.want, to_jsonb(w)->>'wanted_by' AS contract, w.min_height -- the wants of some projections have no budget
			FROM `+table+` w
			WHERE w.key_hash = r.key_hash AND w.source_seq = r.source_seq AND w.attempts = r.attempts AND w.waits = r.waits AND w.due_at = r.due_at
			LIMIT 1) w
		LEFT JOIN (`+tipSQL(schema)+`) tip ON true`,
		keys, seqs, attempts, waits, dues)
	if err == nil {
		var place int
		var row wantRow
		_, err = pgx.ForEachRow(rows, []any{&place, &row.text, &row.contract, &row.minHeight, &row.height, &row.hash}, func() error {
			l := all[place-1]
			l.want, l.err = row.parse()
			l.want.schema = schema
			l.ok = l.err == nil
			if l.err != nil {
				l.err = &wantError{schema, l.task.Revision.Key, l.err}
			}
			return nil
		})
	}
	if err != nil && !isSchemaGone(err) {
		return fmt.Errorf("read %d wants of %s: %w", n, schema, err)
	}
	return nil
}

// wantRow is a row of the query in loadFrom.
type wantRow struct {
	text      string
	contract  *string
	minHeight *int64
	height    *int64
	hash      []byte
}

func (r *wantRow) parse() (w loadedWant, err error) {
	if err := json.Unmarshal([]byte(r.text), &w.want); err != nil {
		return w, err
	}
	if err := w.want.Validate(); err != nil {
		return w, err
	}
	if r.contract != nil {
		w.contract = *r.contract
	}
	if r.minHeight != nil {
		w.minHeight = *r.minHeight
	}
	if r.height != nil {
		w.tip = &fetch.Tip{Height: *r.height}
		if err := w.tip.IndexBlockHash.Scan(r.hash); err != nil {
			return w, fmt.Errorf("read the hash of the tip: %w", err)
		}
	}
	return w, nil
}

// isSchemaGone reports whether a query failed because the version's schema was dropped.
func isSchemaGone(err error) bool {
	const undefinedTable, invalidSchema = "42P01", "3F000"
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == undefinedTable || pg.Code == invalidSchema)
}

// wantError is the error of a want that a projection has written but that can't be parsed. Trying again does not help.
type wantError struct {
	schema, key string
	err         error
}

func (e *wantError) Error() string {
	return fmt.Sprintf("parse want %s of %s: %v", e.key, e.schema, e.err)
}

func (e *wantError) Unwrap() error { return e.err }
