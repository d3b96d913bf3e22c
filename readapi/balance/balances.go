package balance

import (
	"context"
	"maps"
	"slices"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

func (a *api) registerBalances() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-balances-v1", Path: "/extended/v1/address/{principal}/balances", Tag: "Accounts", Deprecated: true,
		Summary: "All balances of an account", Statuses: []int{400, 404},
		Description: "The reference deprecates this endpoint in favour of version 3. Amounts are in base units.",
	}, a.balances)
}

// balances reads as many rows as the account has assets, however long their history: one range of an index for the tip,
// or one lookup for each asset at an earlier block.
func (a *api) balances(ctx context.Context, s *engine.Snapshot, in *param.AccountInput) (*view.Balances, error) {
	account, at, err := in.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	all := view.QueueBalances(b, account, at)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	shown, err := all.Shape()
	if err != nil {
		return nil, err
	}
	s.TraceRows(func() []engine.Lookup {
		assets := slices.Concat(slices.Collect(maps.Keys(shown.Fungible)), slices.Collect(maps.Keys(shown.NFT)))
		slices.Sort(assets)
		return stxLookups(account, at, assets...)
	})
	return shown, nil
}
