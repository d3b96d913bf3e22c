package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
)

// Quarantined is an event that a projection could not read, or a part of one that stands for itself.
type Quarantined struct {
	Seq  int64
	Path string
	// Pointer is the JSON pointer of the wrong field; empty for the whole body.
	Pointer string
	Reason  string
}

// Unreadable returns the quarantine entry of an event. Its pointer is that of the field that reason names, if any.
func Unreadable(item *LogItem, reason error) Quarantined {
	q := Quarantined{Seq: item.Seq, Path: item.Path, Reason: reason.Error()}
	var field *nodeevent.FieldError
	if errors.As(reason, &field) {
		q.Pointer = field.Path
	}
	return q
}

// damagedMax is how many damaged parts of an event have an entry of their own in quarantine.
const damagedMax = 100

// Damaged returns the quarantine entries of the damaged parts of an event, whose other parts count.
func Damaged(item *LogItem) (entries []Quarantined) {
	for i, part := range item.Damaged {
		if i == damagedMax {
			reason := fmt.Sprintf("%d more parts of the event can't be read", len(item.Damaged)-damagedMax)
			return append(entries, Quarantined{Seq: item.Seq, Path: item.Path, Reason: reason})
		}
		entries = append(entries, Unreadable(item, part))
	}
	return entries
}

// WriteQuarantine stores events that could not be read, in the transaction of the projection's fold, and warns of each
// one that is new.
func WriteQuarantine(ctx context.Context, tx pgx.Tx, spec Spec, logger *slog.Logger, events []Quarantined) error {
	for _, e := range events {
		written, err := tx.Exec(ctx, `
			INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
			spec.Name, spec.Version, e.Seq, e.Path, Text(e.Pointer), Text(e.Reason))
		if err != nil {
			return fmt.Errorf("quarantine event %d: %w", e.Seq, err)
		}
		if written.RowsAffected() > 0 {
			logger.LogAttrs(ctx, slog.LevelWarn, "an event, or the part at the pointer, can't be read and goes into quarantine; the projection continues without it",
				slog.String("projection", spec.String()), slog.Int64("seq", e.Seq), slog.String("path", e.Path),
				slog.String("pointer", e.Pointer), slog.String("reason", e.Reason))
		}
	}
	return nil
}
