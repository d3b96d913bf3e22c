package eventstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// appendSQL appends a batch in one statement, hence in one round trip and one commit: compare-and-set on the
// head's size, then the events, then where new bodies stand. When another writer was faster, head is empty and
// nothing is written.
//
// The join with log.body reads the statement's snapshot. That is recent enough: when the compare-and-set
// succeeds, the newest head is in this snapshot, and so are all bodies committed with it or before.
const appendSQL = `
WITH head AS (
    UPDATE log.head
    SET size = $2, frontier = $3, updated_at = now()
    WHERE size = $1
    RETURNING size
), incoming AS (
    SELECT i.*, head.size AS head_size
    FROM head, unnest($4::bigint[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[],
                      $10::bytea[], $11::bytea[], $12::bigint[])
         AS i (seq, received_at, source, path, content_type, origin, sha256, body, body_seq)
), known AS (
    SELECT i.seq, b.seq AS body_seq
    FROM incoming i JOIN log.body b ON b.sha256 = i.sha256
    WHERE i.body <> ''
), event AS (
    INSERT INTO log.event (seq, received_at, size, body_seq, sha256, source, path, content_type, origin, body)
    SELECT i.seq, i.received_at, octet_length(i.body), coalesce(k.body_seq, i.body_seq), i.sha256,
           i.source, i.path, i.content_type, i.origin,
           CASE WHEN coalesce(k.body_seq, i.body_seq) IS NULL THEN i.body END
    FROM incoming i LEFT JOIN known k USING (seq)
    ORDER BY i.seq
), body AS (
    INSERT INTO log.body (sha256, seq)
    SELECT i.sha256, i.seq
    FROM incoming i LEFT JOIN known k USING (seq)
    WHERE k.seq IS NULL AND i.body_seq IS NULL AND i.body <> ''
)
SELECT pg_notify('` + Channel + `', size::text) FROM head`

// statementBytesMax is how much body one statement may carry; what is larger streams through COPY.
const statementBytesMax = 8 << 20

// attemptsMax bounds how often a batch is tried again because another process appended in between. Each attempt
// means that somebody made progress.
const attemptsMax = 100

func fitsStatement(batch []Incoming) bool {
	var bytes int64
	for _, in := range batch {
		if _, ok := in.Body.Bytes(); !ok {
			return false
		}
		bytes += in.Body.Size()
	}
	return bytes <= statementBytesMax
}

func (l *Log) writeStatement(ctx context.Context, batch []Incoming) (int64, error) {
	for range attemptsMax {
		if l.head == nil {
			h, err := readHead(ctx, l.pool, ``)
			if err != nil {
				return 0, unavailable(err)
			}
			l.head = h
		}
		events, next, err := place(l.head, batch)
		if err != nil {
			return 0, err
		}
		if err := l.partitions.ensure(ctx, next.size); err != nil {
			return 0, unavailable(err)
		}
		written, err := l.tryStatement(ctx, batch, events, next)
		if err != nil {
			return 0, unavailable(err)
		}
		if written {
			l.head = next
			return events[0].Seq, nil
		}
		l.head = nil
	}
	return 0, fmt.Errorf("%w: other writers were faster %d times in a row", ErrUnavailable, attemptsMax)
}

func (l *Log) tryStatement(ctx context.Context, batch []Incoming, events []Event, next *head) (bool, error) {
	var (
		n            = len(events)
		seqs         = make([]int64, n)
		times        = make([]time.Time, n)
		sources      = make([]string, n)
		paths        = make([]string, n)
		contentTypes = make([]string, n)
		origins      = make([]*string, n)
		digests      = make([][]byte, n)
		bodies       = make([][]byte, n)
		bodySeqs     = make([]*int64, n)
	)
	for i := range events {
		e := &events[i]
		seqs[i], times[i], sources[i], paths[i], contentTypes[i] = e.Seq, e.ReceivedAt, e.Source, e.Path, e.ContentType
		origins[i], bodySeqs[i] = nonZero(e.Origin), nonZero(e.BodySeq)
		digests[i] = e.SHA256[:]
		bodies[i], _ = batch[i].Body.Bytes()
		if bodies[i] == nil {
			bodies[i] = []byte{} // an empty body is an empty value, not a missing one
		}
	}
	var notified any
	err := l.pool.QueryRow(ctx, appendSQL, l.head.size, next.size, next.frontier.Encode(),
		seqs, times, sources, paths, contentTypes, origins, digests, bodies, bodySeqs).Scan(&notified)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("append events %d to %d: %w", events[0].Seq, next.size, err)
	}
	return true, nil
}

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// nonZero is a pointer for a column where the zero value means null.
func nonZero[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
