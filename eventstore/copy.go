package eventstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
)

// copySQL lists the columns in the order in which appendCopyRow writes them.
const copySQL = `COPY log.event (seq, received_at, size, body_seq, sha256, source, path, content_type, origin, body)
FROM STDIN (FORMAT binary)`

// txFunc writes something else in the transaction that appends a batch. first is the position of its first event.
type txFunc = func(tx pgx.Tx, first int64) error

// appendSettings hold for a transaction that holds the head's lock. The server ends it if this process does not move on
// between two statements.
const appendSettings = `SELECT ` + durableSQL + `, set_config('idle_in_transaction_session_timeout', $1, true)`

// idleTimeout is the longest time that a transaction which holds the head's lock may wait for this process.
const idleTimeout = 30 * time.Second

// writeCopy appends a batch of any size in one transaction and streams its bodies. It calls inTx, unless it is nil,
// before the commit.
func (l *Log) writeCopy(ctx context.Context, batch []Incoming, inTx txFunc) (int64, error) {
	if len(batch) == 0 && inTx == nil {
		return 0, nil
	}
	size, err := l.Size(ctx)
	if err != nil {
		return 0, unavailable(err)
	}
	if err := l.partitions.ensure(ctx, size+int64(len(batch))); err != nil {
		return 0, unavailable(err)
	}
	first, err := l.tryCopy(ctx, batch, inTx)
	for retries := 0; partitionUnseen(err) && retries < unseenRetries; retries++ {
		time.Sleep(unseenWait)
		first, err = l.tryCopy(ctx, batch, inTx)
	}
	if err != nil {
		return 0, unavailable(err)
	}
	return first, nil
}

// tryCopy returns the position of the first event. If it fails, it has written nothing.
func (l *Log) tryCopy(ctx context.Context, batch []Incoming, inTx txFunc) (int64, error) {
	var next *head
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, appendSettings, fmt.Sprint(idleTimeout.Milliseconds())); err != nil {
			return fmt.Errorf("begin to append: %w", err)
		}
		current, err := readHead(ctx, tx, `FOR UPDATE`)
		if err != nil {
			return err
		}
		next = current
		if len(batch) > 0 {
			if next, err = copyBatch(ctx, tx, current, batch); err != nil {
				return err
			}
		}
		if inTx != nil {
			return inTx(tx, current.size+1)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	l.head = next
	return next.size - int64(len(batch)) + 1, nil
}

func copyBatch(ctx context.Context, tx pgx.Tx, current *head, batch []Incoming) (*head, error) {
	events, next, err := place(current, batch)
	if err != nil {
		return nil, err
	}
	holders, err := reuseStoredBodies(ctx, tx, events)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Conn().PgConn().CopyFrom(ctx, newCopyReader(batch, events), copySQL); err != nil {
		return nil, fmt.Errorf("append events %d to %d: %w", events[0].Seq, next.size, err)
	}
	if err := recordBodies(ctx, tx, holders); err != nil {
		return nil, fmt.Errorf("index the bodies of events %d to %d: %w", events[0].Seq, next.size, err)
	}
	finish := &pgx.Batch{}
	finish.Queue(`UPDATE log.head SET size = $1, frontier = $2, updated_at = now()`, next.size, next.frontier.Encode())
	finish.Queue(`SELECT `+NotifySQL(`false`, `$1`, `$2`), Channel, fmt.Sprint(next.size))
	if err := tx.SendBatch(ctx, finish).Close(); err != nil {
		return nil, fmt.Errorf("move the log's head to %d: %w", next.size, err)
	}
	return next, nil
}

// reuseStoredBodies sets BodySeq of the events whose bodies the log already holds, and returns the events whose bodies
// are new. The caller holds the head's lock, so nobody else adds bodies meanwhile.
func reuseStoredBodies(ctx context.Context, tx pgx.Tx, events []Event) (holders []*Event, err error) {
	var large, small [][]byte
	for i := range events {
		if e := &events[i]; isLarge(e.Size) {
			large = append(large, e.SHA256[:])
		} else {
			small = append(small, e.SHA256[:])
		}
	}
	stored := map[[32]byte]int64{}
	look := func(digests [][]byte, sql string, args ...any) error {
		if len(digests) == 0 {
			return nil
		}
		rows, _ := tx.Query(ctx, sql, append([]any{digests}, args...)...)
		var (
			digest []byte
			seq    int64
		)
		_, err := pgx.ForEachRow(rows, []any{&digest, &seq}, func() error {
			stored[[32]byte(digest)] = seq
			return nil
		})
		return err
	}
	span := spanOf(events[0].Seq) // for all events, as in a statement
	err = errors.Join(
		look(large, `SELECT sha256, seq FROM log.body WHERE sha256 = ANY ($1)`),
		look(small, `SELECT sha256, seq FROM log.small_body WHERE span IN ($2::bigint, $2::bigint - 1) AND sha256 = ANY ($1)`, span))
	if err != nil {
		return nil, fmt.Errorf("look up bodies: %w", err)
	}
	for i := range events {
		e := &events[i]
		if earlier, ok := stored[e.SHA256]; ok && e.Size > 0 {
			e.BodySeq = earlier
		}
		if e.BodySeq == 0 && e.Size > 0 {
			holders = append(holders, e)
		}
	}
	return holders, nil
}

// recordBodies records where bodies are stored.
func recordBodies(ctx context.Context, tx pgx.Tx, holders []*Event) error {
	var large, small [][]any
	for _, e := range holders {
		if isLarge(e.Size) {
			large = append(large, []any{e.SHA256[:], e.Seq})
		} else {
			small = append(small, []any{e.SHA256[:], e.Seq, spanOf(e.Seq)})
		}
	}
	var err error
	if len(large) > 0 {
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"log", "body"}, []string{"sha256", "seq"}, pgx.CopyFromRows(large))
	}
	if err == nil && len(small) > 0 {
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"log", "small_body"}, []string{"sha256", "seq", "span"}, pgx.CopyFromRows(small))
	}
	return err
}

// copyReader encodes a batch in the binary format of COPY: https://www.postgresql.org/docs/current/sql-copy.html.
// It buffers the columns before the body for one row at a time, and streams the body.
type copyReader struct {
	batch   []Incoming
	events  []Event
	next    int       // index of the next event
	part    io.Reader // what Read reads from now; nil: advance first
	columns []byte    // buffer of the current row's columns before the body
	ended   bool      // part is, or was, the trailer
}

func newCopyReader(batch []Incoming, events []Event) *copyReader {
	return &copyReader{
		batch:  batch,
		events: events,
		part:   bytes.NewReader([]byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")),
	}
}

// Read fills p completely, so that each message to the server is as long as it may be.
func (r *copyReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.part == nil && !r.advance() {
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		}
		m, err := r.part.Read(p[n:])
		n += m
		if errors.Is(err, io.EOF) {
			r.part = nil
		} else if err != nil {
			return n, err
		}
	}
	return n, nil
}

// advance sets part to the next row or the trailer. It returns false at the end.
func (r *copyReader) advance() bool {
	switch {
	case r.next < len(r.events):
		e, body := &r.events[r.next], r.batch[r.next].Body
		r.next++
		r.columns = appendCopyRow(r.columns[:0], e)
		if e.BodySeq != 0 {
			r.columns = binary.BigEndian.AppendUint32(r.columns, copyNull)
			r.part = bytes.NewReader(r.columns)
			return true
		}
		size, stored := e.Size, body.Reader()
		if body.packed != nil {
			size, stored = int64(len(body.packed)), bytes.NewReader(body.packed)
		}
		r.columns = binary.BigEndian.AppendUint32(r.columns, uint32(size))
		r.part = io.MultiReader(bytes.NewReader(r.columns), stored)
		return true
	case !r.ended:
		r.ended = true
		r.part = bytes.NewReader([]byte{0xff, 0xff})
		return true
	}
	return false
}

// copyNull is the length, -1, of a NULL value.
const copyNull = 0xffffffff

// postgresEpoch is the instant from which Postgres counts microseconds.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// appendCopyRow appends the row of e without its last column, the body.
func appendCopyRow(b []byte, e *Event) []byte {
	const columns = 10
	b = binary.BigEndian.AppendUint16(b, columns)
	b = appendCopyInt(b, e.Seq)
	b = appendCopyInt(b, e.ReceivedAt.UnixMicro()-postgresEpoch.UnixMicro())
	b = appendCopyInt(b, e.Size)
	if e.BodySeq != 0 {
		b = appendCopyInt(b, e.BodySeq)
	} else {
		b = binary.BigEndian.AppendUint32(b, copyNull)
	}
	b = appendCopyBytes(b, e.SHA256[:])
	b = appendCopyBytes(b, []byte(e.Source))
	b = appendCopyBytes(b, []byte(e.Path))
	b = appendCopyBytes(b, []byte(e.ContentType))
	if e.Origin != "" {
		return appendCopyBytes(b, []byte(e.Origin))
	}
	return binary.BigEndian.AppendUint32(b, copyNull)
}

func appendCopyInt(b []byte, i int64) []byte {
	b = binary.BigEndian.AppendUint32(b, 8)
	return binary.BigEndian.AppendUint64(b, uint64(i))
}

func appendCopyBytes(b, value []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	return append(b, value...)
}
