package names

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/shard"
	"strata/projections"
	"strata/projections/internal/want"
)

// patience is how long after its block a zonefile may come by itself. Nodes exchange zonefiles with their peers for some
// minutes, and post them when they have them.
const patience = time.Hour

// Priorities of wants.
const (
	priorityFirst = 2 // never asked for
	priorityAgain = 4 // asked for before
)

// attemptRow is a row of the table attempt.
type attemptRow struct {
	want.Attempts
	seq              int64
	due              time.Time
	reason, severity int16
}

// consider notes that the steps may change the want of a zonefile.
func (b *batch) consider(zonefile []byte) {
	if len(zonefile) == len(hash.Hash20{}) {
		b.zonefiles[hash.Hash20(zonefile)] = true
	}
}

// want writes what came of requests for zonefiles, and the wants that change with it, with the operations and with the
// zonefiles of the steps. A want follows from these three, so it is the same whatever the batches are.
func (b *batch) want(ctx context.Context, steps []projections.Step) error {
	if err := b.attempted(ctx, steps); err != nil {
		return err
	}
	n := len(b.zonefiles)
	if n == 0 {
		return nil
	}
	hashes, keys, texts := make([][]byte, 0, n), make([][]byte, 0, n), make([]string, 0, n)
	for h := range b.zonefiles {
		w := fetch.AttachmentWant(h)
		key := want.KeyHash(w)
		text, err := json.Marshal(w)
		if err != nil {
			return fmt.Errorf("write the want %s: %w", w.Key(), err)
		}
		hashes, keys, texts = append(hashes, h[:]), append(keys, key[:]), append(texts, string(text))
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`
		DELETE FROM {schema}.attempt a WHERE a.zonefile_hash = ANY ($1) AND EXISTS (SELECT FROM {schema}.zonefile z WHERE z.zonefile_hash = a.zonefile_hash)`), hashes)
	queries.Queue(b.sql(`DELETE FROM {schema}.want WHERE key_hash = ANY ($1)`), keys)
	// A renewal that prints nothing has the zonefile of the operation before it.
	queries.Queue(b.sql(`
		INSERT INTO {schema}.want (source_seq, due_at, attempts, waits, priority, reason, severity, key_hash, zonefile_hash, kind, want)
		SELECT coalesce(a.source_seq, o.source_seq), coalesce(a.due_at, to_timestamp(o.time) + $4::interval), coalesce(a.attempts, 0), coalesce(a.waits, 0),
		       CASE WHEN a.attempts > 0 THEN $6::smallint ELSE $5::smallint END, coalesce(a.reason, 0), coalesce(a.severity, 0), q.key_hash, q.zonefile_hash, $7, q.want
		FROM unnest($1::bytea[], $2::bytea[], $3::text[]) AS q (zonefile_hash, key_hash, want)
		CROSS JOIN LATERAL (
			SELECT o.source_seq, k.time FROM {schema}.operation o JOIN {schema}.block k ON k.height = o.height
			WHERE o.zonefile_hash = q.zonefile_hash AND o.zonefile_hash <> '\x' AND o.n > 0 AND o.pointer IS NOT NULL ORDER BY o.height, o.source_seq, o.tx_index LIMIT 1
		) o
		LEFT JOIN {schema}.attempt a ON a.zonefile_hash = q.zonefile_hash
		WHERE NOT EXISTS (SELECT FROM {schema}.zonefile z WHERE z.zonefile_hash = q.zonefile_hash)`),
		hashes, keys, texts, patience, int16(priorityFirst), int16(priorityAgain), string(fetch.Attachment))
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("write the wants of %d zonefiles: %w", n, err)
	}
	return nil
}

// attempted writes what came of the requests for zonefiles that have not come otherwise.
func (b *batch) attempted(ctx context.Context, steps []projections.Step) error {
	tried := map[hash.Hash20]*attemptRow{}
	var hashes [][]byte
	for i := range steps {
		report, ok := steps[i].Record.(*fetch.Report)
		if !ok {
			continue
		}
		if h, ok := report.Want.AttachmentHash(); ok && tried[h] == nil {
			tried[h], b.zonefiles[h] = &attemptRow{}, true
			hashes = append(hashes, h[:])
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	rows, err := b.tx.Query(ctx, b.sql(`SELECT zonefile_hash, attempts, waits FROM {schema}.attempt WHERE zonefile_hash = ANY ($1)`), hashes)
	if err != nil {
		return fmt.Errorf("read the attempts at %d zonefiles: %w", len(hashes), err)
	}
	var h hash.Hash20
	var a attemptRow
	if _, err := pgx.ForEachRow(rows, []any{&h, &a.Attempts.Attempts, &a.Waits}, func() error {
		*tried[h] = a
		return nil
	}); err != nil {
		return fmt.Errorf("read the attempts at %d zonefiles: %w", len(hashes), err)
	}
	for i := range steps {
		report, ok := steps[i].Record.(*fetch.Report)
		if !ok {
			continue
		}
		h, ok := report.Want.AttachmentHash()
		if !ok {
			continue
		}
		if _, _, problem := report.AttachmentContent(); problem != nil {
			a := tried[h]
			a.due = a.Fail(report.FinishedAt, problem)
			a.seq, a.reason, a.severity = steps[i].BlockSeq, int16(problem.Reason), int16(problem.Severity)
		}
	}
	return b.writeAttempts(ctx, hashes, tried)
}

// writeAttempts writes the attempts that failed. Those at zonefiles that are there do not count.
func (b *batch) writeAttempts(ctx context.Context, hashes [][]byte, tried map[hash.Hash20]*attemptRow) error {
	var failed [][]byte
	var seqs []int64
	var dues []time.Time
	var attempts, waits []int32
	var reasons, severities []int16
	for _, h := range hashes {
		a := tried[hash.Hash20(h)]
		if a.seq == 0 {
			continue
		}
		failed, seqs, dues = append(failed, h), append(seqs, a.seq), append(dues, a.due)
		attempts, waits = append(attempts, a.Attempts.Attempts), append(waits, a.Waits)
		reasons, severities = append(reasons, a.reason), append(severities, a.severity)
	}
	if len(failed) == 0 {
		return nil
	}
	b.touched.Add(shard.Names, shard.Zonefiles)
	_, err := b.tx.Exec(ctx, b.sql(`
		INSERT INTO {schema}.attempt (source_seq, due_at, attempts, waits, reason, severity, zonefile_hash)
		SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::int[], $4::int[], $5::smallint[], $6::smallint[], $7::bytea[])
			AS f (source_seq, due_at, attempts, waits, reason, severity, zonefile_hash)
		WHERE NOT EXISTS (SELECT FROM {schema}.zonefile z WHERE z.zonefile_hash = f.zonefile_hash)
		ON CONFLICT (zonefile_hash) DO UPDATE SET
			source_seq = excluded.source_seq, due_at = excluded.due_at, attempts = excluded.attempts, waits = excluded.waits,
			reason = excluded.reason, severity = excluded.severity`), seqs, dues, attempts, waits, reasons, severities, failed)
	if err != nil {
		return fmt.Errorf("write the attempts at %d zonefiles: %w", len(failed), err)
	}
	return nil
}
