package balance

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// stxBalanceV2 is the answer of version 2 of the API: view.StxBalance without the sums sent and received.
type stxBalanceV2 struct {
	Balance schema.Amount `json:"balance" doc:"Includes locked STX."`
	schema.Negative
	view.Estimate
	TotalMinerRewardsReceived schema.Amount `json:"total_miner_rewards_received"`
	view.STXLock
}

func (a *api) registerSTXBalances() {
	const about = "The reference deprecates this endpoint in favour of version 3. Amounts are in µSTX."
	engine.Get(a.Engine, engine.Operation{
		ID: "get-stx-balance-v1", Path: "/extended/v1/address/{principal}/stx", Tag: "Accounts", Deprecated: true,
		Summary: "STX balance of an account", Description: about, Statuses: []int{400, 404},
		PointRead: true,
	}, func(ctx context.Context, s *engine.Snapshot, in *param.AccountInput) (*view.StxBalance, error) {
		return a.stxBalance(ctx, s, in)
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "get-stx-balance", Path: "/extended/v2/addresses/{principal}/balances/stx", Tag: "Accounts", Deprecated: true,
		Summary: "STX balance of an account, without the sums sent and received", Statuses: []int{400, 404},
		PointRead:   true,
		Description: about + " The reference ignores `until_block` and `unanchored` here.",
	}, a.stxBalanceV2)
}

func (a *api) stxBalance(ctx context.Context, s *engine.Snapshot, in *param.AccountInput) (*view.StxBalance, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	_, balance, err := readSTX(ctx, s, view.QueueEstimatedSTX, account, at)
	return balance, err
}

// readSTX reads the STX of an account at a moment, with a query that queue adds to a batch: its row, and the balance.
func readSTX(
	ctx context.Context, s *engine.Snapshot, queue func(*engine.Batch, string, param.Moment) *view.QueuedSTX, account string, at param.Moment,
) (stx *view.QueuedSTX, balance *view.StxBalance, err error) {
	b := s.Batch()
	stx = queue(b, account, at)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if balance, err = stx.Shape(); err != nil {
		return nil, nil, err
	}
	s.TraceRows(func() []engine.Lookup { return stxLookups(account, at) })
	return stx, balance, nil
}

func (a *api) stxBalanceV2(ctx context.Context, s *engine.Snapshot, in *struct {
	param.AccountInput
	IncludeMempool bool `query:"include_mempool" default:"false" doc:"Add the effect of pending transactions."`
}) (*stxBalanceV2, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	queue := view.QueueSTX
	if in.IncludeMempool {
		queue = view.QueueEstimatedSTX
	}
	_, full, err := readSTX(ctx, s, queue, account, at)
	if err != nil {
		return nil, err
	}
	return &stxBalanceV2{full.Balance, full.Negative, full.Estimate, full.TotalMinerRewardsReceived, full.STXLock}, nil
}
