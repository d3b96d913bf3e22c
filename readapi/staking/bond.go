package staking

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/pox"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// BondInput names a bond.
type BondInput struct {
	Bond int64 `path:"bond_index" minimum:"-2147483648" maximum:"2147483647" doc:"Index of the bond."`
}

type bondsInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,10}$" doc:"Index of the first bond of the page."`
}

// wholeNumber is a whole number of any size as a JSON number.
type wholeNumber string

// Schema implements huma.SchemaProvider.
func (wholeNumber) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// MarshalJSON implements json.Marshaler.
func (n wholeNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

type bondParameters struct {
	TargetRateBPS   wholeNumber   `json:"target_rate_bps" doc:"Target rate in basis points a year."`
	STXValueRatio   wholeNumber   `json:"stx_value_ratio" doc:"µSTX that count as worth 100 sats."`
	MinimumSTXRatio wholeNumber   `json:"minimum_stx_ratio" doc:"Minimum value of the locked STX, in basis points of the value of the sats."`
	BTCCapacity     schema.Amount `json:"btc_capacity" doc:"Sats that the allow-list permits."`
}

type bondCounts struct {
	AllowedCount    int64 `json:"allowed_count"`
	RegisteredCount int64 `json:"registered_count" doc:"Includes stakers who have left the bond."`
}

type bondSchedule struct {
	EnrollmentCutoff cyclePoint `json:"enrollment_cutoff" doc:"The first height at which the bond refuses registrations: the prepare phase before its activation."`
	Activation       cyclePoint `json:"activation" doc:"Start of the first reward cycle of the bond."`
	Unlock           cyclePoint `json:"unlock" doc:"Start of the first reward cycle after the bond."`
}

// lockedAmounts are sats and µSTX.
type lockedAmounts struct {
	BTC schema.Amount `json:"btc" doc:"sats"`
	STX schema.Amount `json:"stx" doc:"µSTX"`
}

type paidOut struct {
	BTC schema.Amount `json:"btc" doc:"The same as rewards.btc.distributed."`
}

type bondReward struct {
	Distributed schema.Amount `json:"distributed" doc:"Sats that calculations gave to the bond."`
	Accrued     schema.Amount `json:"accrued" doc:"Sats that its stakers have earned: distributed without what rounding leaves."`
	Claimed     schema.Amount `json:"claimed" doc:"Sats that were claimed for its stakers."`
}

type bondRewards struct {
	BTC bondReward `json:"btc"`
}

type bondBalances struct {
	Locked  lockedAmounts `json:"locked" doc:"Zero once the bond has unlocked."`
	PaidOut paidOut       `json:"paid_out" doc:"Deprecated: use rewards."`
	Rewards bondRewards   `json:"rewards"`
}

// BondSummary is a bond in lists.
type BondSummary struct {
	Index         int64           `json:"index"`
	PoxVersion    string          `json:"pox_version" enum:"pox5"`
	Status        string          `json:"status" enum:"projected,upcoming,active,unlocked" doc:"As of the Bitcoin block of the tip. A projected bond has not been set up yet."`
	Parameters    *bondParameters `json:"parameters" doc:"null for a projected bond."`
	Registrations bondCounts      `json:"registrations"`
	Schedule      bondSchedule    `json:"schedule"`
	Balances      bondBalances    `json:"balances"`
}

// bondDetail is a bond.
type bondDetail struct {
	BondSummary
	Transaction *transactionPlace `json:"transaction" doc:"The transaction that set the bond up; null for a projected bond."`
}

// bondRow is a bond as the tables store it.
type bondRow struct {
	index                   int64
	firstCycle, unlockCycle int64
	start, unlock           int64 // Bitcoin heights
	parameters              bondParameters
	counts                  bondCounts
	sats, ustx              string
	reward                  bondReward
}

func bondColumns(r *bondRow) []any {
	return []any{
		&r.index, &r.firstCycle, &r.unlockCycle, &r.start, &r.unlock, &r.parameters.TargetRateBPS, &r.parameters.STXValueRatio, &r.parameters.MinimumSTXRatio,
		&r.parameters.BTCCapacity, &r.counts.AllowedCount, &r.counts.RegisteredCount, &r.sats, &r.ustx, &r.reward.Distributed, &r.reward.Accrued, &r.reward.Claimed,
	}
}

const bondSQL = `b.bond_index, b.first_cycle, b.unlock_cycle, b.start_height, b.unlock_height, b.target_rate::text, b.stx_value_ratio::text, b.min_ustx_ratio::text,
	b.capacity::text, b.allowed, b.registered, (b.l1_sats + b.l2_sats)::text, b.ustx::text, b.distributed::text, b.accrued::text, b.claimed::text`

var bondList = keyset{
	from: `{staking}.bond b WHERE true`, sources: `{staking.event b}`, columns: bondSQL, key: []string{"b.bond_index"}, text: `b.bond_index::text`, descending: true,
}

// heights returns the Bitcoin heights of the bond's schedule: cutoff, start, unlock.
func (r *bondRow) heights(c clock) []int64 {
	return []int64{r.start - c.PrepareLength, r.start, r.unlock}
}

// bondStatus returns the status of a bond at a Bitcoin height.
func bondStatus(start, unlock, height int64) string {
	switch {
	case height < start:
		return "upcoming"
	case height < unlock:
		return "active"
	}
	return "unlocked"
}

func (r *bondRow) shape(c clock, at times, tip int64) BondSummary {
	status := bondStatus(r.start, r.unlock, tip)
	locked := lockedAmounts{schema.Amount(r.sats), schema.Amount(r.ustx)}
	if status == "unlocked" {
		locked = lockedAmounts{"0", "0"}
	}
	return BondSummary{
		Index: r.index, PoxVersion: "pox5", Status: status, Parameters: &r.parameters, Registrations: r.counts, Schedule: r.schedule(c, at),
		Balances: bondBalances{locked, paidOut{r.reward.Distributed}, bondRewards{r.reward}},
	}
}

func (r *bondRow) schedule(c clock, at times) bondSchedule {
	heights := r.heights(c)
	point := func(height, cycle int64) cyclePoint { return cyclePoint{height, cycle, at[height]} }
	return bondSchedule{point(heights[0], r.firstCycle-1), point(heights[1], r.firstCycle), point(heights[2], r.unlockCycle)}
}

func (a *api) registerBonds() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-bonds", Path: prefix + "/bonds", Tag: tag, Summary: "Bonds of pox-5, newest first",
		Statuses: []int{http.StatusBadRequest},
	}, a.listBonds)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-staking-bond", Path: prefix + "/bonds/{bond_index}", Tag: tag, Summary: "A bond of pox-5",
		Description: "A bond that is still to be set up has the status `projected`.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, a.getBond)
}

func (a *api) listBonds(ctx context.Context, s *engine.Snapshot, in *bondsInput) (*page.KeysetPage[BondSummary], error) {
	tip, ok := tipHeight(s)
	if !ok {
		return emptyPage[BondSummary](in.Limit), nil
	}
	b := s.Batch()
	clockOf := a.queueClock(b)
	total := queueCount(b, `count(*) FROM {staking}.bond`)
	var bound []string
	var args []any
	if in.Cursor != "" {
		bound, args = []string{"$1::bigint"}, []any{number(in.Cursor)}
	}
	p := queue(b, &bondList, bondColumns, in.Limit, bound, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	c, _ := clockOf()
	var heights []int64
	for _, r := range p.shown() {
		heights = append(heights, r.row.heights(c)...)
	}
	at, err := c.readTimes(ctx, s, heights...)
	if err != nil {
		return nil, err
	}
	return pageOf(p, total(), func(r *bondRow) BondSummary { return r.shape(c, at, tip) }), nil
}

// placedBond is a bond with the transaction that set it up.
type placedBond struct {
	bondRow
	place transactionPlace
}

func (a *api) getBond(ctx context.Context, s *engine.Snapshot, in *BondInput) (*bondDetail, error) {
	missing := engine.NotFound("Bond not found")
	tip, ok := tipHeight(s)
	if !ok {
		return nil, missing
	}
	b := newBatch(s)
	clockOf := a.queueClock(b)
	found := engine.Query(b, func(r *placedBond) []any { return append(bondColumns(&r.bondRow), r.place.columns()...) }, `
		SELECT {staking.event b}, `+bondSQL+`, `+placeSQL+` FROM {staking}.bond b JOIN {staking}.event e ON e.n = b.n`+placeJoin+`WHERE b.bond_index = $1`, in.Bond)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	c, known := clockOf()
	row, ok := found.First()
	if !ok {
		return projectBond(ctx, s, in.Bond, c, known, tip)
	}
	at, err := c.readTimes(ctx, s, row.heights(c)...)
	if err != nil {
		return nil, err
	}
	place := row.place.shape()
	return &bondDetail{row.shape(c, at, tip), &place}, nil
}

// projectBond returns a bond that is still to be set up. There is none once it would have started.
func projectBond(ctx context.Context, s *engine.Snapshot, index int64, c clock, known bool, tip int64) (*bondDetail, error) {
	missing := engine.NotFound("Bond not found")
	if !known || c.firstBond < 0 || index < 0 {
		return nil, missing
	}
	r := bondRow{index: index, firstCycle: c.firstBond + index*pox.CyclesBetweenBonds}
	r.unlockCycle = r.firstCycle + pox.BondCycles
	r.start, r.unlock = c.Start(r.firstCycle), c.Start(r.unlockCycle)
	if r.start <= tip {
		return nil, missing
	}
	at, err := c.readTimes(ctx, s, r.heights(c)...)
	if err != nil {
		return nil, err
	}
	return &bondDetail{BondSummary: BondSummary{
		Index: index, PoxVersion: "pox5", Status: "projected", Schedule: r.schedule(c, at),
		Balances: bondBalances{lockedAmounts{"0", "0"}, paidOut{"0"}, bondRewards{bondReward{"0", "0", "0"}}},
	}}, nil
}

// TransformSchema implements huma.SchemaTransformer.
func (*bondDetail) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "transaction", "parameters")
}

// TransformSchema implements huma.SchemaTransformer.
func (*BondSummary) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "parameters")
}
