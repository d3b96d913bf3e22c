package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/internal/dberror"
	"strata/projections"
)

// A projection skips at most skipsMax of skipWindow events by itself. If more of them fail, the fault is not theirs, and the projection
// stops before its rows lack too much.
const (
	skipsMax   = 16
	skipWindow = 1000
)

// skip lets the projection go past an item that it can't fold: because an operator has said so, or by itself if the database refuses
// what the item says. The event goes to quarantine with the reason. skip returns cause if the item must be folded.
//
// The block of a skipped step is folded without its content. So it has its place among the blocks, later blocks find their parent,
// and its revert is folded like any other. An item that fails even so is left out altogether if an operator has said so.
func (f *follower[T]) skip(ctx context.Context, item T, cause error) error {
	reason, commanded, err := f.skipReason(ctx, item, cause)
	if err != nil || reason == "" {
		return errors.Join(err, cause)
	}
	if f.group != nil {
		f.group.close()
	}
	f.projection.Forget()
	err = f.foldEmpty(ctx, item, reason)
	if errors.Is(err, errNoEmpty) || err != nil && commanded && !dberror.Passing(err) && !errors.Is(err, errMoved) {
		err = f.leaveOut(ctx, item, reason)
	}
	switch {
	case err == nil:
	case dberror.Passing(err), errors.Is(err, errMoved):
		return err
	default:
		return errors.Join(cause, err)
	}
	f.metrics.skipped.WithLabelValues(labels(f.spec.Schema)...).Inc()
	f.logger.LogAttrs(ctx, slog.LevelError, "projection skipped an event, whose effects its rows lack; it is in quarantine",
		slog.String("projection", f.spec.String()), slog.Int64("seq", item.LogSeq()), slog.String("reason", reason))
	if f.group != nil {
		return errMoved // its group starts again where it stands
	}
	return nil
}

// skipReason returns why an item is skipped, for the quarantine; empty if it is not. commanded says that an operator wants it.
func (f *follower[T]) skipReason(ctx context.Context, item T, cause error) (reason string, commanded bool, err error) {
	var command *int64
	var said string
	var before int
	err = f.pool.QueryRow(ctx, `
		SELECT s.command_seq, coalesce(s.reason, ''),
		       (SELECT count(DISTINCT q.seq) FROM strata.quarantine q WHERE q.name = $1 AND q.version = $4 AND q.seq > $3 - $5::bigint AND q.seq < $3)
		FROM (SELECT 1) one LEFT JOIN strata.skip s ON s.name = $1 AND s.rules = $2 AND s.seq = $3`,
		f.spec.Name, f.rules, item.LogSeq(), f.spec.Version, skipWindow).Scan(&command, &said, &before)
	switch {
	case err != nil:
		return "", false, fmt.Errorf("read whether event %d is skipped in projection %s: %w", item.LogSeq(), f.spec, err)
	case command != nil:
		return fmt.Sprintf("skipped by the command in event %d: %s; it failed with: %v", *command, said, cause), true, nil
	case refused(cause) && before < skipsMax:
		return fmt.Sprintf("skipped, because the database refuses what it says: %v", cause), false, nil
	}
	return "", false, nil
}

// refused reports whether an error is due to what an item says: values that no column can have, or keys that contradict each other.
// Whoever can put something into a block can bring that about.
func refused(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code[:2] {
	case "22", // data exception
		"23", // integrity constraint violation
		"54": // limit exceeded, such as the size of an index entry
		return true
	}
	return false
}

// errNoEmpty says that an item has no content apart from its place.
var errNoEmpty = errors.New("nothing of it can be left out")

// foldEmpty folds an item without its content.
func (f *follower[T]) foldEmpty(ctx context.Context, item T, reason string) error {
	placed, ok := any(item).(interface{ Empty() (T, bool) })
	if !ok {
		return errNoEmpty
	}
	empty, ok := placed.Empty()
	if !ok {
		return errNoEmpty
	}
	_, err := f.applyWith(ctx, []T{empty}, func(tx pgx.Tx) error { return f.quarantine(ctx, tx, item, reason) })
	return err
}

// leaveOut moves past an item.
func (f *follower[T]) leaveOut(ctx context.Context, item T, reason string) error {
	err := pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		setup := &pgx.Batch{}
		moved := f.queueMove(setup, item)
		// Readers can't know what the item would have changed.
		setup.Queue(`UPDATE strata.projection SET changes_from = position, changes_to = position, shards_from = position, unfinished = false WHERE name = $1 AND version = $2`, f.spec.Name, f.spec.Version)
		if err := tx.SendBatch(ctx, setup).Close(); err != nil {
			return fmt.Errorf("skip event %d in projection %s: %w", item.LogSeq(), f.spec, err)
		}
		if !*moved {
			return errMoved
		}
		return f.quarantine(ctx, tx, item, reason)
	})
	if err != nil {
		return err
	}
	f.reach(item.Position())
	f.committed()
	return nil
}

// quarantine writes that an item was skipped.
func (f *follower[T]) quarantine(ctx context.Context, tx pgx.Tx, item T, reason string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason)
		SELECT $1, $2, e.seq, e.path, '', $4 FROM log.event e WHERE e.seq = $3
		ON CONFLICT DO NOTHING`, f.spec.Name, f.spec.Version, item.LogSeq(), projections.Text(reason))
	if err != nil {
		return fmt.Errorf("quarantine event %d, which projection %s skips: %w", item.LogSeq(), f.spec, err)
	}
	return nil
}
