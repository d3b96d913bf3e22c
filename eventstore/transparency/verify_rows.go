package transparency

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
)

// rows are what Verify knows of the rows of the log.
type rows struct {
	firstMissing       int64 // 0: none is
	missing, missingTo int64 // the run of missing events that may go on
	own                int64 // events that hold a body themselves
	wrong              []int64
}

const (
	// progressEvents is after how many events progress is told.
	progressEvents = 1024
	// wrongMax bounds for how many events with wrong bytes it is looked up who points to them.
	wrongMax = 10_000
	// unknownMax is how many wrong rows of log.body are named.
	unknownMax = 100
)

// leaves are the records of the rows, up to the first that is missing: the tree can't be made beyond. The rows after it are
// checked all the same.
func (v *verification) leaves(ctx context.Context, all iter.Seq2[*eventstore.CheckResult, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for c, err := range all {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			v.row(c)
			if v.rows.firstMissing == 0 && !yield(c.Record, nil) {
				return
			}
		}
		v.tellMissing()
		v.progress(v.size)
	}
}

// row notes what was found at a position.
func (v *verification) row(c *eventstore.CheckResult) {
	if c.Last/progressEvents > (c.Seq-1)/progressEvents {
		v.progress(c.Last)
	}
	if c.Missing() {
		if v.rows.firstMissing == 0 {
			v.rows.firstMissing = c.Seq
		}
		if c.Seq != v.rows.missingTo+1 || v.rows.missing == 0 {
			v.tellMissing()
			v.rows.missing = c.Seq
		}
		v.rows.missingTo = c.Last
		return
	}
	v.tellMissing()
	v.result.Bytes += c.BytesRead
	if c.HoldsBody {
		v.rows.own++
	}
	for _, f := range c.Faults {
		v.find(f.What, c.Seq, c.Seq, "%s", f.Detail)
		if f.What == CheckBody && len(v.rows.wrong) < wrongMax {
			v.rows.wrong = append(v.rows.wrong, c.Seq)
		}
	}
}

// tellMissing reports a run of missing events, which ends here.
func (v *verification) tellMissing() {
	if v.rows.missing != 0 {
		v.find(CheckEvent, v.rows.missing, v.rows.missingTo, "missing")
	}
	v.rows.missing = 0
}

func (v *verification) progress(events int64) {
	if v.config.Progress != nil {
		v.config.Progress(events, v.size, v.result.Bytes)
	}
}

// endRows looks for what the rows one by one don't show.
func (v *verification) endRows(ctx context.Context) error {
	if err := v.pointers(ctx); err != nil {
		return err
	}
	return v.knownBodies(ctx)
}

// pointers names the events whose bytes are wrong because those of the event they point to are.
func (v *verification) pointers(ctx context.Context) error {
	if len(v.rows.wrong) == 0 {
		return nil
	}
	found, err := v.db.Query(ctx, `SELECT seq, body_seq FROM log.event WHERE body_seq = ANY ($1) AND seq <= $2 ORDER BY seq`, v.rows.wrong, v.size)
	if err != nil {
		return fmt.Errorf("look up who points to wrong bodies: %w", err)
	}
	var seq, body int64
	_, err = pgx.ForEachRow(found, []any{&seq, &body}, func() error {
		v.find(CheckBody, seq, seq, "its bytes are those of event %d, which are wrong", body)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up who points to wrong bodies: %w", err)
	}
	return nil
}

// knownBodies looks for rows of log.body that are of no event. That each event has its row was seen with the event.
func (v *verification) knownBodies(ctx context.Context) error {
	var within, beyond int64
	err := v.db.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE seq <= $1), count(*) FILTER (WHERE seq < 1 OR seq > (SELECT size FROM log.head)) FROM log.body`, v.size).Scan(&within, &beyond)
	if err != nil {
		return fmt.Errorf("count the rows of log.body: %w", err)
	}
	if within == v.rows.own && beyond == 0 {
		return nil
	}
	found, err := v.db.Query(ctx, `
		SELECT b.seq, b.sha256 FROM log.body b
		WHERE b.seq > (SELECT size FROM log.head)
		OR b.seq <= $1 AND NOT EXISTS (SELECT FROM log.event e WHERE e.seq = b.seq AND e.sha256 = b.sha256 AND e.body_seq IS NULL)
		ORDER BY b.seq LIMIT $2`, v.size, unknownMax)
	if err != nil {
		return fmt.Errorf("look for rows of log.body without an event: %w", err)
	}
	var seq int64
	var digest []byte
	_, err = pgx.ForEachRow(found, []any{&seq, &digest}, func() error {
		v.find(CheckKnownBody, seq, seq, "it says that bytes with the SHA-256 %x are in this event, which is not so", digest)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for rows of log.body without an event: %w", err)
	}
	return nil
}
