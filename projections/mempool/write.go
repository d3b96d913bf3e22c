package mempool

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/shard"
	"strata/projections"
)

// write writes all changes of the batch: what changes and removes rows in one round trip, and then the new rows. It marks the shards of
// the accounts whose estimates change with them.
func (b *batch) write(ctx context.Context, touched *projections.Touched) error {
	changes := &pgx.Batch{}
	if b.reverted != nil {
		changes.Queue(b.sql(`DELETE FROM {schema}.block WHERE height >= $1`), *b.reverted)
		changes.Queue(b.sql(`DELETE FROM {schema}.mined WHERE height >= $1`), *b.reverted)
	}
	forgotten, rows, updated := b.changedRows()
	b.update(changes, updated) // first, as rows that are no longer mined must not be forgotten
	if len(forgotten) > 0 {
		changes.Queue(b.sql(`DELETE FROM {schema}.transaction WHERE txid = ANY ($1)`), forgotten)
	}
	b.raiseHorizon(changes)
	b.writeCounters(changes)
	if touched != nil {
		b.touchRivals(changes, touched)
	}
	if changes.Len() > 0 {
		if err := b.tx.SendBatch(ctx, changes).Close(); err != nil {
			return fmt.Errorf("change %d transactions, and forget those below Bitcoin block %d: %w", len(b.changes), b.horizon, err)
		}
	}
	for _, table := range []struct {
		name, columns string
		rows          [][]any
	}{
		{"block", "source_seq height burn_block_height index_block_hash block_hash", b.blockRows()},
		{"mined", "height source_seq tx_index sponsored claim txid", b.useRows()},
		{
			"transaction", "source_seq receipt_time receipt_height dropped_seq mined_height mined_burn_height taken_height expired_height changed_seq " +
				"pointer size type_id fee nonce sponsor_nonce amount status dropped_status " +
				"sender sponsor recipient contract_id txid dropped_for taken_by raw_tx", rows,
		},
	} {
		if err := b.spec.Copy(ctx, b.tx, table.name, strings.Fields(table.columns), table.rows); err != nil {
			return err
		}
	}
	return nil
}

// touchRivals queues a query that marks the accounts of pending transactions which use a nonce of a changed one: only one of these
// counts for a balance to come.
func (b *batch) touchRivals(changes *pgx.Batch, touched *projections.Touched) {
	claims := map[claim]bool{}
	for _, r := range b.changes {
		for _, c := range r.claims() {
			claims[c] = true
		}
	}
	if len(claims) == 0 {
		return
	}
	accounts, nonces := columnsOf(claims)
	changes.Queue(b.sql(rivalsSQL), accounts, nonces).Query(func(rows pgx.Rows) error {
		var sender, sponsor, recipient string
		_, err := pgx.ForEachRow(rows, []any{&sender, &sponsor, &recipient}, func() error {
			for _, account := range []string{sender, sponsor, recipient} {
				if account != "" {
					touched.Add(shard.Account(account))
				}
			}
			return nil
		})
		return err
	})
}

const rivalsSQL = `
	SELECT t.sender, coalesce(t.sponsor, ''), coalesce(t.recipient, '') FROM unnest($1::text[], $2::text[]) AS wanted (account, nonce)
	CROSS JOIN LATERAL (
		SELECT * FROM {schema}.transaction t WHERE t.sender = wanted.account AND t.nonce = wanted.nonce::numeric
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.sponsor = wanted.account AND t.sponsor_nonce = wanted.nonce::numeric
	) t
	WHERE t.status = 'pending'`

func (b *batch) blockRows() [][]any {
	rows := make([][]any, len(b.blocks))
	for i, block := range b.blocks {
		rows[i] = []any{block.seq, block.Height, block.BurnBlockHeight, block.IndexBlockHash[:], block.BlockHash[:]}
	}
	return rows
}

// useRows returns the rows of used nonces that are not forgotten at once.
func (b *batch) useRows() [][]any {
	rows := make([][]any, 0, len(b.used))
	for _, u := range b.used {
		if u.burnHeight >= b.horizon {
			rows = append(rows, []any{u.height, u.seq, u.txIndex, u.sponsored, u.key, u.txid[:]})
		}
	}
	return rows
}

// changedRows returns the ids of stored rows to remove, new rows, and changes of stored rows.
func (b *batch) changedRows() (forgotten [][]byte, rows [][]any, updated updates) {
	for _, r := range b.changes {
		switch {
		case b.forgotten(r):
			if r.stored {
				forgotten = append(forgotten, r.txid[:])
			}
		case r.stored:
			updated.add(r)
		default:
			rows = append(rows, r.columns())
		}
	}
	return forgotten, rows, updated
}

// raiseHorizon forgets what is below a horizon that has risen. The horizon never falls, not even when blocks are reverted, so
// nothing below the old one is stored. The heights are an array as Postgres then looks each of them up, however many it expects.
func (b *batch) raiseHorizon(changes *pgx.Batch) {
	if b.horizon == b.oldHorizon {
		return
	}
	changes.Queue(b.sql(`
		WITH m AS (DELETE FROM {schema}.mined WHERE height = ANY (ARRAY(
		         SELECT b.height FROM {schema}.block b WHERE b.burn_block_height >= $3 AND b.burn_block_height < $2))),
		     t AS (DELETE FROM {schema}.transaction WHERE mined_burn_height < $2)
		INSERT INTO {schema}.horizon AS h (source_seq, forgotten_below) VALUES ($1, $2)
		ON CONFLICT (single) DO UPDATE SET source_seq = excluded.source_seq, forgotten_below = excluded.forgotten_below`),
		b.horizonSeq, b.horizon, b.oldHorizon)
}

// statusColumns are the columns that the status follows from.
type statusColumns struct {
	droppedSeq, minedHeight, minedBurn, takenHeight, expiredHeight *int64
	droppedStatus                                                  *string
	droppedFor, takenBy                                            []byte
}

func (r *row) statusColumns() (s statusColumns) {
	if d := r.dropped; d != nil {
		s.droppedSeq, s.droppedStatus = &d.seq, &d.reason
		if d.by != nil {
			s.droppedFor = d.by[:]
		}
	}
	if u := r.mined; u != nil {
		s.minedHeight, s.minedBurn = &u.height, &u.burnHeight
	}
	if u := r.taken; u != nil {
		s.takenHeight, s.takenBy = &u.height, u.txid[:]
	}
	s.expiredHeight = r.expired
	return s
}

// columns returns the values of a new row.
func (r *row) columns() []any {
	var sponsor *string
	var sponsorNonce, amount any
	if r.sponsor != nil {
		sponsor, sponsorNonce = &r.sponsor.account, unsigned(r.sponsor.nonce)
	}
	if r.amount != nil {
		amount = unsigned(*r.amount)
	}
	s := r.statusColumns()
	return []any{
		r.seq, r.receiptTime, r.receiptHeight, s.droppedSeq, s.minedHeight, s.minedBurn, s.takenHeight, s.expiredHeight, r.changedSeq,
		r.pointer, r.size, r.payload, unsigned(r.fee), unsigned(r.sender.nonce), sponsorNonce, amount, r.status, s.droppedStatus,
		r.sender.account, sponsor, projections.NullText(r.recipient), projections.NullText(r.contract), r.txid[:], s.droppedFor, s.takenBy, r.raw,
	}
}

// updates are changes of stored rows, as array arguments of a query.
type updates struct {
	txids, droppedFor, takenBy                                          [][]byte
	seqs, times, heights, changed                                       []int64
	pointers                                                            []int32
	droppedSeqs, minedHeights, minedBurns, takenHeights, expiredHeights []*int64
	statuses                                                            []string
	droppedStatuses                                                     []*string
}

func (u *updates) add(r *row) {
	s := r.statusColumns()
	u.txids, u.seqs, u.pointers = append(u.txids, r.txid[:]), append(u.seqs, r.seq), append(u.pointers, r.pointer)
	u.times, u.heights = append(u.times, r.receiptTime), append(u.heights, r.receiptHeight)
	u.statuses, u.droppedStatuses = append(u.statuses, r.status), append(u.droppedStatuses, s.droppedStatus)
	u.droppedSeqs, u.droppedFor = append(u.droppedSeqs, s.droppedSeq), append(u.droppedFor, s.droppedFor)
	u.minedHeights, u.minedBurns = append(u.minedHeights, s.minedHeight), append(u.minedBurns, s.minedBurn)
	u.takenHeights, u.takenBy = append(u.takenHeights, s.takenHeight), append(u.takenBy, s.takenBy)
	u.expiredHeights, u.changed = append(u.expiredHeights, s.expiredHeight), append(u.changed, r.changedSeq)
}

func (b *batch) update(changes *pgx.Batch, u updates) {
	if len(u.txids) == 0 {
		return
	}
	changes.Queue(b.sql(`
		UPDATE {schema}.transaction t SET
			source_seq = u.source_seq, pointer = u.pointer, receipt_time = u.receipt_time, receipt_height = u.receipt_height,
			status = u.status, dropped_status = u.dropped_status, dropped_seq = u.dropped_seq, dropped_for = u.dropped_for,
			mined_height = u.mined_height, mined_burn_height = u.mined_burn_height,
			taken_height = u.taken_height, taken_by = u.taken_by, expired_height = u.expired_height,
			changed_seq = u.changed_seq
		FROM unnest($1::bytea[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[], $9::bytea[],
			$10::bigint[], $11::bigint[], $12::bigint[], $13::bytea[], $14::bigint[], $15::bigint[])
			AS u (txid, source_seq, pointer, receipt_time, receipt_height, status, dropped_status, dropped_seq, dropped_for,
				mined_height, mined_burn_height, taken_height, taken_by, expired_height, changed_seq)
		WHERE t.ctid = (SELECT k.ctid FROM {schema}.transaction k WHERE k.txid = u.txid LIMIT 1)`),
		u.txids, u.seqs, u.pointers, u.times, u.heights, u.statuses, u.droppedStatuses, u.droppedSeqs, u.droppedFor,
		u.minedHeights, u.minedBurns, u.takenHeights, u.takenBy, u.expiredHeights, u.changed)
}

// writeCounters updates the counters.
func (b *batch) writeCounters(changes *pgx.Batch) {
	var (
		statuses []string
		payloads []int16
		deltas   []int64
		seqs     []int64
	)
	for key, c := range b.counts { // also those with a delta of 0: rows must not depend on the size of batches
		statuses, payloads = append(statuses, key.status), append(payloads, key.payload)
		deltas, seqs = append(deltas, c.delta), append(seqs, c.seq)
	}
	if len(statuses) == 0 {
		return
	}
	changes.Queue(b.sql(`
		INSERT INTO {schema}.counter AS c (source_seq, status, type_id, n)
		SELECT * FROM unnest($1::bigint[], $2::text[], $3::smallint[], $4::bigint[])
		ON CONFLICT (status, type_id) DO UPDATE SET n = c.n + excluded.n, source_seq = excluded.source_seq`),
		seqs, statuses, payloads, deltas)
}

// unsigned returns the value of a numeric column.
func unsigned(u uint64) pgtype.Numeric {
	return projections.Amount(new(big.Int).SetUint64(u))
}
