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

	"strata/domain/packed"
)

// CheckResult is what Check found at one position of the log, or at a run of positions without events.
type CheckResult struct {
	// Seq is the position. For a run of missing events, Seq is the first and Last the last of them; otherwise Last
	// equals Seq.
	Seq, Last int64
	// Record is the leaf record of the row as stored; nil if the event is missing.
	Record []byte
	// BytesRead is the number of body bytes that were read to check the row.
	BytesRead int64
	// HoldsBody is true if the row itself holds a body that is not empty.
	HoldsBody bool
	// Faults lists the row's contradictions with itself and with the rows it refers to. A consistent change has none:
	// only the Merkle tree reveals it.
	Faults []Fault
}

// Missing reports whether the log has no event at the position.
func (c *CheckResult) Missing() bool { return c.Record == nil }

// Fault describes one contradiction in a row. What names its place: "body", "body_seq" or "log.body".
type Fault struct {
	What   string
	Detail string
}

const (
	// checkEvents is the number of events that one statement reads.
	checkEvents = 1024
	// checkBodyMax is the largest body, in bytes, that is read with its row. Larger ones are read in slices, so that
	// memory does not grow with the size of a body.
	checkBodyMax = 1 << 20
	// checkSlice is the size of such a slice in bytes.
	checkSlice = 16 << 20
)

// checkSQL reads rows together with the rows that they refer to. It uses sub-selects, which always run as index
// look-ups, whatever length the planner assumes for the log. What is recorded about a body is in log.body or log.small_body. Postgres knows the length of a body without reading it.
const checkSQL = `
	SELECT e.seq, e.received_at, e.size, e.sha256, e.source, e.path, e.content_type, coalesce(e.origin, ''), coalesce(e.body_seq, 0),
	       CASE WHEN e.size > 0 THEN (
	           SELECT b.seq FROM (
	               SELECT s.seq FROM log.small_body s WHERE s.span = coalesce(e.body_seq, e.seq) >> ` + spanBits + ` AND s.sha256 = e.sha256
	               UNION ALL
	               SELECT l.seq FROM log.body l WHERE l.sha256 = e.sha256 -- also small ones, from before log.small_body
	           ) b ORDER BY b.seq = coalesce(e.body_seq, e.seq) DESC LIMIT 1) END,
	       (SELECT ROW(t.size, t.sha256) = ROW(e.size, e.sha256) AND t.body_seq IS NULL FROM log.event t WHERE t.seq = e.body_seq),
	       octet_length(e.body), CASE WHEN octet_length(e.body) <= CASE octet_length(e.body) WHEN e.size THEN $3::int ELSE $4::int END THEN e.body END
	FROM log.event e WHERE e.seq > $1 AND e.seq <= $2 ORDER BY e.seq`

// Check reads the events 1 to last, hashes their bodies again, and yields a result for every position, in order.
// It reads with the given number of workers; 0 means one per processor. Memory is bounded, however long the log and
// its bodies are. A result and its record are valid until the next one is requested. If the database fails or ctx
// ends, the sequence ends with that error.
func Check(ctx context.Context, pool *pgxpool.Pool, last int64, workers int) iter.Seq2[*CheckResult, error] {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return func(yield func(*CheckResult, error) bool) {
		outer := ctx
		ctx, stop := context.WithCancel(ctx)
		group, ctx := errgroup.WithContext(ctx)
		unread, inOrder := make(chan *checkPage), make(chan *checkPage, 2*workers)
		for range workers {
			group.Go(func() error {
				for p := range unread {
					if err := p.read(ctx, pool); err != nil {
						return err
					}
					close(p.done)
				}
				return nil
			})
		}
		group.Go(func() error {
			defer close(unread)
			defer close(inOrder)
			for after := int64(0); after < last; after += checkEvents {
				p := &checkPage{after: after, last: min(after+checkEvents, last), done: make(chan struct{})}
				for _, c := range []chan<- *checkPage{inOrder, unread} {
					select {
					case c <- p:
					case <-ctx.Done():
						return nil // what ended it is known
					}
				}
			}
			return nil
		})
		stopped := false // by the caller
		for p := range inOrder {
			select {
			case <-p.done:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				break
			}
			if stopped = !p.yieldAll(yield); stopped {
				break
			}
		}
		stop()
		err := group.Wait()
		if err == nil {
			err = outer.Err() // the workers may have read everything, but not all of it was yielded
		}
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// checkPage is a run of positions that one worker reads: those above after, up to last.
type checkPage struct {
	after, last int64
	results     []CheckResult
	done        chan struct{} // closed once results is complete
}

func (p *checkPage) yieldAll(yield func(*CheckResult, error) bool) bool {
	for i := range p.results {
		if !yield(&p.results[i], nil) {
			return false
		}
	}
	return true
}

func (p *checkPage) read(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("check events %d to %d: %w", p.after+1, p.last, err)
	}
	defer conn.Release()
	large, err := p.readRows(ctx, conn)
	if err != nil {
		return fmt.Errorf("check events %d to %d: %w", p.after+1, p.last, err)
	}
	for _, row := range large {
		if err := row.readSlices(ctx, conn); err != nil {
			return fmt.Errorf("check the body of event %d: %w", row.event.Seq, err)
		}
		p.results[row.index].Faults = row.faults()
		p.results[row.index].BytesRead = row.bodySize
	}
	return nil
}

// readRows reads the rows of the page. It returns the rows whose bodies are too large to be read with them.
func (p *checkPage) readRows(ctx context.Context, conn *pgxpool.Conn) (large []*checkRow, err error) {
	rows, _ := conn.Query(ctx, checkSQL, p.after, p.last, checkBodyMax, packed.Max)
	p.results = make([]CheckResult, 0, p.last-p.after)
	next := p.after + 1
	var scanned checkRow
	var body pgtype.DriverBytes // valid until the next row
	to := &scanned.event
	_, err = pgx.ForEachRow(rows, []any{
		&to.Seq, &to.ReceivedAt, &to.Size, &scanned.digest, &to.Source, &to.Path, &to.ContentType, &to.Origin, &to.BodySeq,
		&scanned.indexedSeq, &scanned.targetMatches, &scanned.storedSize, &body,
	}, func() error {
		one := scanned
		row, e := &one, &one.event
		p.addMissing(next, e.Seq-1)
		next = e.Seq + 1
		copy(e.SHA256[:], row.digest)
		row.index = len(p.results)
		c := CheckResult{Seq: e.Seq, Last: e.Seq, Record: AppendLeafRecord(nil, e), HoldsBody: row.storedSize != nil && e.Size > 0}
		switch {
		case row.storedSize != nil && body == nil:
			large = append(large, row)
		case row.storedSize != nil:
			plain := packed.Unpack(body, e.Size)
			row.bodySize, row.bodyDigest = int64(len(plain)), sha256.Sum256(plain)
			fallthrough
		default:
			c.Faults, c.BytesRead = row.faults(), row.bodySize
		}
		p.results = append(p.results, c)
		return nil
	})
	p.addMissing(next, p.last)
	return large, err
}

// addMissing adds a result which says that the events first to last are missing. It adds none for an empty run.
func (p *checkPage) addMissing(first, last int64) {
	if first <= last {
		p.results = append(p.results, CheckResult{Seq: first, Last: last})
	}
}

// checkRow is a row of log.event with what checkSQL read about the rows that it refers to.
type checkRow struct {
	index         int // in checkPage.results
	event         Event
	digest        []byte
	indexedSeq    *int64 // position that log.body or log.small_body has for the digest; nil: no row there, or an empty body
	targetMatches *bool  // whether the event at body_seq holds a body of this size and digest; nil: no such event
	storedSize    *int32 // length of the body in the row; nil: the row holds none

	// What was read of the body.
	bodySize   int64
	bodyDigest [sha256.Size]byte
}

// readSlices hashes a large body slice by slice.
func (r *checkRow) readSlices(ctx context.Context, conn *pgxpool.Conn) error {
	digest := sha256.New()
	for r.bodySize < int64(*r.storedSize) {
		var slice pgtype.DriverBytes
		rows, _ := conn.Query(ctx, `SELECT substring(body FROM $2 FOR $3) FROM log.event WHERE seq = $1`,
			r.event.Seq, r.bodySize+1, checkSlice)
		_, err := pgx.ForEachRow(rows, []any{&slice}, func() error {
			r.bodySize += int64(len(slice))
			digest.Write(slice)
			if len(slice) == 0 {
				return errors.New("it ends before its length")
			}
			return nil
		})
		if err != nil {
			return err
		}
		if rows.CommandTag().RowsAffected() != 1 {
			return errors.New("its row has disappeared")
		}
	}
	digest.Sum(r.bodyDigest[:0])
	return nil
}

// faults returns every contradiction between the row, its body and the rows it refers to.
func (r *checkRow) faults() (faults []Fault) {
	e := &r.event
	add := func(what, format string, args ...any) {
		faults = append(faults, Fault{What: what, Detail: fmt.Sprintf(format, args...)})
	}
	if len(r.digest) != sha256.Size {
		add("body", "its SHA-256 has %d bytes, not %d", len(r.digest), sha256.Size)
	}
	home := e.Seq // the event that should hold the body
	switch {
	case e.BodySeq != 0 && r.storedSize != nil:
		add("body_seq", "it holds a body, yet points to event %d for it", e.BodySeq)
	case e.BodySeq != 0:
		home = e.BodySeq
		switch {
		case e.BodySeq >= e.Seq:
			add("body_seq", "it points to event %d for its body, which is not an earlier event", e.BodySeq)
		case r.targetMatches == nil:
			add("body_seq", "it points to event %d for its body, which is missing", e.BodySeq)
		case !*r.targetMatches:
			add("body_seq", "it points to event %d for its body, which holds another body", e.BodySeq)
		}
	case r.storedSize == nil:
		add("body", "it holds no body, and points to none")
	case r.bodySize != e.Size:
		add("body", "its body has %d bytes, the row says %d", r.bodySize, e.Size)
	case r.bodyDigest != e.SHA256:
		add("body", "its body has the SHA-256 %x, the row says %x", r.bodyDigest, e.SHA256)
	}
	switch {
	case e.Size == 0:
	case r.indexedSeq == nil:
		add("log.body", "its SHA-256 is missing there, want it to name event %d", home)
	case *r.indexedSeq != home:
		add("log.body", "its SHA-256 names event %d there, want %d", *r.indexedSeq, home)
	}
	return faults
}
