package readapi

import (
	"context"
	"math/big"
	"slices"

	"strata/readapi/internal/answer"
)

// AccountInput names an account, and the block at which to look at it.
type AccountInput struct {
	Principal principalParameter `path:"principal"`
	AsOf
}

func (in *AccountInput) Dependencies() dependencies {
	return in.AsOf.DependenciesOf(string(in.Principal))
}

// stxBalance is an account's STX, all amounts in µSTX.
type stxBalance struct {
	Balance amount `json:"balance" doc:"Includes what is locked. Below zero only in an archive that lacks earlier blocks."`
	Estimate
	TotalSent                 amount `json:"total_sent"`
	TotalReceived             amount `json:"total_received"`
	TotalFeesSent             amount `json:"total_fees_sent"`
	TotalMinerRewardsReceived amount `json:"total_miner_rewards_received" doc:"Rewards that have matured."`
	STXLock
}

// stxBalanceV2 is the shorter form of version 2.
type stxBalanceV2 struct {
	Balance amount `json:"balance" doc:"Includes what is locked."`
	Estimate
	TotalMinerRewardsReceived amount `json:"total_miner_rewards_received"`
	STXLock
}

func (a *API) registerSTXBalances() {
	const about = "The reference deprecates this resource in favour of version 3. Amounts are in µSTX."
	get(a.Engine, resource{
		id: "get-stx-balance-v1", path: "/extended/v1/address/{principal}/stx", tag: "Accounts", deprecated: true,
		summary: "STX balance of an account", about: about, statuses: []int{400, 404},
		class: answer.Tip, brief: true,
	}, func(ctx context.Context, s *snapshot, in *AccountInput) (*stxBalance, error) {
		return a.stxBalance(ctx, s, in)
	})
	get(a.Engine, resource{
		id: "get-stx-balance", path: "/extended/v2/addresses/{principal}/balances/stx", tag: "Accounts", deprecated: true,
		summary: "STX balance of an account, without sums of what was sent and received", statuses: []int{400, 404},
		class: answer.Tip, brief: true,
		about: about + " `until_block` and `unanchored` are ours; the reference ignores them here.",
	}, a.stxBalanceV2)
}

func (a *API) stxBalance(ctx context.Context, s *snapshot, in *AccountInput) (*stxBalance, error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.batch()
	stx := queueSTX(b, account, at)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	return stx.shape()
}

func (a *API) stxBalanceV2(ctx context.Context, s *snapshot, in *struct {
	AccountInput
	IncludeMempool bool `query:"include_mempool" default:"false" doc:"Add what pending transactions would change."`
}) (*stxBalanceV2, error) {
	full, err := a.stxBalance(ctx, s, &in.AccountInput)
	if err != nil {
		return nil, err
	}
	short := &stxBalanceV2{Balance: full.Balance, TotalMinerRewardsReceived: full.TotalMinerRewardsReceived, STXLock: full.STXLock}
	if in.IncludeMempool {
		short.Estimate = full.Estimate
	}
	return short, nil
}

// resolve is the account and the block that a request names.
func (in *AccountInput) resolve(ctx context.Context, s *snapshot) (account string, at moment, err error) {
	if account, err = in.Principal.account(); err != nil {
		return "", at, err
	}
	at, err = in.moment(ctx, s)
	return account, at, err
}

// sums are a ledger row's running sums.
type sums struct{ balance, sent, received, fees, rewards string }

func sumColumns(r *sums) []any { return []any{&r.balance, &r.sent, &r.received, &r.fees, &r.rewards} }

// stxRow is an account's STX at a block.
type stxRow struct {
	block blockState
	sums  sums
	lock  lockRow
}

func stxColumns(r *stxRow) []any {
	return slices.Concat(blockStateColumns(&r.block), sumColumns(&r.sums), lockColumns(&r.lock))
}

// stxSQL reads the block at height $2, the last change of the account's STX up to it, which sums selects, and its last
// lock: each by one look-up in an index, all in one query, because it is the one that is asked most. An account that
// nothing ever happened to has zeros.
func stxSQL(sums string) string {
	return `
		SELECT array_remove(ARRAY[s.source_seq, l.source_seq], NULL),
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
			SELECT source_seq, balance, sent, received, fees, rewards
			FROM {balances}.holding WHERE account = $1 AND asset = 'stx'`)
	earlierSTX = stxSQL(`
			SELECT source_seq, balance, sent, received, fees, rewards
			FROM {balances}.ledger WHERE account = $1 AND asset = 'stx' AND height <= $2
			ORDER BY height DESC, n DESC LIMIT 1`)
)

// queuedSTX is the query for an account's STX.
type queuedSTX struct {
	at      moment
	found   *result[stxRow]
	pending func() (inbound, outbound *big.Int)
}

func queueSTX(b *batch, account string, at moment) *queuedSTX {
	if !at.latest {
		return &queuedSTX{at: at, found: query(b, stxColumns, earlierSTX, account, at.height)}
	}
	return &queuedSTX{at: at, found: query(b, stxColumns, latestSTX, account, at.height), pending: mempoolTransfers{}.queue(b, account)}
}

func (q *queuedSTX) shape() (*stxBalance, error) {
	row, ok := q.found.first()
	if !ok {
		return nil, notFound("Could not find block at height: %d", q.at.height)
	}
	balance := &stxBalance{
		Balance: amount(row.sums.balance), TotalSent: amount(row.sums.sent), TotalReceived: amount(row.sums.received),
		TotalFeesSent: amount(row.sums.fees), TotalMinerRewardsReceived: amount(row.sums.rewards), STXLock: row.lock.inForce(row.block),
	}
	if q.pending != nil {
		inbound, outbound := q.pending()
		balance.Estimate = newEstimate(balance.Balance, inbound, outbound)
	}
	return balance, nil
}
