package mempool

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/projections"
)

// readState reads the horizon and the tip.
func (b *batch) readState(ctx context.Context) error {
	err := b.tx.QueryRow(ctx, b.sql(`SELECT coalesce((SELECT forgotten_below FROM {schema}.horizon), 0)`)).Scan(&b.horizon)
	if err != nil {
		return fmt.Errorf("read the horizon: %w", err)
	}
	return b.readTip(ctx)
}

// readTip finds the tip, among the blocks of this batch or else in the table.
func (b *batch) readTip(ctx context.Context) error {
	if n := len(b.blocks); n > 0 {
		b.tip = &b.blocks[n-1].Tip
		return nil
	}
	var err error
	b.tip, err = projections.ReadTip(ctx, b.tx, b.sql(`
		SELECT height, index_block_hash, block_hash, burn_block_height
		FROM {schema}.block WHERE $1::bigint IS NULL OR height < $1 ORDER BY height DESC LIMIT 1`), b.reverted)
	return err
}

// selection describes the rows that the steps of a batch may read or change.
type selection struct {
	txids         map[txid]bool
	claims        map[claim]bool
	reverted      *int64 // rows that blocks at this height or above have changed; nil without reverts
	before, below int64  // pending transactions received before this time, or below this height
}

func selectionOf(steps []projections.Step) *selection {
	w := &selection{txids: map[txid]bool{}, claims: map[claim]bool{}}
	for i := range steps {
		step := &steps[i]
		switch record := step.Record.(type) {
		case *projections.Announcement:
			for j := range record.Transactions {
				a := &record.Transactions[j]
				w.txids[a.ID] = true
				for _, c := range claimsOf(a.Transaction) {
					w.claims[c] = true
				}
			}
		case *nodeevent.DropMempoolTx:
			for _, id := range record.TxIDs {
				w.txids[id] = true
			}
		}
		switch step.Kind {
		case projections.Revert:
			if w.reverted == nil || step.Height < *w.reverted {
				w.reverted = &step.Height
			}
		case projections.Apply:
			for j, tx := range step.Block.Decoded {
				if tx == nil || tx.IsBoot() {
					continue
				}
				w.txids[step.Block.Transactions[j].TxID] = true
				for _, c := range claimsOf(tx) {
					w.claims[c] = true
				}
			}
			if blockTime := step.Block.Time; step.Block.IsNakamoto() && blockTime != nil {
				w.before = max(w.before, int64(*blockTime)-ageMax)
			} else {
				w.below = max(w.below, step.Height-blocksMax)
			}
		}
	}
	return w
}

// empty reports whether there can be no such rows, as when a Bitcoin block is followed.
func (w *selection) empty() bool {
	return len(w.txids) == 0 && len(w.claims) == 0 && w.reverted == nil && w.before == 0 && w.below <= 0
}

// load reads all rows that the steps may read or change, in one round trip. The number of queries does not depend on the
// number of steps.
func (b *batch) load(ctx context.Context, steps []projections.Step) error {
	w := selectionOf(steps)
	if w.empty() {
		return nil
	}
	accounts, nonces := columnsOf(w.claims)
	queries := &pgx.Batch{}
	sql, args := loadRowsSQL, []any{idsOf(w.txids), accounts, nonces, w.before, w.below}
	if w.reverted != nil {
		sql, args = loadRevertsSQL, append(args, *w.reverted)
	}
	queries.Queue(b.sql(sql), args...).Query(b.readRows)
	if len(accounts) > 0 {
		queries.Queue(b.sql(loadUsesSQL), keysOf(w.claims)).Query(b.readUses)
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("look up transactions and used nonces: %w", err)
	}
	return nil
}

// rowColumns are the columns of a row, except for those that no step reads.
const rowColumns = `t.txid, t.source_seq, t.receipt_time, t.receipt_height, t.pointer,
	t.sender, t.nonce::text, t.sponsor, t.sponsor_nonce::text, coalesce(t.recipient, ''), coalesce(t.contract_id, ''), t.size, t.type_id,
	t.dropped_status, t.dropped_for, t.dropped_seq, t.mined_height, t.mined_burn_height, t.taken_height, t.taken_by, t.expired_height, t.status`

// Queries of transactions by their ids $1, by the nonces $3 of the accounts $2, and of those pending since before the time $4
// or below the height $5; the second also of those that a block at height $6 or above has changed. They are written so that
// each part uses an index, whatever number of rows the planner expects. Each part costs something to start.
const (
	loadRowsSQL    = loadFromSQL + `) t`
	loadRevertsSQL = loadFromSQL + `
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.mined_height >= $6
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.taken_height >= $6
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.expired_height >= $6
	) t`

	loadFromSQL = `
	SELECT DISTINCT ON (t.txid) ` + rowColumns + ` FROM (
		SELECT t.* FROM unnest($1::bytea[]) AS wanted (txid)
		CROSS JOIN LATERAL (SELECT * FROM {schema}.transaction t WHERE t.txid = wanted.txid LIMIT 1) t
		UNION ALL
		SELECT t.* FROM unnest($2::text[], $3::text[]) AS wanted (account, nonce)
		CROSS JOIN LATERAL (SELECT * FROM {schema}.transaction t WHERE t.sender = wanted.account AND t.nonce = wanted.nonce::numeric OFFSET 0) t
		UNION ALL
		SELECT t.* FROM unnest($2::text[], $3::text[]) AS wanted (account, nonce)
		CROSS JOIN LATERAL (SELECT * FROM {schema}.transaction t WHERE t.sponsor = wanted.account AND t.sponsor_nonce = wanted.nonce::numeric OFFSET 0) t
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.status = 'pending' AND t.receipt_time < $4
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.status = 'pending' AND t.receipt_height < $5`
)

func (b *batch) readRows(rows pgx.Rows) error {
	for rows.Next() {
		r, err := scanRow(rows)
		if err != nil {
			return err
		}
		b.put(r)
	}
	return rows.Err()
}

func scanRow(rows pgx.Rows) (*row, error) {
	var (
		r                                       = &row{stored: true}
		nonce                                   string
		sponsor, sponsorNonce, dropped          *string
		droppedSeq, minedAt, minedBurn, takenAt *int64
		takenBy                                 *txid
		droppedFor                              *txid
	)
	err := rows.Scan(&r.txid, &r.seq, &r.receiptTime, &r.receiptHeight, &r.pointer,
		&r.sender.account, &nonce, &sponsor, &sponsorNonce, &r.recipient, &r.contract, &r.size, &r.payload,
		&dropped, &droppedFor, &droppedSeq, &minedAt, &minedBurn, &takenAt, &takenBy, &r.expired, &r.status)
	if err != nil {
		return nil, err
	}
	if r.sender.nonce, err = strconv.ParseUint(nonce, 10, 64); err != nil {
		return nil, fmt.Errorf("nonce of %s: %w", r.txid, err)
	}
	if sponsor != nil {
		r.sponsor = &claim{account: *sponsor}
		if r.sponsor.nonce, err = strconv.ParseUint(*sponsorNonce, 10, 64); err != nil {
			return nil, fmt.Errorf("nonce of the sponsor of %s: %w", r.txid, err)
		}
	}
	if dropped != nil {
		r.dropped = &dropping{reason: *dropped, by: droppedFor, seq: *droppedSeq}
	}
	if minedAt != nil {
		r.mined = &use{txid: r.txid, height: *minedAt, burnHeight: *minedBurn}
	}
	if takenAt != nil {
		r.taken = &use{txid: *takenBy, height: *takenAt}
	}
	r.storedStatus = r.status
	return r, nil
}

// loadUsesSQL selects the transactions that have used the nonces with the keys $1.
const loadUsesSQL = `
	SELECT u.claim, u.txid, u.height, (SELECT b.burn_block_height FROM {schema}.block b WHERE b.height = u.height), u.source_seq
	FROM unnest($1::uuid[]) AS wanted (claim)
	CROSS JOIN LATERAL (SELECT * FROM {schema}.mined u WHERE u.claim = wanted.claim OFFSET 0) u`

func (b *batch) readUses(rows pgx.Rows) error {
	var (
		key claimKey
		u   use
	)
	_, err := pgx.ForEachRow(rows, []any{&key, &u.txid, &u.height, &u.burnHeight, &u.seq}, func() error {
		b.mined[key] = append(b.mined[key], u)
		return nil
	})
	for _, uses := range b.mined {
		slices.SortFunc(uses, compareUses)
	}
	return err
}

// columnsOf returns claims as two array arguments of a query.
func columnsOf(claims map[claim]bool) (accounts, nonces []string) {
	for c := range claims {
		accounts, nonces = append(accounts, c.account), append(nonces, strconv.FormatUint(c.nonce, 10))
	}
	return accounts, nonces
}

// keysOf returns the keys of claims as an array argument of a query.
func keysOf(claims map[claim]bool) []claimKey {
	keys := make([]claimKey, 0, len(claims))
	for c := range claims {
		keys = append(keys, c.key())
	}
	return keys
}

func idsOf(ids map[txid]bool) [][]byte {
	all := make([][]byte, 0, len(ids))
	for id := range ids {
		all = append(all, id[:])
	}
	return all
}
