package register

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/shard"
)

// Journal limits of a version, in rows of strata.change. Readers that know a version's changes up to some moment read those
// after it; one that has missed more than the rows that are kept reads the summary, some 250 KB.
const (
	journalMax  = 2048
	journalKept = 256
)

// Journal keeps the journal of changed shards short: it replaces old rows of strata.change by a summary. The zero value is ready
// for use. It is safe for concurrent use, except for Compact.
type Journal struct {
	moves  atomic.Int64 // since it was tended
	tended bool
}

// Moved takes note that versions have moved, by one row of the journal each at most.
func (j *Journal) Moved() { j.moves.Add(1) }

// Compact makes the journal short at the first call, and whenever it may have become long since.
func (j *Journal) Compact(ctx context.Context, pool *pgxpool.Pool) error {
	moves := j.moves.Load()
	if j.tended && moves < journalMax-journalKept {
		return nil
	}
	if err := summarize(ctx, pool, journalMax, journalKept); err != nil {
		return err
	}
	j.tended = true
	j.moves.Add(-moves)
	return nil
}

// summarize summarizes all but the newest rows, kept of them, of each version that has more than most. It deletes what versions
// have left that a program from before the journal has dropped.
func summarize(ctx context.Context, pool *pgxpool.Pool, most, kept int) error {
	for _, table := range []string{"change", "change_summary"} {
		if _, err := pool.Exec(ctx, `DELETE FROM strata.`+table+` c WHERE NOT EXISTS (SELECT FROM strata.projection p WHERE p.epoch = c.epoch)`); err != nil {
			return fmt.Errorf("delete what dropped versions have changed: %w", err)
		}
	}
	rows, _ := pool.Query(ctx, `SELECT epoch FROM strata.change GROUP BY epoch HAVING count(*) > $1`, most)
	epochs, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil {
		return fmt.Errorf("count the changes of projections: %w", err)
	}
	for _, epoch := range epochs {
		if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return summarizeVersion(ctx, tx, epoch, kept) }); err != nil {
			return fmt.Errorf("summarize the changes of a projection: %w", err)
		}
	}
	return nil
}

// summarizeVersion summarizes all but the newest rows of a version. Another process may do the same: it waits here.
func summarizeVersion(ctx context.Context, tx pgx.Tx, epoch [16]byte, kept int) error {
	var positions [shard.Count]int64
	if _, err := tx.Exec(ctx, `INSERT INTO strata.change_summary (epoch, position, positions) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`,
		epoch, shard.EncodePositions(&positions)); err != nil {
		return err
	}
	var summary []byte
	if err := tx.QueryRow(ctx, `SELECT positions FROM strata.change_summary WHERE epoch = $1 FOR UPDATE`, epoch).Scan(&summary); err != nil {
		return err
	}
	if err := shard.DecodePositions(summary, &positions); err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, `
		DELETE FROM strata.change WHERE epoch = $1 AND position <= (
			SELECT position FROM strata.change WHERE epoch = $1 ORDER BY position DESC OFFSET $2 LIMIT 1
		) RETURNING position, shards`, epoch, kept)
	var last, position int64
	var list []byte
	_, err := pgx.ForEachRow(rows, []any{&position, &list}, func() error {
		shards, err := shard.Decode(list)
		last = max(last, position)
		for _, s := range shards {
			positions[s] = max(positions[s], position)
		}
		return err
	})
	if err != nil || last == 0 { // somebody else has done it
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE strata.change_summary SET position = $2, positions = $3 WHERE epoch = $1`, epoch, last, shard.EncodePositions(&positions))
	return err
}
