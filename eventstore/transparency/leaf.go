package transparency

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
)

// leafSQL reads the columns of leaf records for the events with $1 < seq <= $2. It does not read bodies.
const leafSQL = `
	SELECT seq, received_at, size, sha256, source, path, content_type, coalesce(origin, '')
	FROM log.event WHERE seq > $1 AND seq <= $2 ORDER BY seq`

// eachLeaf calls f with each event above after, up to last. It fails if one is missing. The event is valid only during
// the call.
func eachLeaf(rows pgx.Rows, after, last int64, f func(e *eventstore.Event) error) error {
	var (
		e      eventstore.Event
		digest []byte
		next   = after + 1
	)
	_, err := pgx.ForEachRow(rows, []any{&e.Seq, &e.ReceivedAt, &e.Size, &digest, &e.Source, &e.Path, &e.ContentType, &e.Origin}, func() error {
		if e.Seq != next {
			return fmt.Errorf("event %d is missing: %w", next, ErrMismatch)
		}
		next++
		copy(e.SHA256[:], digest)
		return f(&e)
	})
	if err == nil && next != last+1 {
		err = fmt.Errorf("event %d is missing: %w", next, ErrMismatch)
	}
	if err != nil {
		return fmt.Errorf("read the events %d to %d: %w", after+1, last, err)
	}
	return nil
}

// leafHashes returns the leaf hashes of the events with after < seq <= last.
func leafHashes(ctx context.Context, db database, after, last int64) ([][]byte, error) {
	rows, err := db.Query(ctx, leafSQL, after, last)
	if err != nil {
		return nil, fmt.Errorf("read the events %d to %d: %w", after+1, last, err)
	}
	return collectLeafHashes(rows, after, last)
}

func collectLeafHashes(rows pgx.Rows, after, last int64) ([][]byte, error) {
	hashes := make([][]byte, 0, last-after)
	err := eachLeaf(rows, after, last, func(e *eventstore.Event) error {
		hashes = append(hashes, eventstore.LeafHash(e))
		return nil
	})
	return hashes, err
}

// pageLeaves is the number of events that are read at a time.
const pageLeaves = 16 * tileWidth

// Leaves yields the leaf records of the events above after, in order, up to the log's end at the first call. A record is
// valid until the next one. Memory is bounded. No transaction stays open, since events never change. The sequence ends
// with the first error.
func (l *Log) Leaves(ctx context.Context, after int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		h, err := readHead(ctx, l.config.Reads)
		if err != nil {
			yield(nil, err)
			return
		}
		var record []byte
		for after < h.size {
			last := min(after+pageLeaves, h.size)
			events, err := readLeaves(ctx, l.config.Reads, after, last)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range events {
				record = eventstore.AppendLeafRecord(record[:0], &events[i])
				if !yield(record, nil) {
					return
				}
			}
			after = last
		}
	}
}

// readLeaves reads a page of events at once, so that the caller holds no connection while it works on them.
func readLeaves(ctx context.Context, db database, after, last int64) ([]eventstore.Event, error) {
	rows, err := db.Query(ctx, leafSQL, after, last)
	if err != nil {
		return nil, fmt.Errorf("read the events %d to %d: %w", after+1, last, err)
	}
	events := make([]eventstore.Event, 0, last-after)
	err = eachLeaf(rows, after, last, func(e *eventstore.Event) error {
		events = append(events, *e)
		return nil
	})
	return events, err
}
