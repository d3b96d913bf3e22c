package token

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
)

// writeUnchanged writes reports of documents or images whose content is that of an earlier report, and returns the other
// ones. The stale ones name content that the row does not have: the row is younger than that report, or has another one's.
func (b *batch) writeUnchanged(table string, all []resourceRecord, end func(answer, *failure)) (changed, stale []resourceRecord, err error) {
	var unchanged []resourceRecord
	var hashes [][]byte
	var since, seqs []int64
	var times []time.Time
	for _, r := range all {
		seq, ok := r.report.UnchangedSince()
		if !ok {
			changed = append(changed, r)
			continue
		}
		for _, of := range r.referrals {
			b.touchToken(of.tokenKey)
		}
		unchanged = append(unchanged, r)
		hashes, since, seqs = append(hashes, r.hash[:]), append(since, seq), append(seqs, r.step.SourceSeq)
		times = append(times, r.report.FinishedAt)
	}
	if len(unchanged) == 0 {
		return changed, nil, nil
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`
		UPDATE {schema}.`+table+` x SET checked_seq = r.seq, fetched_at = r.at, failed_seq = NULL, reason = 0
		FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::timestamptz[]) AS r (hash, since, seq, at)
		WHERE x.uri_hash = r.hash AND x.source_seq = r.since
		RETURNING x.uri_hash`), hashes, since, seqs, times)
	if err != nil {
		return nil, nil, fmt.Errorf("write %d rows of %s that did not change: %w", len(unchanged), table, err)
	}
	known := map[[sha256.Size]byte]bool{}
	var hash []byte
	if _, err := pgx.ForEachRow(rows, []any{&hash}, func() error {
		known[[sha256.Size]byte(hash)] = true
		return nil
	}); err != nil {
		return nil, nil, fmt.Errorf("write %d rows of %s that did not change: %w", len(unchanged), table, err)
	}
	for _, r := range unchanged {
		if known[r.hash] {
			end(r.answer, nil)
		} else {
			stale = append(stale, r)
		}
	}
	return changed, stale, nil
}

// problemStale leads to another fetch soon, which brings the content.
var problemStale = fetch.Problem{
	Severity: fetch.Waiting, Reason: fetch.ReasonUnknown, Detail: "the report says that nothing has changed since one that is not here",
}
