package metadata

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/fetch"
)

// wanted is a want as its row has it, and the block that the projection is at.
type wanted struct {
	want      fetch.Want
	minHeight int64
	tip       *fetch.Tip // nil before the first block
}

// load reads the want of a task again. ok is false when no projection wants it any more in this raising.
func load(ctx context.Context, q querier, t task) (w wanted, ok bool, err error) {
	w, ok, err = loadFrom(ctx, q, t.Schema, t.Raising)
	if ok || err != nil {
		return w, ok, err
	}
	// The job stands for every projection that raised the same want at the same event.
	versions, err := current(ctx, q)
	if err != nil {
		return w, false, err
	}
	for _, v := range versions {
		if v.schema == t.Schema {
			continue
		}
		if w, ok, err = loadFrom(ctx, q, v.schema, t.Raising); ok || err != nil {
			return w, ok, err
		}
	}
	return w, false, nil
}

func loadFrom(ctx context.Context, q querier, schema string, r raising) (w wanted, ok bool, err error) {
	key, err := hex.DecodeString(r.Key)
	if err != nil {
		return w, false, fmt.Errorf("key of a want: %w", err)
	}
	table := pgx.Identifier{schema, "want"}.Sanitize()
	block := pgx.Identifier{schema, "block"}.Sanitize()
	var (
		text      string
		minHeight *int64
		height    *int64
		hash      []byte
	)
	err = q.QueryRow(ctx, `
		SELECT w.want, w.min_height, tip.height, tip.index_block_hash
		FROM `+table+` w
		LEFT JOIN (SELECT height, index_block_hash FROM `+block+` ORDER BY height DESC LIMIT 1) tip ON true
		WHERE w.key_hash = $1 AND w.source_seq = $2 AND w.attempts = $3 AND w.waits = $4 AND w.due_at = $5`,
		key, r.Seq, r.Attempts, r.Waits, r.due()).Scan(&text, &minHeight, &height, &hash)
	switch {
	case errors.Is(err, pgx.ErrNoRows), dropped(err):
		return w, false, nil
	case err != nil:
		return w, false, fmt.Errorf("read want %s of %s: %w", r.Key, schema, err)
	}
	if err := json.Unmarshal([]byte(text), &w.want); err != nil {
		return w, false, &wantError{schema, r.Key, err}
	}
	if err := w.want.Validate(); err != nil {
		return w, false, &wantError{schema, r.Key, err}
	}
	if minHeight != nil {
		w.minHeight = *minHeight
	}
	if height != nil {
		w.tip = &fetch.Tip{Height: *height}
		if err := w.tip.IndexBlockHash.Scan(hash); err != nil {
			return w, false, fmt.Errorf("read the tip of %s: %w", schema, err)
		}
	}
	return w, true, nil
}

// dropped says whether a query failed because the version's schema is gone.
func dropped(err error) bool {
	const undefinedTable, invalidSchema = "42P01", "3F000"
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == undefinedTable || pg.Code == invalidSchema)
}

// wantError is a want that a projection wrote and nobody can read. Trying again does not help.
type wantError struct {
	schema, key string
	err         error
}

func (e *wantError) Error() string {
	return fmt.Sprintf("want %s of %s can't be read: %v", e.key, e.schema, e.err)
}

func (e *wantError) Unwrap() error { return e.err }
