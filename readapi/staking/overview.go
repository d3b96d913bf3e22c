package staking

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// stxSplit are µSTX with and without a bond.
type stxSplit struct {
	STXOnly schema.Amount `json:"stx_only" doc:"µSTX staked without a bond."`
	Bonds   schema.Amount `json:"bonds" doc:"µSTX locked in bonds."`
	Total   schema.Amount `json:"total"`
}

type btcTotal struct {
	Total schema.Amount `json:"total" doc:"sats"`
}

type lockedTotals struct {
	STX stxSplit `json:"stx"`
	BTC btcTotal `json:"btc"`
}

// overview is what all stakers have locked.
type overview struct {
	Locked lockedTotals `json:"locked"`
}

type bitcoinPaid struct {
	RewardAmount schema.Amount `json:"reward_amount" doc:"Sats that block commits paid to stackers and stakers."`
	BurnAmount   schema.Amount `json:"burn_amount" doc:"Sats that block commits burned."`
	TotalAmount  schema.Amount `json:"total_amount"`
}

// bitcoinRewards is what all Bitcoin blocks paid.
type bitcoinRewards struct {
	BTC bitcoinPaid `json:"btc"`
}

// mainnetSunsetBurn are the sats that miners of mainnet burned for the end of Stacks 2.0's rewards, which no node reports.
const mainnetSunsetBurn = "489352064"

func (a *api) registerOverview() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-staking", Path: prefix, Tag: tag, Summary: "What all stakers of pox-5 have locked",
		Description: "Counts positions that have not ended, also those that have not begun.",
		PointRead:   true, Untraced: engine.MadeOfCounters,
	}, func(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*overview, error) {
		body := &overview{lockedTotals{stxSplit{"0", "0", "0"}, btcTotal{"0"}}}
		tip, ok := tipHeight(s)
		if !ok {
			return body, nil
		}
		sums, _, err := find(ctx, s, func(o *overview) []any {
			return []any{&o.Locked.STX.STXOnly, &o.Locked.STX.Bonds, &o.Locked.STX.Total, &o.Locked.BTC.Total}
		}, `
			SELECT {}, coalesce(sum(staked), 0)::text, coalesce(sum(bonded), 0)::text, coalesce(sum(staked + bonded), 0)::text, coalesce(sum(sats), 0)::text
			FROM {staking}.holding WHERE signer = '' AND unlock_height > $1`, tip)
		return &sums, err
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "get-staking-rewards", Path: prefix + "/rewards", Tag: tag, Summary: "What all Bitcoin blocks paid to stackers and stakers",
		Description: "Includes the Bitcoin blocks of earlier PoX contracts, as far as the archive has them.",
		PointRead:   true, Untraced: engine.MadeOfCounters, Statuses: []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*bitcoinRewards, error) {
		paid := bitcoinPaid{"0", "0", "0"}
		if s.Active("staking") != nil {
			found, ok, err := find(ctx, s, func(p *bitcoinPaid) []any { return []any{&p.RewardAmount, &p.BurnAmount} },
				`SELECT {}, rewards::text, burned::text FROM {staking}.bitcoin`)
			if err != nil {
				return nil, err
			}
			if ok {
				paid = found
			}
		}
		if a.mainnet() {
			paid.BurnAmount = schema.AddAmounts(string(paid.BurnAmount), mainnetSunsetBurn)
		}
		paid.TotalAmount = schema.AddAmounts(string(paid.RewardAmount), string(paid.BurnAmount))
		return &bitcoinRewards{paid}, nil
	})
}
