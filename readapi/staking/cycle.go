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
	Total  schema.Amount `json:"total" doc:"sats"`
	Native schema.Amount `json:"native" doc:"Sats locked on Bitcoin."`
	SBTC   schema.Amount `json:"sbtc" doc:"Sats locked as sBTC."`
}

type cycleLocked struct {
	STX stxSplit `json:"stx"`
	BTC cycleBTC `json:"btc"`
}

type stakerCounts struct {
	STXOnly int64 `json:"stx_only"`
	Bonds   int64 `json:"bonds"`
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
		Description: "STX staked without a bond are what the last calculation of rewards divided by; before there is one, what is staked for the cycle, and of a finished cycle without one, what the contract would divide by. " +
			"A cycle is known up to the one after the current one, and as long as anything is staked for it.",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Untraced: engine.MadeOfCounters,
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
	if c, ok = clockOf(); !ok {
		return c, 0, 0, errNoCycle
	}
	if number = in.number(c, tip); number < 0 {
		return c, 0, 0, errNoCycle
	}
	return c, number, tip, nil
}

// weightRow is what is staked for a cycle. beyond is set if anything is staked for the cycle or a later one.
type weightRow struct {
	staked, bonded   string
	stakers, members int64
	beyond           bool
}

// calculatedRow is the sum of the calculations of a cycle. staked is of the last of them; nil without one.
type calculatedRow struct {
	gross, bonds, stx, deposit string
	staked                     *string
}

type lockupRow struct {
	native, sbtc string
}

func (a *api) getCycle(ctx context.Context, s *engine.Snapshot, in *CycleInput) (*cycle, error) {
	c, n, tip, err := a.resolve(ctx, s, *in)
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	weights := engine.Query(b, func(r *weightRow) []any { return []any{&r.staked, &r.bonded, &r.stakers, &r.members, &r.beyond} }, `
		SELECT {}, coalesce(sum(staked), 0)::text, coalesce(sum(bonded), 0)::text, coalesce(sum(stakers), 0)::bigint, coalesce(sum(members), 0)::bigint,
		       EXISTS (SELECT FROM {staking}.weight w WHERE w.signer = '' AND w.cycle > $1)
		FROM {staking}.weight WHERE signer = '' AND cycle <= $1`, n)
	calculated := engine.Query(b, func(r *calculatedRow) []any { return []any{&r.gross, &r.bonds, &r.stx, &r.deposit, &r.staked} }, `
		SELECT {}, coalesce(sum(gross), 0)::text, coalesce(sum(bond_rewards), 0)::text, coalesce(sum(CASE WHEN staked > 0 THEN stx_rewards ELSE 0 END), 0)::text,
		       coalesce(sum(reserve_deposit), 0)::text, (SELECT staked::text FROM {staking}.calculation WHERE cycle = $1 ORDER BY n DESC LIMIT 1)
		FROM {staking}.calculation WHERE cycle = $1`, n)
	indexes := engine.Query(b, func(i *int64) []any { return []any{i} }, `
		SELECT {}, bond_index FROM {staking}.bond WHERE first_cycle <= $1 AND unlock_cycle > $1 ORDER BY bond_index`, n)
	// The members' shares are read by bond before they meet their registrations: joined at once, both could be read in the
	// order of all stakers.
	lockups := engine.Query(b, func(r *lockupRow) []any { return []any{&r.native, &r.sbtc} }, `
		WITH held AS MATERIALIZED (
			SELECT b.bond_index, g.staker, g.shares
			FROM {staking}.bond b
			JOIN {staking}.share g ON g.bond_index = b.bond_index AND g.bond_index >= 0 AND g.until_n IS NULL AND g.from_cycle <= $1 AND g.to_cycle > $1
			WHERE b.first_cycle <= $1 AND b.unlock_cycle > $1
		)
		SELECT {}, coalesce(sum(h.shares) FILTER (WHERE r.l1), 0)::text, coalesce(sum(h.shares) FILTER (WHERE NOT r.l1), 0)::text
		FROM held h JOIN {staking}.registration r ON r.bond_index = h.bond_index AND r.staker = h.staker AND r.until_n IS NULL`, n)
	claimed := engine.Query(b, func(text *string) []any { return []any{text} },
		`SELECT {}, coalesce(sum(amount), 0)::text FROM {staking}.claimed WHERE cycle = $1`, n)
	signers := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, signers::bigint FROM {staking}.cycle_set WHERE cycle = $1`, n)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	weight, _ := weights.First()
	if n > c.Cycle(tip)+1 && !weight.beyond {
		return nil, errNoCycle
	}
	start, prepare, end := c.Start(n), c.PrepareStart(n), c.Start(n+1)-1
	at, err := readTimes(ctx, s, start, prepare, end)
	if err != nil {
		return nil, err
	}
	point := func(height int64) heightPoint { return heightPoint{height, at[height]} }
	body := &cycle{Number: n, Status: cycleStatus(c, n, tip), Schedule: cycleSchedule{point(start), point(prepare), point(end)}}

	calculation, _ := calculated.First()
	stxOnly := weight.staked
	switch {
	case calculation.staked != nil:
		stxOnly = *calculation.staked
	case body.Status == "finished":
		if stxOnly, err = readDivisor(ctx, s, n); err != nil {
			return nil, err
		}
	}
	lockup, _ := lockups.First()
	body.Locked = cycleLocked{
		stxSplit{schema.Amount(stxOnly), schema.Amount(weight.bonded), schema.AddAmounts(stxOnly, weight.bonded)},
		cycleBTC{schema.AddAmounts(lockup.native, lockup.sbtc), schema.Amount(lockup.native), schema.Amount(lockup.sbtc)},
	}
	body.Participants.Stakers = stakerCounts{weight.stakers, weight.members}
	if n, ok := signers.First(); ok {
		body.Participants.Signers = &n
	}
	body.Bonds = cycleBonds{int64(len(indexes.Rows)), append([]int64{}, indexes.Rows...)}
	claims, _ := claimed.First()
	body.Rewards.BTC = cycleBTCRewards{
		schema.Amount(calculation.gross), waterfall{schema.Amount(calculation.bonds), schema.Amount(calculation.stx), schema.Amount(calculation.deposit)}, schema.Amount(claims),
	}
	return body, nil
}

// readDivisor reads what the contract divides the rewards of a cycle by: the STX without a bond of signer managers at or above
// the minimum.
func readDivisor(ctx context.Context, s *engine.Snapshot, cycle int64) (string, error) {
	b := s.Batch()
	found := engine.Query(b, func(sum *string) []any { return []any{sum} }, `
		SELECT {}, coalesce(sum(m.staked), 0)::text FROM (
			SELECT sum(staked) AS staked FROM {staking}.weight WHERE signer <> '' AND cycle <= $1
			GROUP BY signer HAVING sum(staked) + sum(bonded) >= $2
		) m`, cycle, int64(pox.SignerMinimum))
	if err := b.Run(ctx); err != nil {
		return "", err
	}
	sum, _ := found.First()
	return sum, nil
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
