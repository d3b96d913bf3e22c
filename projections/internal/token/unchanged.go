package token

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/projections"
)

// writeUnchanged writes reports of documents or images whose content is that of an earlier report, and returns the other
// ones. The stale ones name content that the row does not have: the row is younger than that report, or has another one's.
func (b *batch) writeUnchanged(table string, all []resourceRecord, end func(answer, *failure)) (changed, stale []resourceRecord, err error) {
	var unchanged []resourceRecord
	var hashes [][]byte
	var since, seqs []int64
	var times []time.Time
	var counts []int16
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
		times, counts = append(times, r.report.FinishedAt), append(counts, r.counts())
	}
	if len(unchanged) == 0 {
		return changed, nil, nil
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`
		UPDATE {schema}.`+table+` x SET checked_seq = r.seq, fetched_at = r.at, failed_seq = NULL, reason = 0, in_vain = least(x.in_vain + r.counts, 100)
		FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::smallint[]) AS r (hash, since, seq, at, counts)
		WHERE x.uri_hash = r.hash AND x.source_seq = r.since
		RETURNING x.uri_hash`), hashes, since, seqs, times, counts)
	if err != nil {
		return nil, nil, fmt.Errorf("write %d rows of %s that did not change: %w", len(unchanged), table, err)
	}
	known := map[[sha256.Size]byte]bool{}
	if err := projections.EachValue(func(hash []byte) { known[[sha256.Size]byte(hash)] = true })(rows); err != nil {
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

// writeUnchangedReads is writeUnchanged for reads of tokens. A supply that came by itself since is not that of the earlier
// report, and such a read is stale as well. So is one that finds what an incomplete report said: it cannot complete the token.
func (b *batch) writeUnchangedReads(all []readRecord) (changed, unchanged, stale []readRecord, err error) {
	places := map[tokenKey]readRecord{}
	var keys []tokenKey
	var since, seqs, heights []int64
	var times []time.Time
	var counts []int16
	for _, r := range all {
		seq, ok := r.report.UnchangedSince()
		if !ok {
			changed = append(changed, r)
			continue
		}
		places[r.token], keys = r, append(keys, r.token)
		since, seqs, heights = append(since, seq), append(seqs, r.step.SourceSeq), append(heights, r.report.Tip.Height)
		times, counts = append(times, r.report.FinishedAt), append(counts, r.counts())
	}
	if len(keys) == 0 {
		return changed, nil, nil, nil
	}
	contracts, ids := columnsOf(keys)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		UPDATE {schema}.token t SET checked_seq = r.seq, read_height = r.height, read_at = r.at, failed_seq = NULL, reason = 0,
		       in_vain = least(t.in_vain + r.counts, 100)
		FROM unnest($1::text[], $2::numeric[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::smallint[])
		     AS r (contract, id, since, seq, height, at, counts)
		WHERE t.contract_id = r.contract AND t.token_id = r.id AND t.read_seq = r.since AND t.supply_seq IS NULL AND t.failed_seq IS DISTINCT FROM t.read_seq
		RETURNING t.contract_id, t.token_id::text`), contracts, ids, since, seqs, heights, times, counts)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("write %d tokens that did not change: %w", len(keys), err)
	}
	found, err := pgx.CollectRows(rows, scanTokenKey)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("write %d tokens that did not change: %w", len(keys), err)
	}
	known := map[tokenKey]bool{}
	for _, key := range found {
		known[key] = true
	}
	for _, key := range keys {
		if r := places[key]; known[key] {
			unchanged = append(unchanged, r)
		} else {
			r.problem = &problemStale
			stale = append(stale, r)
		}
	}
	return changed, unchanged, stale, nil
}

// counts is 1 if a notification caused a fetch: such a fetch is wasted if it finds nothing new. Manual and scheduled fetches say
// nothing about notifications.
func (a *answer) counts() int16 {
	if a.priority == priorityChain || a.priority == priorityAgain {
		return 1
	}
	return 0
}

// problemStale leads to another fetch soon, which brings the content.
var problemStale = fetch.Problem{
	Severity: fetch.Waiting, Reason: fetch.ReasonUnknown, Detail: "the report says that nothing has changed since one that is not here",
}
