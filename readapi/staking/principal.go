package staking

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

type principalInput struct{ param.PrincipalInput }

// Dependencies replaces those of param.PrincipalInput by the tips of all that is read.
func (in *principalInput) Dependencies() engine.Dependencies { return engine.Dependencies{} }

type principalBondsInput struct {
	param.PrincipalInput
	Limit  int    `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,10}$" doc:"Index of the first bond of the page."`
}

// Dependencies replaces those of param.PrincipalInput by the tips of all that is read.
func (in *principalBondsInput) Dependencies() engine.Dependencies { return engine.Dependencies{} }

type principalStake struct {
	Locked  schema.Amount `json:"locked" doc:"µSTX that are staked without a bond, and locked."`
	Rewards earnedBTC     `json:"rewards"`
}

type principalBonds struct {
	Count   int64         `json:"count" doc:"Bonds for which the principal has registered, also those that it has left."`
	Locked  lockedAmounts `json:"locked"`
	Rewards earnedBTC     `json:"rewards"`
}

// principalStaking is what a principal has in pox-5.
type principalStaking struct {
	STX   principalStake `json:"stx"`
	Bonds principalBonds `json:"bonds"`
}

type lockupAmount struct {
	Amount schema.Amount `json:"amount" doc:"sats"`
}

type enrollment struct {
	TxID      hash.Hash32  `json:"tx_id"`
	BTCLockup lockupAmount `json:"btc_lockup"`
}

// bondPosition is the position of a principal in a bond.
type bondPosition struct {
	BondIndex  int64         `json:"bond_index"`
	Status     string        `json:"status" enum:"enrolled,running,early_exit,rolled_over,unlocked" doc:"As of the Bitcoin block of the tip. rolled_over: another position took its place."`
	Active     bool          `json:"active" doc:"Whether sats are locked: enrolled or running."`
	Enrollment enrollment    `json:"enrollment"`
	Locked     lockedAmounts `json:"locked"`
	Rewards    earnedBTC     `json:"rewards"`
}

// positionRow is a registration with what it has earned.
type positionRow struct {
	bond               int64
	firstHeight        *int64
	unlock             int64
	status             int16
	sats, ustx, lockup string
	accrued, claimed   string
	txid               hash.Hash32
}

// Values of the column registration.status.
const (
	statusReleased = 2
	statusReplaced = 3
)

var positionSQL = `t.bond_index, b.start_height, t.unlock_height, t.status, t.sats::text, t.ustx::text, t.enrolled_sats::text,
	` + accrued(accruedBond, "t.staker", "t.bond_index", "") + `::text,
	(SELECT coalesce(sum(c.amount), 0) FROM {staking}.staker_claim c WHERE c.staker = t.staker AND c.bond_index = t.bond_index)::text, e.txid`

func positionColumns(r *positionRow) []any {
	return []any{&r.bond, &r.firstHeight, &r.unlock, &r.status, &r.sats, &r.ustx, &r.lockup, &r.accrued, &r.claimed, &r.txid}
}

var positionList = keyset{
	from: `{staking}.registration t JOIN {staking}.event e ON e.n = t.enrolled_n LEFT JOIN {staking}.bond b ON b.bond_index = t.bond_index
		WHERE t.staker = $1 AND t.until_n IS NULL`,
	sources: `ARRAY[t.source_seq, e.source_seq]`, columns: positionSQL, key: []string{"t.bond_index"}, text: `t.bond_index::text`,
}

func (r *positionRow) shape(tip int64) bondPosition {
	body := bondPosition{
		BondIndex: r.bond, Enrollment: enrollment{r.txid, lockupAmount{schema.Amount(r.lockup)}},
		Locked: lockedAmounts{schema.Amount(r.sats), schema.Amount(r.ustx)}, Rewards: newEarned(r.accrued, r.claimed),
	}
	switch {
	case r.status == statusReplaced:
		body.Status = "rolled_over"
	case r.unlock <= tip:
		body.Status, body.Locked = "unlocked", lockedAmounts{"0", "0"}
	case r.status == statusReleased:
		body.Status = "early_exit"
	case r.firstHeight != nil && *r.firstHeight <= tip:
		body.Status, body.Active = "running", true
	default:
		body.Status, body.Active = "enrolled", true
	}
	return body
}

func (a *api) registerPrincipals() {
	const path = "/extended/v3/principals/{principal}/staking"
	engine.Get(a.Engine, engine.Operation{
		ID: "get-principal-staking", Path: path, Tag: tag, Summary: "What a principal has staked with pox-5, and what it has earned",
		Statuses: []int{http.StatusBadRequest},
	}, getPrincipal)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-principal-staking-bonds", Path: path + "/bonds", Tag: tag, Summary: "The positions of a principal in bonds, by index",
		Statuses: []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *principalBondsInput) (*page.KeysetPage[bondPosition], error) {
		tip, ok := tipHeight(s)
		if !ok {
			return emptyPage[bondPosition](in.Limit), nil
		}
		staker := string(in.Principal)
		b := s.Batch()
		total := queueCount(b, `count(*) FROM {staking}.registration WHERE staker = $1 AND until_n IS NULL`, staker)
		bound, args := []string(nil), []any{staker}
		if in.Cursor != "" {
			bound, args = []string{"$2::bigint"}, append(args, number(in.Cursor))
		}
		p := queue(b, &positionList, positionColumns, in.Limit, bound, args...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		showWhere(s, `t.subject = $1 AND t.bond_index IS NOT NULL`, staker)
		return pageOf(p, total(), func(r *positionRow) bondPosition { return r.shape(tip) }), nil
	})
}

// principalRow are the sums of a principal.
type principalRow struct {
	locked, accrued, claimed               string
	count                                  int64
	sats, ustx, bondsAccrued, bondsClaimed string
}

var principalSQL = `
	SELECT {},
	       coalesce((SELECT t.ustx FROM {staking}.stake t WHERE t.staker = $1 AND t.until_n IS NULL AND t.unlock_height > $2), 0)::text,
	       ` + accrued(accruedSTX, "$1", "", "") + `::text,
	       coalesce((SELECT sum(c.amount) FROM {staking}.staker_claim c WHERE c.staker = $1 AND c.bond_index = -1), 0)::text,
	       count(*), coalesce(sum(t.sats) FILTER (WHERE t.unlock_height > $2), 0)::text, coalesce(sum(t.ustx) FILTER (WHERE t.unlock_height > $2), 0)::text,
	       ` + accrued(accruedBonds, "$1", "", "") + `::text,
	       coalesce((SELECT sum(c.amount) FROM {staking}.staker_claim c WHERE c.staker = $1 AND c.bond_index >= 0), 0)::text
	FROM {staking}.registration t WHERE t.staker = $1 AND t.until_n IS NULL`

// accruedBonds is accruedBond for all bonds.
const accruedBonds = `(
		SELECT coalesce(sum(div(g.shares * c.per_sat, 1000000000000000000)), 0)
		FROM {staking}.share g
		JOIN {staking}.distribution c ON c.bond_index = g.bond_index AND c.cycle >= g.from_cycle AND c.cycle < g.to_cycle AND c.n > g.n AND (g.until_n IS NULL OR c.n < g.until_n)
		WHERE g.staker = {staker} AND g.bond_index >= 0 {cycles}
	)`

func getPrincipal(ctx context.Context, s *engine.Snapshot, in *principalInput) (*principalStaking, error) {
	r := principalRow{"0", "0", "0", 0, "0", "0", "0", "0"}
	if tip, ok := tipHeight(s); ok {
		var err error
		if r, _, err = find(ctx, s, func(r *principalRow) []any {
			return []any{&r.locked, &r.accrued, &r.claimed, &r.count, &r.sats, &r.ustx, &r.bondsAccrued, &r.bondsClaimed}
		}, principalSQL, string(in.Principal), tip); err != nil {
			return nil, err
		}
		showWhere(s, `t.subject = $1`, string(in.Principal))
	}
	return &principalStaking{
		principalStake{schema.Amount(r.locked), newEarned(r.accrued, r.claimed)},
		principalBonds{r.count, lockedAmounts{schema.Amount(r.sats), schema.Amount(r.ustx)}, newEarned(r.bondsAccrued, r.bondsClaimed)},
	}, nil
}
