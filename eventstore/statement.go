package eventstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// durableSQL makes the transaction wait at its commit until it is on disk, whatever the server's settings are: the sender is
// told that the event is durable. A stricter setting stays.
const durableSQL = `set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`

// notifySize is the expression that announces the log's size. alone is the parameter for NotifySQL.
func notifySize(alone string) string {
	return NotifySQL(alone+`::bool`, `'`+Channel+`'`, `size::text`)
}

// appendOneSQL is appendSQL for one event, the usual batch of a live node. With plain parameters Postgres can reuse
// its plan. Where its body is looked up and recorded depends on whether it is large.
func appendOneSQL(large bool) string {
	known, record := `SELECT seq FROM log.small_body WHERE span IN (`+lookupSpans+`) AND sha256 = $9 AND $10 <> ''::bytea LIMIT 1`,
		`INSERT INTO log.small_body (span, sha256, seq) SELECT head.size >> `+spanBits+`, $9, head.size`
	if large {
		known, record = `SELECT seq FROM log.body WHERE sha256 = $9`, `INSERT INTO log.body (sha256, seq) SELECT $9, head.size`
	}
	return `
WITH head AS MATERIALIZED (
    SELECT size FROM log.head_advance($1, $2, $3) AS size WHERE size IS NOT NULL
), known AS (
    ` + known + `
), event AS (
    INSERT INTO log.event (seq, received_at, size, body_seq, sha256, source, path, content_type, origin, body)
    SELECT head.size, $4, $12::bigint, known.seq, $9, $5, $6, $7, $8, CASE WHEN known.seq IS NULL THEN $10::bytea END
    FROM head LEFT JOIN known ON true
), body AS (
    ` + record + ` FROM head WHERE $10 <> ''::bytea AND NOT EXISTS (SELECT FROM known)
)
SELECT ` + notifySize(`$11`) + `, ` + durableSQL + ` FROM head`
}

var appendSmallSQL, appendLargeSQL = appendOneSQL(false), appendOneSQL(true)

// lookupSpans are the spans in which a statement looks small bodies up: that of its first event, and the one before. They are the
// same for all its events, so that equal bodies find the same one.
const lookupSpans = `($1::bigint + 1) >> ` + spanBits + `, (($1::bigint + 1) >> ` + spanBits + `) - 1`

// appendSQL appends a batch in one statement, hence in one round trip and one commit: it does the compare-and-set on
// the head's size, inserts the events, and inserts the positions of new bodies into log.body and log.small_body. If another
// writer was faster, head is empty and nothing is written.
//
// The arrays are in sub-selects to hide their lengths from Postgres, which would otherwise plan each length anew.
//
// The look-ups read the statement's snapshot. That is recent enough: if the compare-and-set succeeds, the snapshot contains the
// newest head, and so all bodies committed with it or before it. The compare-and-set itself looks at a later state, but it fails
// unless that has the head that this process knew before. They are sub-selects, which always run as index look-ups.
var appendSQL = `
WITH head AS MATERIALIZED (
    SELECT size FROM log.head_advance($1, $2, $3) AS size WHERE size IS NOT NULL
), incoming AS MATERIALIZED (
    SELECT i.*, head.size AS head_size
    FROM head, unnest((SELECT $4::bigint[]), (SELECT $5::timestamptz[]), (SELECT $6::text[]), (SELECT $7::text[]),
                      (SELECT $8::text[]), (SELECT $9::text[]), (SELECT $10::bytea[]), (SELECT $11::bytea[]),
                      (SELECT $12::bigint[]), (SELECT $14::bigint[]))
         AS i (seq, received_at, source, path, content_type, origin, sha256, body, body_seq, size)
), placed AS MATERIALIZED (
    SELECT i.seq, coalesce(CASE
        WHEN i.body = '' THEN NULL
        WHEN i.size >= ` + largeBodySQL + ` THEN (SELECT b.seq FROM log.body b WHERE b.sha256 = i.sha256)
        ELSE (SELECT b.seq FROM log.small_body b WHERE b.span IN (` + lookupSpans + `) AND b.sha256 = i.sha256 LIMIT 1)
    END, i.body_seq) AS body_seq
    FROM incoming i
), event AS (
    INSERT INTO log.event (seq, received_at, size, body_seq, sha256, source, path, content_type, origin, body)
    SELECT i.seq, i.received_at, i.size, p.body_seq, i.sha256,
           i.source, i.path, i.content_type, i.origin, CASE WHEN p.body_seq IS NULL THEN i.body END
    FROM incoming i JOIN placed p USING (seq)
    ORDER BY i.seq
), body AS (
    INSERT INTO log.body (sha256, seq)
    SELECT i.sha256, i.seq
    FROM incoming i JOIN placed p USING (seq)
    WHERE p.body_seq IS NULL AND i.size >= ` + largeBodySQL + `
), small_body AS (
    INSERT INTO log.small_body (span, sha256, seq)
    SELECT i.seq >> ` + spanBits + `, i.sha256, i.seq
    FROM incoming i JOIN placed p USING (seq)
    WHERE p.body_seq IS NULL AND i.body <> '' AND i.size < ` + largeBodySQL + `
)
SELECT ` + notifySize(`$13`) + `, ` + durableSQL + ` FROM head`

// statementBytesMax is the maximum total size of the bodies in one statement. Larger batches stream through COPY.
const statementBytesMax = 8 << 20

// attemptsMax is the maximum number of attempts to write a batch with a compare-and-set while other processes append in
// between. After these, the batch waits in line for the lock of the head: a distant writer would lose every race against one
// that is near the database.
const attemptsMax = 3

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
	defer l.recent.begin()()
	var unseen int // attempts that saw no partition
	for lost := 0; lost < attemptsMax; {
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
		if partitionUnseen(err) && unseen < unseenRetries {
			unseen++
			time.Sleep(unseenWait)
			continue
		}
		if err != nil {
			return 0, unavailable(err)
		}
		if written {
			l.head = next
			for i := range events {
				events[i].Body = batch[i].Body.data
			}
			l.recent.add(events)
			l.listener.announce(Channel, next.size)
			return events[0].Seq, nil
		}
		l.head = nil
		lost++
	}
	return l.writeCopy(ctx, batch, nil)
}

// tryStatement reports whether the compare-and-set succeeded. If it did not, nothing was written.
func (l *Log) tryStatement(ctx context.Context, batch []Incoming, events []Event, next *head) (bool, error) {
	var row pgx.Row
	if len(events) == 1 {
		row = l.appendOne(ctx, batch[0], &events[0], next)
	} else {
		row = l.appendMany(ctx, batch, events, next)
	}
	var notified, durable any
	switch err := row.Scan(&notified, &durable); {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("append events %d to %d: %w", events[0].Seq, next.size, err)
	}
	return true, nil
}

func (l *Log) appendOne(ctx context.Context, in Incoming, e *Event, next *head) pgx.Row {
	sql := appendSmallSQL
	if isLarge(e.Size) {
		sql = appendLargeSQL
	}
	return l.pool.QueryRow(ctx, sql, l.head.size, next.size, next.frontier.Encode(),
		e.ReceivedAt, e.Source, e.Path, e.ContentType, nonZero(e.Origin), e.SHA256[:], in.Body.stored(), l.listener.Alone(), e.Size)
}

func (l *Log) appendMany(ctx context.Context, batch []Incoming, events []Event, next *head) pgx.Row {
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
		sizes        = make([]int64, n)
	)
	for i := range events {
		e := &events[i]
		seqs[i], times[i], sources[i], paths[i], contentTypes[i] = e.Seq, e.ReceivedAt, e.Source, e.Path, e.ContentType
		origins[i], bodySeqs[i] = nonZero(e.Origin), nonZero(e.BodySeq)
		digests[i] = e.SHA256[:]
		bodies[i], sizes[i] = batch[i].Body.stored(), e.Size
	}
	return l.pool.QueryRow(ctx, appendSQL, l.head.size, next.size, next.frontier.Encode(),
		seqs, times, sources, paths, contentTypes, origins, digests, bodies, bodySeqs, l.listener.Alone(), sizes)
}

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// nonZero returns the parameter for a column that stores the zero value as NULL.
func nonZero[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
