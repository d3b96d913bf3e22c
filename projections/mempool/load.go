package mempool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/projections"
)

// readState reads where the tables stand.
func (b *batch) readState(ctx context.Context) error {
	err := b.tx.QueryRow(ctx, b.sql(`SELECT coalesce((SELECT forgotten_below FROM {schema}.horizon), 0)`)).Scan(&b.horizon)
	if err != nil {
		return fmt.Errorf("read what is forgotten: %w", err)
	}
	return b.readTip(ctx)
}

// readTip finds the newest block, when it is not known.
func (b *batch) readTip(ctx context.Context) error {
	if n := len(b.blocks); n > 0 {
		b.tip = &b.blocks[n-1].Tip
		return nil
	}
	var tip projections.Tip
	err := b.tx.QueryRow(ctx, b.sql(`
		SELECT height, index_block_hash, block_hash, burn_block_height
		FROM {schema}.block WHERE $1::bigint IS NULL OR height < $1 ORDER BY height DESC LIMIT 1`), b.reverted).
		Scan(&tip.Height, &tip.IndexBlockHash, &tip.BlockHash, &tip.BurnBlockHeight)
	if errors.Is(err, pgx.ErrNoRows) {
		b.tip = nil
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the newest block: %w", err)
	}
	b.tip = &tip
	return nil
}

// wants is what the steps of a batch may look at or change.
type wants struct {
	txids         map[txid]bool
	claims        map[claim]bool
	reverted      *int64 // the lowest height
	before, below int64  // what was received before a time, or below a height
}

func wantsOf(steps []projections.Step) *wants {
	w := &wants{txids: map[txid]bool{}, claims: map[claim]bool{}}
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
			if at := step.Block.Time; step.Block.IsNakamoto() && at != nil {
				w.before = max(w.before, int64(*at)-ageMax)
			} else {
				w.below = max(w.below, step.Height-blocksMax)
			}
		}
	}
	return w
}

// load reads everything that the steps may look at or change, by as many queries for one step as for thousands.
func (b *batch) load(ctx context.Context, steps []projections.Step) error {
	w := wantsOf(steps)
	if err := b.loadRows(ctx, w); err != nil {
		return fmt.Errorf("look up transactions: %w", err)
	}
	if err := b.loadUses(ctx, w); err != nil {
		return fmt.Errorf("look up used nonces: %w", err)
	}
	return nil
}

// rowColumns are those of a row but for its bytes, which never change.
const rowColumns = `t.txid, t.source_seq, t.receipt_time, t.receipt_height, t.pointer,
	t.sender, t.nonce::text, t.sponsor, t.sponsor_nonce::text, coalesce(t.recipient, ''), coalesce(t.contract_id, ''), t.size, t.type_id,
	t.dropped_status, t.dropped_for, t.dropped_seq, t.mined_height, t.mined_burn_height, t.taken_height, t.taken_by, t.expired_height, t.status`

// loadRowsSQL finds transactions by their ids $1, by who uses the nonces $2 and $3, by what a block at height $4 or above did to
// them, and those that wait since before the time $5 or below the height $6: each by an index, whatever the planner thinks of
// how many there are.
const loadRowsSQL = `
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
		SELECT * FROM {schema}.transaction t WHERE t.mined_height >= $4
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.taken_height >= $4
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.expired_height >= $4
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.status = 'pending' AND t.receipt_time < $5
		UNION ALL
		SELECT * FROM {schema}.transaction t WHERE t.status = 'pending' AND t.receipt_height < $6
	) t`

func (b *batch) loadRows(ctx context.Context, w *wants) error {
	accounts, nonces := w.columns()
	rows, err := b.tx.Query(ctx, b.sql(loadRowsSQL), idsOf(w.txids), accounts, nonces, w.reverted, w.before, w.below)
	if err != nil {
		return err
	}
	defer rows.Close()
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
		r.dropped = &dropping{status: *dropped, by: droppedFor, seq: *droppedSeq}
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

// loadUses reads who has used the nonces that the batch is about.
func (b *batch) loadUses(ctx context.Context, w *wants) error {
	accounts, nonces := w.columns()
	rows, err := b.tx.Query(ctx, b.sql(`
		SELECT wanted.account, wanted.nonce, u.txid, u.height, u.burn_height, u.source_seq
		FROM unnest($1::text[], $2::text[]) AS wanted (account, nonce)
		CROSS JOIN LATERAL (
			SELECT * FROM {schema}.mined u WHERE u.account = wanted.account AND u.nonce = wanted.nonce::numeric OFFSET 0
		) u`), accounts, nonces)
	if err != nil {
		return err
	}
	var (
		c     claim
		nonce string
		u     use
	)
	_, err = pgx.ForEachRow(rows, []any{&c.account, &nonce, &u.txid, &u.height, &u.burnHeight, &u.seq}, func() (err error) {
		c.nonce, err = strconv.ParseUint(nonce, 10, 64)
		b.mined[c] = append(b.mined[c], u)
		return err
	})
	for _, uses := range b.mined {
		slices.SortFunc(uses, compareUses)
	}
	return err
}

// columns are the claims as two arguments of a query.
func (w *wants) columns() (accounts, nonces []string) {
	for c := range w.claims {
		accounts, nonces = append(accounts, c.account), append(nonces, strconv.FormatUint(c.nonce, 10))
	}
	return accounts, nonces
}

func idsOf(ids map[txid]bool) [][]byte {
	all := make([][]byte, 0, len(ids))
	for id := range ids {
		all = append(all, id[:])
	}
	return all
}
