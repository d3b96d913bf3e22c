package view

import (
	"math/big"
	"slices"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// StxBalance is an account's STX. All amounts are in µSTX.
type StxBalance struct {
	Balance schema.Amount `json:"balance" doc:"Includes locked STX."`
	schema.Negative
	Estimate
	TotalSent                 schema.Amount `json:"total_sent"`
	TotalReceived             schema.Amount `json:"total_received"`
	TotalFeesSent             schema.Amount `json:"total_fees_sent"`
	TotalMinerRewardsReceived schema.Amount `json:"total_miner_rewards_received" doc:"Rewards that have matured."`
	STXLock
}

// sums are the running sums of a ledger row.
type sums struct{ balance, sent, received, fees, rewards string }

func sumColumns(r *sums) []any { return []any{&r.balance, &r.sent, &r.received, &r.fees, &r.rewards} }

// stxRow is an account's STX at a block.
type stxRow struct {
	block blockState
	sums  sums
	Lock  lockRow
}

func stxColumns(r *stxRow) []any {
	return slices.Concat(blockStateColumns(&r.block), sumColumns(&r.sums), lockColumns(&r.Lock))
}

// stxSQL returns the query for the block at height $2, the account's running sums at that block, which the subquery
// sums selects, and its last lock. It is the most frequent query, so it is a single one, and reads each of the three by
// one index look-up. An account without any activity has zeros.
func stxSQL(sums string) string {
	return `
		SELECT s.shown || {balances.stx_lock l},
		       b.burn_block_height, b.pox_v1_unlock_height, b.pox_v2_unlock_height, b.pox_v3_unlock_height, b.pox_v4_unlock_height,
		       coalesce(s.balance, 0)::text, coalesce(s.sent, 0)::text, coalesce(s.received, 0)::text, coalesce(s.fees, 0)::text, coalesce(s.rewards, 0)::text,
		       coalesce(l.amount, 0)::text, coalesce(l.unlock_height, 0), coalesce(l.pox_version, 0), coalesce(l.height, 0), coalesce(l.burn_block_height, 0), l.txid
		FROM {balances}.block b
		LEFT JOIN LATERAL (` + sums + `) s ON true
		LEFT JOIN LATERAL (
			SELECT l.*, lb.burn_block_height
			FROM {balances}.stx_lock l JOIN {balances}.block lb ON lb.height = l.height
			WHERE l.account = $1 AND l.height <= $2
			ORDER BY l.height DESC, l.position DESC LIMIT 1
		) l ON true
		WHERE b.height = $2`
}

var (
	latestSTX = stxSQL(`
			SELECT {balances.holding h} AS shown, balance, sent, received, fees, rewards
			FROM {balances}.holding h WHERE account = $1 AND asset = 'stx'`)
	earlierSTX = stxSQL(`
			SELECT {balances.ledger l} AS shown, balance, received - fees + rewards - balance AS sent, received, fees, rewards
			FROM (
				SELECT h.account, h.asset, e.* FROM {balances}.holding h, LATERAL (
					SELECT * FROM {balances}.entry e WHERE e.holding = h.id AND e.height <= $2 ORDER BY e.height DESC, e.n DESC LIMIT 1
				) e
				WHERE h.account = $1 AND h.asset = 'stx'
			) l`)
)

// QueuedSTX is the query for an account's STX, queued in a batch.
type QueuedSTX struct {
	at      param.Moment
	Found   *engine.Result[stxRow]
	pending func() (inbound, outbound *big.Int)
}

// QueueSTX adds the query for the account's STX at a block to a batch.
func QueueSTX(b *engine.Batch, account string, at param.Moment) *QueuedSTX {
	sql := earlierSTX
	if at.Latest {
		sql = latestSTX
	}
	return &QueuedSTX{at: at, Found: engine.Query(b, stxColumns, sql, account, at.Height)}
}

// QueueEstimatedSTX also adds the query for pending transfers, if the block is the latest. It costs more than the first one.
func QueueEstimatedSTX(b *engine.Batch, account string, at param.Moment) *QueuedSTX {
	q := QueueSTX(b, account, at)
	if at.Latest {
		q.pending = mempoolTransfers{}.Queue(b, account)
	}
	return q
}

// Shape returns the balance once the batch has run; without pending transfers, it has no estimate. It fails with 404 when there is no
// block at the height.
func (q *QueuedSTX) Shape() (*StxBalance, error) {
	row, ok := q.Found.First()
	if !ok {
		return nil, engine.NotFound("Could not find block at height: %d", q.at.Height)
	}
	balance := &StxBalance{
		Balance: schema.Amount(row.sums.balance), Negative: schema.NegativeOf(schema.Amount(row.sums.balance)), TotalSent: schema.Amount(row.sums.sent), TotalReceived: schema.Amount(row.sums.received),
		TotalFeesSent: schema.Amount(row.sums.fees), TotalMinerRewardsReceived: schema.Amount(row.sums.rewards), STXLock: row.Lock.inForce(row.block),
	}
	if q.pending != nil {
		inbound, outbound := q.pending()
		balance.Estimate = newEstimate(balance.Balance, inbound, outbound)
	}
	return balance, nil
}
