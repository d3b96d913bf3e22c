package eventstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/packed"
)

// ErrNotFound is the error for a position that the log does not have (yet).
var ErrNotFound = errors.New("no such event in the log")

// Range selects events to read.
type Range struct {
	// After is the last position already seen; 0 reads from the start.
	After int64
	// Events and Bytes (of bodies) are the maxima for the result. The first event is returned whatever its size.
	Events int
	Bytes  int64
	// Paths selects the events whose bodies are fetched; nil means all. Other events are returned without a body.
	Paths []string
}

// Read returns the next events in order. An empty result means the end of the log.
//
// It runs a range scan on the primary key. It fetches only the bodies that fit, so memory is bounded by Bytes, or by
// one event that is larger.
func (l *Log) Read(ctx context.Context, r Range) ([]Event, error) {
	rows, _ := l.pool.Query(ctx, `
		WITH page AS MATERIALIZED (
			SELECT seq, received_at, source, path, content_type, coalesce(origin, '') AS origin, size, sha256,
			       coalesce(body_seq, 0) AS body_seq,
			       ($3::text[] IS NULL OR path = ANY ($3)) AS wanted
			FROM log.event WHERE seq > $1 ORDER BY seq LIMIT $2
		), fitting AS (
			SELECT * FROM (
				SELECT *, sum(CASE WHEN wanted THEN size ELSE 0 END) OVER (ORDER BY seq) AS total FROM page
			) counted WHERE total <= $4 OR seq = $1 + 1
		)
		SELECT f.seq, f.received_at, f.source, f.path, f.content_type, f.origin, f.size, f.sha256, f.body_seq, e.body
		FROM fitting f
		LEFT JOIN log.event e ON e.seq = CASE WHEN f.body_seq = 0 THEN f.seq ELSE f.body_seq END AND f.wanted
		ORDER BY f.seq`, r.After, r.Events, r.Paths, r.Bytes)
	events, err := pgx.CollectRows(rows, scanEvent)
	if err != nil {
		return nil, fmt.Errorf("read the log after %d: %w", r.After, err)
	}
	return events, nil
}

// Get returns one event, with its body if withBody is set. It returns ErrNotFound for a position that the log does
// not have.
func (l *Log) Get(ctx context.Context, seq int64, withBody bool) (Event, error) {
	rows, _ := l.pool.Query(ctx, `
		SELECT e.seq, e.received_at, e.source, e.path, e.content_type, coalesce(e.origin, ''), e.size, e.sha256,
		       coalesce(e.body_seq, 0), b.body
		FROM log.event e
		LEFT JOIN log.event b ON b.seq = coalesce(e.body_seq, e.seq) AND $2
		WHERE e.seq = $1`, seq, withBody)
	e, err := pgx.CollectExactlyOneRow(rows, scanEvent)
	if errors.Is(err, pgx.ErrNoRows) {
		return Event{}, fmt.Errorf("event %d: %w", seq, ErrNotFound)
	}
	if err != nil {
		return Event{}, fmt.Errorf("read event %d: %w", seq, err)
	}
	return e, nil
}

func scanEvent(row pgx.CollectableRow) (Event, error) {
	var (
		e      Event
		digest []byte
	)
	err := row.Scan(&e.Seq, &e.ReceivedAt, &e.Source, &e.Path, &e.ContentType, &e.Origin, &e.Size, &digest, &e.BodySeq, &e.Body)
	if err != nil {
		return e, err
	}
	if copy(e.SHA256[:], digest); e.Body != nil {
		e.Body = packed.Unpack(e.Body, e.Size)
	}
	e.ReceivedAt = e.ReceivedAt.UTC()
	return e, nil
}

// GetMany returns the events at the given positions with their bodies, in order of position. It skips positions that
// the log does not have.
func (l *Log) GetMany(ctx context.Context, seqs []int64) ([]Event, error) {
	rows, _ := l.pool.Query(ctx, `
		SELECT e.seq, e.received_at, e.source, e.path, e.content_type, coalesce(e.origin, ''), e.size, e.sha256,
		       coalesce(e.body_seq, 0), b.body
		FROM log.event e JOIN log.event b ON b.seq = coalesce(e.body_seq, e.seq)
		WHERE e.seq = ANY ($1) ORDER BY e.seq`, seqs)
	events, err := pgx.CollectRows(rows, scanEvent)
	if err != nil {
		return nil, fmt.Errorf("read %d events: %w", len(seqs), err)
	}
	return events, nil
}
