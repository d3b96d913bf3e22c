package readapi

import (
	"context"
	"math/big"

	"strata/readapi/internal/answer"
)

// AccountInput names an account, and the block at which to look at it.
type AccountInput struct {
	Principal principalParameter `path:"principal"`
	AsOf
}

func (in *AccountInput) dependencies() dependencies {
	return in.AsOf.dependencies(string(in.Principal))
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
	get(a, resource{
		id: "get-stx-balance-v1", path: "/extended/v1/address/{principal}/stx", tag: "Accounts", deprecated: true,
		summary: "STX balance of an account", about: about, statuses: []int{400, 404},
		class: answer.Tip,
	}, func(ctx context.Context, s *snapshot, in *AccountInput) (*stxBalance, error) {
		return a.stxBalance(ctx, s, in)
	})
	get(a, resource{
		id: "get-stx-balance", path: "/extended/v2/addresses/{principal}/balances/stx", tag: "Accounts", deprecated: true,
		summary: "STX balance of an account, without sums of what was sent and received", statuses: []int{400, 404},
		class: answer.Tip,
		about: about + " `until_block` and `unanchored` are ours; the reference ignores them here.",
	}, a.stxBalanceV2)
}

func (a *API) stxBalance(ctx context.Context, s *snapshot, in *AccountInput) (*stxBalance, error) {
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.batch()
	stx := a.queueSTX(b, account, at)
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

// queuedSTX are the queries for an account's STX; all of them fit into one batch.
type queuedSTX struct {
	at      moment
	sums    *result[sums]
	lock    *result[lockRow]
	block   *result[blockState]
	pending func() (inbound, outbound *big.Int)
}

// queueSTX adds the queries to a batch: each is one look-up in an index.
func (a *API) queueSTX(b *batch, account string, at moment) *queuedSTX {
	q := &queuedSTX{at: at, lock: queueLock(b, account, at), block: queueBlockState(b, at)}
	if at.latest {
		q.sums = query(b, sumColumns, `
			SELECT ARRAY[source_seq], balance::text, sent::text, received::text, fees::text, rewards::text
			FROM {balances}.holding WHERE account = $1 AND asset = 'stx'`, account)
		q.pending = a.pending.queue(b, account)
	} else {
		q.sums = query(b, sumColumns, `
			SELECT ARRAY[source_seq], balance::text, sent::text, received::text, fees::text, rewards::text
			FROM {balances}.ledger WHERE account = $1 AND asset = 'stx' AND height <= $2
			ORDER BY height DESC, n DESC LIMIT 1`, account, at.height)
	}
	return q
}

// shape makes the answer of the rows. An account that nothing ever happened to has zeros.
func (q *queuedSTX) shape() (*stxBalance, error) {
	block, ok := q.block.first()
	if !ok {
		return nil, notFound("Could not find block at height: %d", q.at.height)
	}
	row, ok := q.sums.first()
	if !ok {
		row = sums{"0", "0", "0", "0", "0"}
	}
	balance := &stxBalance{
		Balance: amount(row.balance), TotalSent: amount(row.sent), TotalReceived: amount(row.received),
		TotalFeesSent: amount(row.fees), TotalMinerRewardsReceived: amount(row.rewards), STXLock: nothingLocked,
	}
	if lock, ok := q.lock.first(); ok {
		balance.STXLock = lock.inForce(block)
	}
	if q.pending != nil {
		inbound, outbound := q.pending()
		balance.Estimate = newEstimate(balance.Balance, inbound, outbound)
	}
	return balance, nil
}
