package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/domain/nodeevent"
)

// Quarantined is an event that a projection could not read, or a part of one that stands for itself.
type Quarantined struct {
	Seq  int64
	Path string
	// Pointer is the JSON pointer of the wrong field; empty for the whole body. It tells the parts of an event apart.
	Pointer string
	Reason  string
	// Subjects are what the part is about; nil for nothing in particular.
	Subjects []string
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

// WriteQuarantine stores what could not be read, in the transaction of the projection's fold, and warns of each event of
// which something is new.
func WriteQuarantine(ctx context.Context, tx pgx.Tx, spec Spec, logger *slog.Logger, parts []Quarantined) error {
	if len(parts) == 0 {
		return nil
	}
	queries := &pgx.Batch{}
	fresh := map[int64][]Quarantined{} // by event
	var order []int64
	for _, q := range parts {
		queries.Queue(`
			INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason, subjects)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
			spec.Name, spec.Version, q.Seq, q.Path, storablePointer(q.Pointer), Text(q.Reason), Column(q.Subjects, Text)).Exec(func(tag pgconn.CommandTag) error {
			if tag.RowsAffected() > 0 {
				if fresh[q.Seq] == nil {
					order = append(order, q.Seq)
				}
				fresh[q.Seq] = append(fresh[q.Seq], q)
			}
			return nil
		})
	}
	if err := tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("quarantine %d parts of events, the first of event %d: %w", len(parts), parts[0].Seq, err)
	}
	for _, seq := range order {
		first := fresh[seq][0]
		logger.LogAttrs(ctx, slog.LevelWarn, "an event, or a part of it, can't be read and goes into quarantine; the projection continues without it",
			slog.String("projection", spec.String()), slog.Int64("seq", seq), slog.String("path", first.Path), slog.Int("parts", len(fresh[seq])),
			slog.String("pointer", first.Pointer), slog.String("reason", first.Reason))
	}
	return nil
}

// pointerMost bounds a JSON pointer, which is in indexes.
const pointerMost = 1000

// storablePointer returns a JSON pointer that fits into the table: of a long one, that of something around it.
func storablePointer(pointer string) string {
	if pointer = Text(pointer); len(pointer) > pointerMost {
		pointer = pointer[:max(strings.LastIndexByte(pointer[:pointerMost], '/'), 0)]
	}
	return pointer
}
