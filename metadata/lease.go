package metadata

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/fetch"
	"strata/internal/locks"
)

//go:embed tables.sql
var tables string

// createTables creates the tables of the role. Several processes may call it at the same time.
func createTables(ctx context.Context, pool *pgxpool.Pool) error {
	return locks.Hold(ctx, pool, 0, func(tx pgx.Tx) error {
		if err := locks.Table(ctx, tx, `public.strata_migration`); err != nil {
			return fmt.Errorf("wait for other processes that create tables: %w", err)
		}
		if _, err := tx.Exec(ctx, tables); err != nil {
			return fmt.Errorf("create the tables of the role metadata: %w", err)
		}
		return nil
	})
}

// lease is the right to fetch a want and to record the result, and the want as it was last read. The key and the holder
// identify the lease: each taking has another holder.
type lease struct {
	key      []byte // SHA-256 of the want's key
	holder   [16]byte
	lane     lane
	source   source
	attempts int // failures so far

	readAt    time.Time
	want      fetch.Want
	contract  string // on whose budget the want is fetched; empty for none
	minHeight int64
	tip       *fetch.Tip // of the projection; nil before the first block
	malformed error      // why the want can't be understood
}

// source is the wants of one kind in one schema.
type source struct {
	schema string
	kind   fetch.Kind
}

// sql completes a statement about the wants of the source.
func (s source) sql(statement string) string {
	return strings.NewReplacer(
		"{want}", pgx.Identifier{s.schema, "want"}.Sanitize(),
		"{tip}", tipSQL(s.schema),
		"{revision}", "key_hash, source_seq, attempts, waits, due_at",
		"{content}", "w.attempts, w.want, to_jsonb(w)->>'wanted_by', coalesce(w.min_height, 0), tip.height, tip.index_block_hash", // some projections have no budgets
	).Replace(statement)
}

// takeSQL takes leases on the most urgent of the due wants. It reads each priority separately, because then the due wants
// are adjacent in the index, and those that are not due yet, such as all periodic ones, are not touched. Other processes may
// take the same wants at the same time: who comes second finds the lease, or finds it done, and leaves the want out.
//
// A contract is read at the projection's tip. The tip is below the want's min_height only in the middle of a
// reorganisation.
const takeSQL = `
	WITH due AS MATERIALIZED (
		SELECT w.* FROM generate_series(1, 4) AS level, LATERAL (
			SELECT * FROM {want} w
			WHERE kind = $1 AND priority = level::smallint AND due_at <= now()
			  AND ($2 OR (SELECT height FROM ({tip}) tip) >= coalesce(min_height, 0))
			  AND NOT coalesce((
				SELECT l.done OR l.until > now() FROM metadata.lease l
				WHERE l.key_hash = w.key_hash AND l.source_seq = w.source_seq AND l.attempts = w.attempts AND l.waits = w.waits AND l.due_at = w.due_at), false)
			ORDER BY due_at LIMIT $3) AS w
		ORDER BY w.priority, w.due_at LIMIT $3
	), taken AS (
		INSERT INTO metadata.lease AS l ({revision}, until, lane)
		SELECT {revision}, now() + $4::interval, $5 FROM due ORDER BY key_hash
		ON CONFLICT ({revision}) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE NOT l.done AND l.until <= now()
		RETURNING key_hash, holder
	)
	SELECT w.key_hash, taken.holder, {content} FROM due w JOIN taken USING (key_hash) LEFT JOIN ({tip}) tip ON true
	ORDER BY w.priority, w.due_at`

// take takes leases on due wants of a source, at most as many as limit. A lease ends by itself after duration.
func take(ctx context.Context, pool *pgxpool.Pool, l lane, s source, limit int, duration time.Duration) ([]*lease, error) {
	rows, err := pool.Query(ctx, s.sql(takeSQL), s.kind, !isContractKind(s.kind), limit, duration, l)
	if err != nil {
		return nil, fmt.Errorf("take due wants of %s: %w", s.schema, err)
	}
	leases, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*lease, error) {
		taken := &lease{lane: l, source: s}
		return taken, taken.scan(row, &taken.key, &taken.holder)
	})
	if err != nil {
		return nil, fmt.Errorf("take due wants of %s: %w", s.schema, err)
	}
	return leases, nil
}

// readAgain reads the want once more. open is false if the projection no longer has it in this revision.
func (l *lease) readAgain(ctx context.Context, pool *pgxpool.Pool) (open bool, err error) {
	err = l.scan(pool.QueryRow(ctx, l.source.sql(`
		SELECT {content} FROM metadata.lease JOIN {want} w USING ({revision}) LEFT JOIN ({tip}) tip ON true WHERE key_hash = $1 AND holder = $2`), l.key, l.holder))
	switch {
	case errors.Is(err, pgx.ErrNoRows), err != nil && isSchemaGone(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read a want of %s again: %w", l.source.schema, err)
	}
	return true, nil
}

// scan reads columns before {content} into destinations, and {content} into the lease.
func (l *lease) scan(row pgx.Row, destinations ...any) error {
	var text string
	var contract *string
	var height *int64
	var hash []byte
	if err := row.Scan(append(destinations, &l.attempts, &text, &contract, &l.minHeight, &height, &hash)...); err != nil {
		return err
	}
	l.readAt, l.want, l.contract, l.tip = time.Now(), fetch.Want{}, "", nil
	if contract != nil {
		l.contract = *contract
	}
	if height != nil {
		l.tip = &fetch.Tip{Height: *height}
		if err := l.tip.IndexBlockHash.Scan(hash); err != nil {
			return fmt.Errorf("read the hash of the tip: %w", err)
		}
	}
	if l.malformed = json.Unmarshal([]byte(text), &l.want); l.malformed == nil {
		l.malformed = l.want.Validate()
	}
	return nil
}

// putOff ends the lease, so that the want can be taken again after a wait.
func (l *lease) putOff(ctx context.Context, pool *pgxpool.Pool, wait time.Duration) error {
	_, err := pool.Exec(ctx, `UPDATE metadata.lease SET holder = NULL, until = now() + $3::interval WHERE key_hash = $1 AND holder = $2 AND NOT done`,
		l.key, l.holder, wait)
	if err != nil {
		return fmt.Errorf("put want %x of %s off: %w", l.key, l.source.schema, err)
	}
	return nil
}

// finish marks the leases of a batch as done, in the transaction that appends its reports. If some are not held any more,
// the caller must roll back, and gets the reasons: errLost, or nil for one that is done already.
func finish(ctx context.Context, tx pgx.Tx, batch []*finishedAttempt) (settled map[*finishedAttempt]error, err error) {
	keys, holders := make([][]byte, len(batch)), make([][16]byte, len(batch))
	for i, f := range batch {
		keys[i], holders[i] = f.lease.key, f.lease.holder
	}
	find := func(sql string) (map[[16]byte]bool, error) {
		rows, err := tx.Query(ctx, sql, keys, holders)
		if err != nil {
			return nil, fmt.Errorf("finish %d leases: %w", len(batch), err)
		}
		var holder [16]byte
		found := make(map[[16]byte]bool, len(batch))
		if _, err := pgx.ForEachRow(rows, []any{&holder}, func() error { found[holder] = true; return nil }); err != nil {
			return nil, fmt.Errorf("finish %d leases: %w", len(batch), err)
		}
		return found, nil
	}
	finished, err := find(`
		UPDATE metadata.lease l SET done = true, until = now() FROM unnest($1::bytea[], $2::uuid[]) AS b (key_hash, holder)
		WHERE l.key_hash = b.key_hash AND l.holder = b.holder AND NOT l.done RETURNING l.holder`)
	if err != nil || len(finished) == len(batch) {
		return nil, err
	}
	before, err := find(`SELECT holder FROM metadata.lease WHERE key_hash = ANY ($1) AND holder = ANY ($2) AND done`)
	if err != nil {
		return nil, err
	}
	settled = map[*finishedAttempt]error{}
	for _, f := range batch {
		switch {
		case finished[f.lease.holder]:
		case before[f.lease.holder]:
			settled[f] = nil
		default:
			settled[f] = errLost
		}
	}
	return settled, nil
}

// leaseCounts are the leases of a lane in all processes.
type leaseCounts struct{ held, putOff int }

func countLeases(ctx context.Context, pool *pgxpool.Pool) (map[lane]leaseCounts, error) {
	rows, err := pool.Query(ctx, `
		SELECT lane, count(holder), count(*) - count(holder) FROM metadata.lease WHERE until > now() AND NOT done GROUP BY lane`)
	if err != nil {
		return nil, fmt.Errorf("count leases: %w", err)
	}
	all := map[lane]leaseCounts{}
	var l lane
	var counts leaseCounts
	if _, err := pgx.ForEachRow(rows, []any{&l, &counts.held, &counts.putOff}, func() error { all[l] = counts; return nil }); err != nil {
		return nil, fmt.Errorf("count leases: %w", err)
	}
	return all, nil
}

const (
	// retention is how long a report keeps its revision from being fetched again. By then the projection has folded it, because
	// wants are taken only while their projection is close to the head of the log (lagTimeMax).
	retention = time.Hour
	// forgottenMost bounds what forgetLeases deletes, so that a pass does not wait for it.
	forgottenMost = 100_000
)

// forgetLeases deletes leases that ended long ago.
func forgetLeases(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `
		DELETE FROM metadata.lease WHERE ctid = ANY (ARRAY(SELECT ctid FROM metadata.lease WHERE until < now() - $1::interval LIMIT $2))`, retention, forgottenMost)
	if err != nil {
		return fmt.Errorf("forget leases that have ended: %w", err)
	}
	return nil
}
