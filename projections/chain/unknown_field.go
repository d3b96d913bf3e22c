package chain

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"strata/projections"
)

// unknownMax bounds the paths of unknown fields, whatever is posted. Those beyond it are counted as one.
const unknownMax = 500

// otherFields is the path under which all unknown fields beyond unknownMax are counted.
const otherFields = "(others)"

// unknownField counts the events that have a field which nobody decodes.
type unknownField struct{ first, last, count int64 }

// unknownPath returns the name of an unknown field: the path that the event was posted to, and the JSON pointer as a
// URI fragment (RFC 6901 section 6), such as /new_block#/transactions/*/fresh.
func unknownPath(endpoint, pointer string) string {
	return projections.Text(strings.TrimRight(endpoint, "/") + "#" + pointer)
}

// addUnknown counts the unknown fields of an event. Counts are of events in the log, not of canonical blocks, so a
// reorganisation changes nothing, and a rebuild gives the same.
func (b *batch) addUnknown(ctx context.Context, item projections.LogItem) {
	others := false
	for _, pointer := range item.Unknown {
		path := unknownPath(item.Path, pointer)
		if !b.state.unknown[path] && len(b.state.unknown) >= unknownMax {
			if path = otherFields; others {
				continue
			}
			others = true
		}
		if !b.state.unknown[path] {
			b.state.unknown[path] = true
			b.chain.logger.LogAttrs(ctx, slog.LevelWarn, "an event has a field that is not decoded; the node may be newer than this program",
				slog.String("path", path), slog.Int64("seq", item.Seq))
		}
		if b.rows.unknown == nil {
			b.rows.unknown = map[string]unknownField{}
		}
		f := b.rows.unknown[path]
		if f.count == 0 {
			f.first = item.Seq
		}
		f.last = item.Seq
		f.count++
		b.rows.unknown[path] = f
	}
}

func (b *batch) writeUnknown(ctx context.Context, r *rows) error {
	for _, path := range slices.Sorted(maps.Keys(r.unknown)) {
		f := r.unknown[path]
		_, err := b.tx.Exec(ctx, b.sql(`
			INSERT INTO {schema}.unknown_field AS f (path, first_seq, source_seq, events) VALUES ($1, $2, $3, $4)
			ON CONFLICT (path) DO UPDATE SET source_seq = excluded.source_seq, events = f.events + excluded.events`), path, f.first, f.last, f.count)
		if err != nil {
			return fmt.Errorf("count the unknown field %s: %w", path, err)
		}
		if b.unknown == nil {
			b.unknown = map[string]int64{}
		}
		b.unknown[path] += f.count
	}
	return nil
}
