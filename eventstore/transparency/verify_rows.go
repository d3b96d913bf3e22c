package transparency

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"strata/eventstore"
)

// rows is the part of a verification that checks rows.
type rows struct {
	firstMissing       int64   // 0: no event is missing
	missing, missingTo int64   // the current run of missing events; missing is 0 if there is none
	holders            int64   // number of events that hold a body that is not empty
	wrong              []int64 // events with a wrong body, at most wrongMax
}

const (
	// progressEvents is the number of events between two calls of VerifyConfig.Progress.
	progressEvents = 1024
	// wrongMax is the maximum number of events with wrong bodies whose referrers are looked up.
	wrongMax = 10_000
	// unknownMax is the maximum number of surplus rows that are named in log.body, and in log.subtree.
	unknownMax = 100
)

// leaves yields the records of the rows up to the first missing event, because the tree ends there. It checks the rows
// after it all the same.
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
		v.reportMissing()
		v.progress(v.size)
	}
}

// row takes in the result of Check for one position.
func (v *verification) row(c *eventstore.CheckResult) {
	if c.Last/progressEvents > (c.Seq-1)/progressEvents {
		v.progress(c.Last)
	}
	if c.Missing() {
		if v.rows.firstMissing == 0 {
			v.rows.firstMissing = c.Seq
		}
		if c.Seq != v.rows.missingTo+1 || v.rows.missing == 0 {
			v.reportMissing()
			v.rows.missing = c.Seq
		}
		v.rows.missingTo = c.Last
		return
	}
	v.reportMissing()
	v.result.Bytes += c.BytesRead
	if c.HoldsBody {
		v.rows.holders++
	}
	for _, f := range c.Faults {
		v.find(f.What, c.Seq, c.Seq, "%s", f.Detail)
		if f.What == CheckBody && len(v.rows.wrong) < wrongMax {
			v.rows.wrong = append(v.rows.wrong, c.Seq)
		}
	}
}

// reportMissing reports the current run of missing events, if any, and ends it.
func (v *verification) reportMissing() {
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

// endRows makes the checks that need all rows.
func (v *verification) endRows(ctx context.Context) error {
	if err := v.pointers(ctx); err != nil {
		return err
	}
	return v.knownBodies(ctx)
}

// pointers reports the events that point to an event with wrong bytes.
func (v *verification) pointers(ctx context.Context) error {
	if len(v.rows.wrong) == 0 {
		return nil
	}
	referrers, _ := v.db.Query(ctx, `SELECT seq, body_seq FROM log.event WHERE body_seq = ANY ($1) AND seq <= $2 ORDER BY seq`, v.rows.wrong, v.size)
	var seq, body int64
	_, err := pgx.ForEachRow(referrers, []any{&seq, &body}, func() error {
		v.find(CheckBody, seq, seq, "its bytes are those of event %d, which are wrong", body)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up the events that point to wrong bodies: %w", err)
	}
	return nil
}

// recordedBodies are what log.body and log.small_body say about where bodies are.
const recordedBodies = `(SELECT seq, sha256 FROM log.body UNION ALL SELECT seq, sha256 FROM log.small_body) b`

// knownBodies reports rows of log.body and log.small_body without an event. Check has already checked that each event has its row
// in one of them.
func (v *verification) knownBodies(ctx context.Context) error {
	var within, beyond int64
	err := v.db.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE seq <= $1), count(*) FILTER (WHERE seq < 1 OR seq > (SELECT size FROM log.head)) FROM `+recordedBodies, v.size).Scan(&within, &beyond)
	if err != nil {
		return fmt.Errorf("count the rows of log.body: %w", err)
	}
	if within == v.rows.holders && beyond == 0 {
		return nil
	}
	found, _ := v.db.Query(ctx, `
		SELECT b.seq, b.sha256 FROM `+recordedBodies+`
		WHERE b.seq > (SELECT size FROM log.head)
		OR b.seq <= $1 AND NOT EXISTS (SELECT FROM log.event e WHERE e.seq = b.seq AND e.sha256 = b.sha256 AND e.body_seq IS NULL)
		ORDER BY b.seq LIMIT $2`, v.size, unknownMax)
	var seq int64
	var digest []byte
	_, err = pgx.ForEachRow(found, []any{&seq, &digest}, func() error {
		v.find(CheckKnownBody, seq, seq, "it says that this event holds bytes with the SHA-256 %x, but it does not", digest)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for rows of log.body without an event: %w", err)
	}
	return nil
}
