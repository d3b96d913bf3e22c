package balance

import (
	"context"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

func (a *api) registerBalances() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-balances-v1", Path: "/extended/v1/address/{principal}/balances", Tag: "Accounts", Deprecated: true,
		Summary: "All balances of an account", Statuses: []int{400, 404}, Class: answer.Tip,
		Description: "The reference deprecates this resource in favour of version 3. Amounts are in base units.",
	}, a.balances)
}

// balances costs as many rows as the account has assets, whatever happened to them: those of the tip are one range of
// an index, those of an earlier block one look-up each.
func (a *api) balances(ctx context.Context, s *engine.Snapshot, in *param.AccountInput) (*view.Balances, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	all := view.QueueBalances(b, account, at)
	if err := b.RunLast(ctx); err != nil {
		return nil, err
	}
	return all.Shape()
}
