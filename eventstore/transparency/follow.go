package transparency

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
	"strata/internal/locks"
	"strata/internal/pause"
)

// Run writes subtrees as the log grows, and signs checkpoints if it has a key, until ctx ends. Any number of processes
// may run it on one database.
func (l *Log) Run(ctx context.Context) {
	wake := l.config.Listener.Wake(eventstore.Channel, l.config.Interval)
	defer wake.Stop()
	logged := "" // the reason of the failure that was logged last; empty after a success
	for ctx.Err() == nil {
		c := wake.C()
		signed, err := l.Sign(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if reason := reasonOf(err); reason != logged { // log a reason once, not at every attempt
				l.config.Logger.LogAttrs(ctx, slog.LevelError, "can't sign a checkpoint; trying again", slog.Any("error", err))
				logged = reason
			}
			pause.For(ctx, l.config.Interval)
			continue
		case logged != "":
			logged = ""
			l.config.Logger.LogAttrs(ctx, slog.LevelInfo, "signing checkpoints works again")
		}
		if signed {
			pause.For(ctx, l.config.Interval)
			continue
		}
		wake.Wait(ctx, c)
	}
}

// reasonOf returns the text of an error without the parts that change from one attempt to the next.
func reasonOf(err error) string {
	for _, reason := range []error{ErrRollback, ErrMismatch, ErrOtherKey} {
		if errors.Is(err, reason) {
			return reason.Error()
		}
	}
	return err.Error()
}

// follow writes the missing full subtrees of the first size events.
func (l *Log) follow(ctx context.Context, size int64) error {
	for {
		var have int64
		if err := l.config.Pool.QueryRow(ctx, `SELECT subtrees FROM log.tree`).Scan(&have); err != nil {
			return fmt.Errorf("read how far the subtrees are: %w", err)
		}
		want := min(size/tileWidth, have+pageLeaves/tileWidth)
		if have >= want {
			return nil
		}
		leaves, err := leafHashes(ctx, l.config.Pool, have*tileWidth, want*tileWidth)
		if err != nil {
			return err
		}
		roots := make([][]byte, 0, want-have)
		for ; len(leaves) > 0; leaves = leaves[tileWidth:] {
			roots = append(roots, perfectRoot(leaves[:tileWidth:tileWidth]))
		}
		if err := l.store(ctx, have, roots); err != nil {
			return err
		}
	}
}

// errFaster means that another process has written the same subtrees.
var errFaster = errors.New("another process was faster")

// store adds subtrees of level 1 after the first have, and the subtrees of higher levels that become full with them. It
// does nothing if another process was faster.
func (l *Log) store(ctx context.Context, have int64, roots [][]byte) error {
	err := locks.Hold(ctx, l.config.Pool, l.config.Patience, func(tx pgx.Tx) error {
		count := have + int64(len(roots))
		moved, err := tx.Exec(ctx, `UPDATE log.tree SET subtrees = $2 WHERE subtrees = $1`, have, count)
		if err != nil {
			return err
		}
		if moved.RowsAffected() == 0 {
			return errFaster
		}
		for level := 1; len(roots) > 0; level++ {
			_, err := tx.Exec(ctx, `
				INSERT INTO log.subtree (level, n, hash)
				SELECT $1, $2 + i - 1, hash FROM unnest($3::bytea[]) WITH ORDINALITY AS u (hash, i)`, level, have, roots)
			if err != nil {
				return err
			}
			if roots, err = fullAbove(ctx, tx, level, have, count); err != nil {
				return err
			}
			have, count = have/tileWidth, count/tileWidth
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFaster) {
		return fmt.Errorf("write subtrees from %d on: %w", have, err)
	}
	return nil
}

// fullAbove returns the roots of the subtrees that became full one level higher when a level grew from had to have.
func fullAbove(ctx context.Context, tx pgx.Tx, level int, had, have int64) (roots [][]byte, err error) {
	for n := had / tileWidth; n < have/tileWidth; n++ {
		hashes, err := hashesAt(ctx, tx, level, n*tileWidth, (n+1)*tileWidth)
		if err != nil {
			return nil, err
		}
		roots = append(roots, perfectRoot(hashes))
	}
	return roots, nil
}

// forget removes the subtrees that were not verified, after they turned out wrong. The next attempt computes them again.
func (l *Log) forget(ctx context.Context) error {
	return locks.Hold(ctx, l.config.Pool, l.config.Patience, func(tx pgx.Tx) error {
		var verified int64
		if err := tx.QueryRow(ctx, `SELECT verified FROM log.tree FOR UPDATE`).Scan(&verified); err != nil {
			return fmt.Errorf("read how many subtrees are verified: %w", err)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM log.subtree WHERE n >= $1 >> (8 * (level - 1))`, verified); err != nil {
			return fmt.Errorf("remove subtrees from %d on: %w", verified, err)
		}
		_, err := tx.Exec(ctx, `UPDATE log.tree SET subtrees = verified`)
		return err
	})
}
