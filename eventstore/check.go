package eventstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"runtime"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"
)

// Checked is a position of the log, as Check has found it.
type Checked struct {
	// Seq is the position. Of a run of events that are missing it is the first, and Last the last; else Last is Seq.
	Seq, Last int64
	// Record is the leaf record of the row as it stands; nil when the event is missing.
	Record []byte
	// Read is how many bytes of bodies were read for it.
	Read int64
	// Own says that the row holds its body itself, and that the body is not empty.
	Own bool
	// Faults are what is wrong with the row by itself. A row that was changed in a way that agrees with itself has none:
	// only the Merkle tree tells.
	Faults []Fault
}

// Missing says that the log has no such event.
func (c *Checked) Missing() bool { return c.Record == nil }

// Fault is something wrong with a row. What names where: "body", "body_seq" or "log.body".
type Fault struct {
	What   string
	Detail string
}

const (
	// checkEvents is how many events are read with one statement.
	checkEvents = 1024
	// checkBodyMax is the largest body that is read with its row. Larger ones are read in slices, so that memory does
	// not grow with the size of a body.
	checkBodyMax = 1 << 20
	checkSlice   = 16 << 20
)

// checkSQL reads rows with what they refer to. The sub-selects are index look-ups, whatever the planner thinks of the
// length of the log. The length of a body is known without reading it.
const checkSQL = `
	SELECT e.seq, e.received_at, e.size, e.sha256, e.source, e.path, e.content_type, coalesce(e.origin, ''), coalesce(e.body_seq, 0),
	       CASE WHEN e.size > 0 THEN (SELECT b.seq FROM log.body b WHERE b.sha256 = e.sha256) END,
	       (SELECT ROW(t.size, t.sha256) = ROW(e.size, e.sha256) AND t.body_seq IS NULL FROM log.event t WHERE t.seq = e.body_seq),
	       octet_length(e.body), CASE WHEN octet_length(e.body) <= $3 THEN e.body END
	FROM log.event e WHERE e.seq > $1 AND e.seq <= $2 ORDER BY e.seq`

// Check reads the rows of the first last events, hashes their bodies anew, and says what is wrong with each. It gives every
// position, in order. Several workers read at the same time, as many as there are processors unless workers says otherwise;
// memory is bounded whatever the length of the log and of its bodies. A Checked, and its record, is valid until the next one
// is asked for. An error, that of the database or of ctx, is the last thing that it gives.
func Check(ctx context.Context, pool *pgxpool.Pool, last int64, workers int) iter.Seq2[*Checked, error] {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return func(yield func(*Checked, error) bool) {
		outer := ctx
		ctx, stop := context.WithCancel(ctx)
		group, ctx := errgroup.WithContext(ctx)
		todo, inOrder := make(chan *checkPage), make(chan *checkPage, 2*workers)
		for range workers {
			group.Go(func() error {
				for p := range todo {
					if err := p.read(ctx, pool); err != nil {
						return err
					}
					close(p.done)
				}
				return nil
			})
		}
		group.Go(func() error {
			defer close(todo)
			defer close(inOrder)
			for after := int64(0); after < last; after += checkEvents {
				p := &checkPage{after: after, last: min(after+checkEvents, last), done: make(chan struct{})}
				for _, c := range []chan<- *checkPage{inOrder, todo} {
					select {
					case c <- p:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			}
			return nil
		})
		enough := false
		for p := range inOrder {
			select {
			case <-p.done:
			case <-ctx.Done():
			}
			if ctx.Err() != nil || enough {
				continue
			}
			if enough = !p.give(yield); enough {
				stop()
			}
		}
		err := group.Wait()
		stop()
		if err == nil {
			err = outer.Err() // what was read by then may not have been given
		}
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}

// checkPage is a run of positions on the way through the workers.
type checkPage struct {
	after, last int64
	found       []Checked
	done        chan struct{} // closed when it is read
}

func (p *checkPage) give(yield func(*Checked, error) bool) bool {
	for i := range p.found {
		if !yield(&p.found[i], nil) {
			return false
		}
	}
	return true
}

func (p *checkPage) read(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("check the events %d to %d: %w", p.after+1, p.last, err)
	}
	defer conn.Release()
	large, err := p.readRows(ctx, conn)
	if err != nil {
		return fmt.Errorf("check the events %d to %d: %w", p.after+1, p.last, err)
	}
	for _, row := range large {
		if err := row.readSlices(ctx, conn); err != nil {
			return fmt.Errorf("check the body of event %d: %w", row.event.Seq, err)
		}
		p.found[row.at].Faults = row.faults()
		p.found[row.at].Read = row.length
	}
	return nil
}

// readRows reads the rows of the page. Those whose bodies are too large to come along are returned.
func (p *checkPage) readRows(ctx context.Context, conn *pgxpool.Conn) (large []*checkedRow, err error) {
	rows, err := conn.Query(ctx, checkSQL, p.after, p.last, checkBodyMax)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	p.found = make([]Checked, 0, p.last-p.after)
	next := p.after + 1
	for rows.Next() {
		row := &checkedRow{}
		var body pgtype.DriverBytes // valid until the next row
		e := &row.event
		err := rows.Scan(&e.Seq, &e.ReceivedAt, &e.Size, &row.digest, &e.Source, &e.Path, &e.ContentType, &e.Origin, &e.BodySeq,
			&row.known, &row.alike, &row.stored, &body)
		if err != nil {
			return nil, err
		}
		p.missing(next, e.Seq-1)
		next = e.Seq + 1
		copy(e.SHA256[:], row.digest)
		row.at = len(p.found)
		c := Checked{Seq: e.Seq, Last: e.Seq, Record: AppendLeafRecord(nil, e), Own: row.stored != nil && e.Size > 0}
		switch {
		case row.stored != nil && body == nil:
			large = append(large, row)
		case row.stored != nil:
			row.length, row.sum = int64(len(body)), sha256.Sum256(body)
			fallthrough
		default:
			c.Faults, c.Read = row.faults(), row.length
		}
		p.found = append(p.found, c)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	p.missing(next, p.last)
	return large, nil
}

// missing notes that there are no events from a position to another.
func (p *checkPage) missing(from, to int64) {
	if from <= to {
		p.found = append(p.found, Checked{Seq: from, Last: to})
	}
}

// checkedRow is a row with what it refers to.
type checkedRow struct {
	at     int // in the page
	event  Event
	digest []byte
	known  *int64 // where log.body says that the bytes are; nil: nowhere, or there are none
	alike  *bool  // whether the event it points to holds a body of its size and digest; nil: it is not there
	stored *int32 // bytes of the body in the row; nil: it has none

	length int64 // of the body as read
	sum    [sha256.Size]byte
}

// readSlices hashes a body piece by piece.
func (r *checkedRow) readSlices(ctx context.Context, conn *pgxpool.Conn) error {
	digest := sha256.New()
	for r.length < int64(*r.stored) {
		var slice pgtype.DriverBytes
		rows, err := conn.Query(ctx, `SELECT substring(body FROM $2 FOR $3) FROM log.event WHERE seq = $1`, r.event.Seq, r.length+1, checkSlice)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&slice}, func() error {
			r.length += int64(len(slice))
			digest.Write(slice)
			if len(slice) == 0 {
				return errors.New("it is shorter than its length")
			}
			return nil
		})
		if err != nil {
			return err
		}
		if rows.CommandTag().RowsAffected() != 1 {
			return errors.New("the row is gone")
		}
	}
	digest.Sum(r.sum[:0])
	return nil
}

// faults are what the row says that is not so.
func (r *checkedRow) faults() (faults []Fault) {
	e := &r.event
	find := func(what, format string, args ...any) {
		faults = append(faults, Fault{What: what, Detail: fmt.Sprintf(format, args...)})
	}
	if len(r.digest) != sha256.Size {
		find("body", "its SHA-256 has %d bytes, not %d", len(r.digest), sha256.Size)
	}
	home := e.Seq
	switch {
	case e.BodySeq != 0 && r.stored != nil:
		find("body_seq", "it holds a body, and points to event %d for it", e.BodySeq)
	case e.BodySeq != 0:
		home = e.BodySeq
		switch {
		case e.BodySeq >= e.Seq:
			find("body_seq", "it points to event %d for its body, which is not an earlier one", e.BodySeq)
		case r.alike == nil:
			find("body_seq", "it points to event %d for its body, which is missing", e.BodySeq)
		case !*r.alike:
			find("body_seq", "it points to event %d for its body, which holds another one", e.BodySeq)
		}
	case r.stored == nil:
		find("body", "it has no body, and points to none")
	case r.length != e.Size:
		find("body", "its body has %d bytes, the row says %d", r.length, e.Size)
	case r.sum != e.SHA256:
		find("body", "its body has the SHA-256 %x, the row says %x", r.sum, e.SHA256)
	}
	switch {
	case e.Size == 0:
	case r.known == nil:
		find("log.body", "its SHA-256 is not noted there, event %d should be", home)
	case *r.known != home:
		find("log.body", "for its SHA-256 event %d is noted there, not %d", *r.known, home)
	}
	return faults
}
