package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// skip moves past an item that can't be folded, if an operator has said so, and puts its event in quarantine. It returns cause
// if nobody has. Otherwise it returns errMoved: the convoy, if any, was closed, and everybody starts where it stands.
func (f *follower[T]) skip(ctx context.Context, item T, cause error) error {
	var reason string
	var command int64
	err := f.pool.QueryRow(ctx, `SELECT reason, command_seq FROM strata.skip WHERE name = $1 AND rules = $2 AND seq = $3`,
		f.spec.Name, f.rules, item.LogSeq()).Scan(&reason, &command)
	if errors.Is(err, pgx.ErrNoRows) {
		return cause
	}
	if err != nil {
		return fmt.Errorf("read whether event %d is skipped in projection %s: %w", item.LogSeq(), f.spec, err)
	}
	if f.driver != nil {
		f.driver.close()
	}
	f.projection.Forget()
	err = pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		setup := &pgx.Batch{}
		moved := f.queueMove(setup, item)
		setup.Queue(`
			INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason)
			SELECT $1, $2, e.seq, e.path, '', $4 FROM log.event e WHERE e.seq = $3
			ON CONFLICT DO NOTHING`, f.spec.Name, f.spec.Version, item.LogSeq(),
			projections.Text(fmt.Sprintf("skipped by the command in event %d: %s; it failed with: %v", command, reason, cause)))
		// Readers can't know what the item would have changed.
		setup.Queue(`UPDATE strata.projection SET changes_from = position, changes_to = position, shards_from = position, unfinished = false WHERE name = $1 AND version = $2`, f.spec.Name, f.spec.Version)
		if err := tx.SendBatch(ctx, setup).Close(); err != nil {
			return fmt.Errorf("skip event %d in projection %s: %w", item.LogSeq(), f.spec, err)
		}
		if !*moved {
			return errMoved
		}
		return nil
	})
	if err != nil {
		return err
	}
	f.logger.LogAttrs(ctx, slog.LevelWarn, "projection skipped an event, by command", slog.String("projection", f.spec.String()),
		slog.Int64("seq", item.LogSeq()), slog.Int64("command_seq", command), slog.String("reason", reason), slog.Any("error", cause))
	f.committed()
	return errMoved
}
