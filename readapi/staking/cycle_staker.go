package staking

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

type cycleStakersInput struct {
	CycleInput
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9A-Z]{28,41}(\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127})?$" doc:"The first staker of the page."`
}

type cycleReward struct {
	Accrued schema.Amount `json:"accrued" doc:"Sats earned in this cycle."`
	Claimed schema.Amount `json:"claimed" doc:"Sats of this cycle that were claimed."`
}

type cycleRewardBTC struct {
	BTC cycleReward `json:"btc"`
}

// cycleStaker is what a staker has in a reward cycle.
type cycleStaker struct {
	Staker    string         `json:"staker"`
	Signer    string         `json:"signer" doc:"The signer manager, a contract."`
	Type      string         `json:"type" enum:"stx,btc" doc:"stx for STX that are staked without a bond, btc for a bond."`
	BondIndex *int64         `json:"bond_index" doc:"null without a bond."`
	Locked    lockedAmounts  `json:"locked"`
	Rewards   cycleRewardBTC `json:"rewards"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*cycleStaker) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "bond_index")
}

// shareRow is what a staker has in a cycle as the tables store it.
type shareRow struct {
	bond             int64
	staker, signer   string
	shares, ustx     string
	accrued, claimed string
}

// cycleStakerList lists the stakers of the cycle $1. A staker has one position in a cycle.
var cycleStakerList = keyset{
	from:    `{staking}.share t WHERE t.until_n IS NULL AND t.from_cycle <= $1 AND t.to_cycle > $1`,
	sources: `{staking.event t}`,
	columns: `t.bond_index, t.staker, t.signer, t.shares::text, t.ustx::text,
		CASE WHEN t.bond_index = -1 THEN ` + accrued(accruedSTX, "t.staker", "", "AND c.cycle = $1") + ` ELSE ` + accrued(accruedBond, "t.staker", "t.bond_index", "AND c.cycle = $1") + ` END::text,
		coalesce((SELECT sum(c.amount) FROM {staking}.staker_claim c WHERE c.staker = t.staker AND c.bond_index = t.bond_index AND c.cycle = $1), 0)::text`,
	key: []string{"t.staker", "t.bond_index"}, text: `t.staker`,
}

func (r *shareRow) shape() cycleStaker {
	body := cycleStaker{
		Staker: r.staker, Signer: r.signer, Type: "stx", Locked: lockedAmounts{"0", schema.Amount(r.ustx)},
		Rewards: cycleRewardBTC{cycleReward{schema.Amount(r.accrued), schema.Amount(r.claimed)}},
	}
	if r.bond >= 0 {
		body.Type, body.BondIndex, body.Locked.BTC = "btc", &r.bond, schema.Amount(r.shares)
	}
	return body
}

func (a *api) registerCycleStakers() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-cycle-stakers", Path: prefix + "/cycles/{cycle}/stakers", Tag: tag, Summary: "The stakers of a reward cycle with what they earned in it, by name",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, s *engine.Snapshot, in *cycleStakersInput) (*page.KeysetPage[cycleStaker], error) {
		_, n, _, err := a.resolve(ctx, s, in.CycleInput)
		if err != nil {
			return nil, err
		}
		b := s.Batch()
		total := queueCount(b, `coalesce(sum(stakers), 0)::bigint + coalesce((
			SELECT count(*) FROM {staking}.bond b JOIN {staking}.share g ON g.bond_index = b.bond_index AND g.bond_index >= 0 AND g.until_n IS NULL
			AND g.from_cycle <= $1 AND g.to_cycle > $1 WHERE b.first_cycle <= $1 AND b.unlock_cycle > $1), 0)
			FROM {staking}.weight WHERE signer = '' AND cycle <= $1`, n)
		bound, args := []string(nil), []any{n}
		if in.Cursor != "" {
			bound, args = []string{"$2::text", "-1"}, append(args, in.Cursor)
		}
		p := queue(b, &cycleStakerList, func(r *shareRow) []any {
			return []any{&r.bond, &r.staker, &r.signer, &r.shares, &r.ustx, &r.accrued, &r.claimed}
		}, in.Limit, bound, args...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		return pageOf(p, total(), func(r *shareRow) cycleStaker { return r.shape() }), nil
	})
}
