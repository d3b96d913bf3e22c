package staking

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/pox"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// cycleSelector names a reward cycle: a number, or one next to the Bitcoin block of the tip.
type cycleSelector string

// Schema implements huma.SchemaProvider.
func (cycleSelector) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Extensions: schema.Matching(`^([0-9]{1,9}|current|previous|next)$`), Examples: []any{"current"},
		Description: "A number, or current, previous or next: the cycle of the Bitcoin block of the tip, or the one before or after it.",
	}
}

// CycleInput names a reward cycle.
type CycleInput struct {
	Cycle cycleSelector `path:"cycle"`
}

// number returns the number of the cycle.
func (in CycleInput) number(c clock, tip int64) int64 {
	switch in.Cycle {
	case "current":
		return c.Cycle(tip)
	case "previous":
		return c.Cycle(tip) - 1
	case "next":
		return c.Cycle(tip) + 1
	}
	n, err := strconv.ParseInt(string(in.Cycle), 10, 64)
	if err != nil {
		return -1 // the pattern rules it out
	}
	return n
}

type cycleSchedule struct {
	Start             heightPoint `json:"start" doc:"The first Bitcoin block."`
	PreparePhaseStart heightPoint `json:"prepare_phase_start"`
	End               heightPoint `json:"end" doc:"The last Bitcoin block."`
}

type cycleBTC struct {
	Total  schema.Amount `json:"total" doc:"Sats that are locked now or, of a finished cycle, that its last calculation of rewards divided by."`
	Native schema.Amount `json:"native" doc:"Sats locked on Bitcoin."`
	SBTC   schema.Amount `json:"sbtc" doc:"Sats locked as sBTC."`
}

type cycleLocked struct {
	STX stxSplit `json:"stx"`
	BTC cycleBTC `json:"btc"`
}

type stakerCounts struct {
	STXOnly int64 `json:"stx_only" doc:"Of a finished cycle, without stakers of signer managers below the minimum: they earn nothing."`
	Bonds   int64 `json:"bonds" doc:"Includes stakers who have left a bond."`
}

type cycleParticipants struct {
	Stakers stakerCounts `json:"stakers"`
	Signers *int64       `json:"signers" doc:"Keys of the set of signers; null before it is computed."`
}

type cycleBonds struct {
	Total   int64   `json:"total"`
	Indexes []int64 `json:"indexes" nullable:"false"`
}

type waterfall struct {
	Bonds          schema.Amount `json:"bonds"`
	STXOnly        schema.Amount `json:"stx_only"`
	ReserveDeposit schema.Amount `json:"reserve_deposit"`
}

type cycleBTCRewards struct {
	Total     schema.Amount `json:"total" doc:"Sats that came in, as far as they have been calculated."`
	Waterfall waterfall     `json:"waterfall"`
	Claimed   schema.Amount `json:"claimed" doc:"Sats that were claimed for stakers."`
}

type cycleRewards struct {
	BTC cycleBTCRewards `json:"btc"`
}

// cycle is a reward cycle of pox-5.
type cycle struct {
	Number       int64             `json:"number"`
	Status       string            `json:"status" enum:"upcoming,reward_phase,prepare_phase,finished"`
	Schedule     cycleSchedule     `json:"schedule"`
	Locked       cycleLocked       `json:"locked"`
	Participants cycleParticipants `json:"participants"`
	Bonds        cycleBonds        `json:"bonds"`
	Rewards      cycleRewards      `json:"rewards"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*cycleParticipants) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "signers")
}

func (a *api) registerCycles() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-staking-cycle", Path: prefix + "/cycles/{cycle}", Tag: tag, Summary: "A reward cycle of pox-5",
		Description: "STX staked without a bond are what the last calculation of rewards divided by; before there is one, what is staked for the cycle, and of a finished cycle without one, what the contract would divide by.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Untraced: engine.MadeOfCounters,
	}, a.getCycle)
}

var errNoCycle = engine.NotFound("PoX cycle not found")

// resolve returns the clock and the number of the requested cycle.
func (a *api) resolve(ctx context.Context, s *engine.Snapshot, in CycleInput) (c clock, number, tip int64, err error) {
	tip, ok := tipHeight(s)
	if !ok {
		return c, 0, 0, errNoCycle
	}
	b := s.Batch()
	clockOf := a.queueClock(b)
	if len(b.Queries) > 0 {
		if err := b.Run(ctx); err != nil {
			return c, 0, 0, err
		}
	}
	if c, ok = clockOf(); !ok || tip < c.FirstHeight {
		return c, 0, 0, errNoCycle
	}
	if number = in.number(c, tip); number < 0 {
		return c, 0, 0, errNoCycle
	}
	return c, number, tip, nil
}

// weightRow is what is staked for a cycle, and the number of those who stake without a bond.
type weightRow struct {
	staked, bonded string
	stakers        int64
}

// calculatedRow is the sum of the calculations of a cycle. staked is of the last of them; nil without one.
type calculatedRow struct {
	gross, bonds, stx, deposit string
	staked                     *string
}

// lockupRow is a bond with its sats, on Bitcoin and as sBTC.
type lockupRow struct {
	index        int64
	native, sbtc string
}

func (a *api) getCycle(ctx context.Context, s *engine.Snapshot, in *CycleInput) (*cycle, error) {
	c, n, tip, err := a.resolve(ctx, s, *in)
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	weights := engine.Query(b, func(r *weightRow) []any { return []any{&r.staked, &r.bonded, &r.stakers} }, `
		SELECT {}, coalesce(sum(staked), 0)::text, coalesce(sum(bonded), 0)::text, coalesce(sum(stakers), 0)::bigint
		FROM {staking}.weight WHERE signer = '' AND cycle <= $1`, n)
	calculated := engine.Query(b, func(r *calculatedRow) []any { return []any{&r.gross, &r.bonds, &r.stx, &r.deposit, &r.staked} }, `
		SELECT {}, coalesce(sum(gross), 0)::text, coalesce(sum(bond_rewards), 0)::text, coalesce(sum(CASE WHEN staked > 0 THEN stx_rewards ELSE 0 END), 0)::text,
		       coalesce(sum(reserve_deposit), 0)::text, (SELECT staked::text FROM {staking}.calculation WHERE cycle = $1 ORDER BY n DESC LIMIT 1)
		FROM {staking}.calculation WHERE cycle = $1`, n)
	bonds := engine.Query(b, func(r *lockupRow) []any { return []any{&r.index, &r.native, &r.sbtc} }, `
		SELECT {}, bond_index, l1_sats::text, l2_sats::text FROM {staking}.bond WHERE first_cycle <= $1 AND unlock_cycle > $1 ORDER BY bond_index`, n)
	// Read bond by bond, because a join could read all bonds' registrations in the order of stakers.
	members := queueCount(b, `count(DISTINCT m.staker)
		FROM {staking}.bond b
		CROSS JOIN LATERAL (SELECT DISTINCT r.staker FROM {staking}.registration r WHERE r.bond_index = b.bond_index AND r.until_n IS NULL) m
		WHERE b.first_cycle <= $1 AND b.unlock_cycle > $1`, n)
	claimed := engine.Query(b, func(text *string) []any { return []any{text} },
		`SELECT {}, coalesce(sum(amount), 0)::text FROM {staking}.claimed WHERE cycle = $1`, n)
	signers := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, signers::bigint FROM {staking}.cycle_set WHERE cycle = $1`, n)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	start, prepare, end := c.Start(n), c.PrepareStart(n), c.Start(n+1)-1
	at, err := c.readTimes(ctx, s, start, prepare, end)
	if err != nil {
		return nil, err
	}
	point := func(height int64) heightPoint { return heightPoint{height, at[height]} }
	body := &cycle{Number: n, Status: cycleStatus(c, n, tip), Schedule: cycleSchedule{point(start), point(prepare), point(end)}}

	weight, _ := weights.First()
	calculation, isCalculated := calculated.First()
	isCalculated = isCalculated && calculation.staked != nil
	body.Bonds.Indexes = []int64{}
	native, sbtc := "0", "0"
	for _, r := range bonds.Rows {
		body.Bonds.Indexes = append(body.Bonds.Indexes, r.index)
		native, sbtc = string(schema.AddAmounts(native, r.native)), string(schema.AddAmounts(sbtc, r.sbtc))
	}
	body.Bonds.Total = int64(len(bonds.Rows))
	if body.Status == "finished" {
		earning, distributed, err := readFinished(ctx, s, n)
		if err != nil {
			return nil, err
		}
		weight.staked, weight.stakers = earning.staked, earning.stakers
		if isCalculated {
			native, sbtc = distributed.native, distributed.sbtc
		}
	}
	if isCalculated {
		weight.staked = *calculation.staked
	}
	body.Locked = cycleLocked{
		stxSplit{schema.Amount(weight.staked), schema.Amount(weight.bonded), schema.AddAmounts(weight.staked, weight.bonded)},
		cycleBTC{schema.AddAmounts(native, sbtc), schema.Amount(native), schema.Amount(sbtc)},
	}
	body.Participants.Stakers = stakerCounts{weight.stakers, members()}
	if n, ok := signers.First(); ok {
		body.Participants.Signers = &n
	}
	claims, _ := claimed.First()
	body.Rewards.BTC = cycleBTCRewards{
		schema.Amount(calculation.gross), waterfall{schema.Amount(calculation.bonds), schema.Amount(calculation.stx), schema.Amount(calculation.deposit)}, schema.Amount(claims),
	}
	return body, nil
}

// readFinished reads what the contract divides the rewards of a finished cycle by: the STX without a bond of signer managers at
// or above the minimum, with their stakers, and the sats of bonds as of their last distributions.
func readFinished(ctx context.Context, s *engine.Snapshot, cycle int64) (weightRow, lockupRow, error) {
	b := s.Batch()
	weights := engine.Query(b, func(r *weightRow) []any { return []any{&r.staked, &r.stakers} }, `
		SELECT {}, coalesce(sum(m.staked), 0)::text, coalesce(sum(m.stakers), 0)::bigint FROM (
			SELECT sum(staked) AS staked, sum(stakers) AS stakers FROM {staking}.weight WHERE signer <> '' AND cycle <= $1
			GROUP BY signer HAVING sum(staked) + sum(bonded) >= $2
		) m`, cycle, int64(pox.SignerMinimum))
	// The members' shares are looked up one by one: a join could read those of all stakers in their order.
	lockups := engine.Query(b, func(r *lockupRow) []any { return []any{&r.native, &r.sbtc} }, `
		WITH last AS (
			SELECT DISTINCT ON (bond_index) bond_index, n, staked_sats FROM {staking}.distribution WHERE cycle = $1 ORDER BY bond_index, n DESC
		), l1 AS MATERIALIZED (
			SELECT r.bond_index, r.staker, last.n
			FROM last JOIN {staking}.registration r ON r.bond_index = last.bond_index AND r.n <= last.n AND (r.until_n IS NULL OR r.until_n > last.n)
			WHERE r.l1
		), native AS (
			SELECT coalesce(sum(held.shares), 0) AS sats
			FROM l1 CROSS JOIN LATERAL (
				SELECT sum(g.shares) AS shares FROM {staking}.share g
				WHERE g.staker = l1.staker AND g.bond_index = l1.bond_index AND g.from_cycle <= $1 AND g.to_cycle > $1
					AND g.n <= l1.n AND (g.until_n IS NULL OR g.until_n > l1.n)
			) held
		)
		SELECT {}, native.sats::text, (coalesce((SELECT sum(staked_sats) FROM last), 0) - native.sats)::text FROM native`, cycle)
	if err := b.Run(ctx); err != nil {
		return weightRow{}, lockupRow{}, err
	}
	weight, _ := weights.First()
	lockup, _ := lockups.First()
	return weight, lockup, nil
}

// cycleStatus returns the status of a cycle at a Bitcoin height.
func cycleStatus(c clock, number, height int64) string {
	switch {
	case height < c.Start(number):
		return "upcoming"
	case height >= c.Start(number+1):
		return "finished"
	case height >= c.PrepareStart(number):
		return "prepare_phase"
	}
	return "reward_phase"
}
