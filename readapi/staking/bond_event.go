package staking

import (
	"context"
	"encoding/json"
	"net/http"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/pox"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

type bondEventPlace struct {
	TxID       hash.Hash32 `json:"tx_id"`
	EventIndex int32       `json:"event_index"`
}

// bondEvent is an event of a bond.
type bondEvent struct {
	Name         string         `json:"name" example:"register-for-bond"`
	BondIndex    int64          `json:"bond_index"`
	Transaction  bondEventPlace `json:"transaction"`
	Block        placeBlock     `json:"block"`
	BitcoinBlock placeBitcoin   `json:"bitcoin_block"`
	Data         schema.Object  `json:"data" doc:"Further fields; they depend on the name."`
}

// newObject returns a value as JSON.
func newObject(value any) (schema.Object, error) {
	text, err := json.Marshal(value)
	return schema.Object(text), err
}

// bondEventRow is an event of a bond as the tables store it.
type bondEventRow struct {
	bond  int64
	topic string
	index int32
	place transactionPlace
	print []byte
	// of the calculation that a distribution belongs to; nil for other events
	height, cycle *int64
}

func bondEventColumns(r *bondEventRow) []any {
	return append([]any{&r.bond, &r.topic, &r.index, &r.print, &r.height, &r.cycle}, r.place.columns()...)
}

var bondEventList = keyset{
	from: `{staking}.event e` + placeJoin + `
		JOIN {chain}.event p ON p.source_seq = e.source_seq AND p.tx_index = e.tx_index AND p.event_index = e.event_index
		LEFT JOIN {staking}.distribution d ON d.n = e.n LEFT JOIN {staking}.calculation c ON c.n = d.calculation_n
		WHERE e.bond_index = $1`,
	sources: `{staking.event e}`, columns: `e.bond_index, e.topic, e.event_index, p.value, c.calculation_height, c.cycle, ` + placeSQL,
	key: []string{"e.n"}, text: eventText, descending: true,
}

func (a *api) registerBondEvents() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-bond-events", Path: prefix + "/bonds/{bond_index}/events", Tag: tag, Summary: "Events of a bond, newest first",
		Statuses: []int{http.StatusBadRequest},
	}, a.listBondEvents)
}

func (a *api) listBondEvents(ctx context.Context, s *engine.Snapshot, in *bondEventsInput) (*page.KeysetPage[bondEvent], error) {
	if _, ok := tipHeight(s); !ok {
		return emptyPage[bondEvent](in.Limit), nil
	}
	b := s.Batch()
	total := queueCount(b, `coalesce((SELECT bond_n FROM {staking}.event WHERE bond_index = $1 ORDER BY n DESC LIMIT 1), 0)`, in.Bond)
	clockOf := a.queueClock(b)
	bound, args, err := in.Cursor.bound(2)
	if err != nil {
		return nil, err
	}
	p := queue(b, &bondEventList, bondEventColumns, in.Limit, bound, append([]any{in.Bond}, args...)...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	c, _ := clockOf()
	body := pageOf(p, total(), func(r *bondEventRow) bondEvent { return r.shape() })
	for i, r := range p.shown() {
		data, err := r.row.data(ctx, s, c)
		if err != nil {
			return nil, err
		}
		body.Results[i].Data = data
	}
	return body, nil
}

type bondEventsInput struct {
	BondInput
	Limit  int         `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor eventCursor `query:"cursor" pattern:"^[0-9]+:[0-9]+:[0-9]+:[0-9]+$" doc:"The first event of the page: height, microblock sequence (always 2147483647), index of the transaction in the block and index of the event, separated by colons."`
}

func (r *bondEventRow) shape() bondEvent {
	place := r.place.shape()
	return bondEvent{Name: r.topic, BondIndex: r.bond, Transaction: bondEventPlace{place.TxID, r.index}, Block: place.Block, BitcoinBlock: place.BitcoinBlock}
}

// Data of events, by their names.
type (
	setupData struct {
		Parameters       setupParameters `json:"parameters"`
		EarlyUnlockBytes view.HexText    `json:"early_unlock_bytes"`
		Schedule         bondSchedule    `json:"schedule"`
	}
	setupParameters struct {
		TargetRateBPS   wholeNumber `json:"target_rate_bps"`
		STXValueRatio   wholeNumber `json:"stx_value_ratio"`
		MinimumSTXRatio wholeNumber `json:"minimum_stx_ratio"`
	}
	registerData struct {
		Staker   string        `json:"staker"`
		Signer   string        `json:"signer"`
		Type     string        `json:"type"`
		Balances lockedAmounts `json:"balances"`
	}
	updateData struct {
		Staker    string        `json:"staker"`
		Signer    string        `json:"signer"`
		OldSigner string        `json:"old_signer"`
		Type      string        `json:"type"`
		Balances  lockedAmounts `json:"balances"`
	}
	btcAmount struct {
		BTC schema.Amount `json:"btc"`
	}
	exitData struct {
		Staker   string    `json:"staker"`
		Signer   string    `json:"signer"`
		Released btcAmount `json:"released"`
	}
	unstakeData struct {
		Staker    string    `json:"staker"`
		Signer    string    `json:"signer"`
		Withdrawn btcAmount `json:"withdrawn"`
		Remaining btcAmount `json:"remaining"`
	}
	calculationData struct {
		BitcoinHeight *int64 `json:"bitcoin_height"`
		RewardCycle   *int64 `json:"reward_cycle"`
	}
	distributionData struct {
		Calculation             calculationData `json:"calculation"`
		TargetYield             schema.Amount   `json:"target_yield"`
		Rewards                 btcAmount       `json:"rewards"`
		Staked                  btcAmount       `json:"staked"`
		AccruedRewardsPerSat    schema.Amount   `json:"accrued_rewards_per_sat"`
		CumulativeRewardsPerSat schema.Amount   `json:"cumulative_rewards_per_sat"`
	}
	claimData struct {
		SignerManager string      `json:"signer_manager"`
		Staker        string      `json:"staker"`
		RewardCycle   wholeNumber `json:"reward_cycle"`
		Claimed       btcAmount   `json:"claimed"`
	}
)

// printed reads fields of a print that the projection has decoded.
type printed struct{ pox.Print }

func (p printed) amount(field string) schema.Amount {
	if n, ok := p.Uint(field); ok {
		return schema.Amount(n.String())
	}
	return "0"
}

func (p printed) integer(field string) wholeNumber { return wholeNumber(p.amount(field)) }

func (p printed) number(field string) int64 {
	if n, ok := p.Uint(field); ok && n.IsInt64() {
		return n.Int64()
	}
	return 0
}

func (p printed) principal(field string) string {
	who, ok := p.Principal(field)
	if !ok {
		return ""
	}
	return who.String()
}

// lockType returns where the sats are locked.
func (p printed) lockType() string {
	if l1, _ := p.Bool("is-l1-lock"); l1 {
		return "l1"
	}
	return "l2"
}

// data returns the fields of an event that depend on its name.
func (r *bondEventRow) data(ctx context.Context, s *engine.Snapshot, c clock) (schema.Object, error) {
	value, err := clarity.DecodeAll(r.print)
	if err != nil {
		return nil, err
	}
	decoded, err := pox.DecodePrint(value)
	if err != nil {
		return nil, err
	}
	p := printed{decoded}
	staker, signer := p.principal("staker"), p.principal("signer")
	switch r.topic {
	case pox.TopicSetupBond:
		return p.setup(ctx, s, c)
	case pox.TopicAddToAllowlist:
		return newObject(allowlistEntry{staker, p.amount("max-sats")})
	case pox.TopicRegisterForBond:
		return newObject(registerData{staker, signer, p.lockType(), lockedAmounts{p.amount("sats-total"), p.amount("amount-ustx")}})
	case pox.TopicUpdateBond:
		return newObject(updateData{staker, signer, p.principal("old-signer"), p.lockType(), lockedAmounts{p.amount("amount-sats"), p.amount("amount-ustx")}})
	case pox.TopicEarlyExit:
		return newObject(exitData{staker, signer, btcAmount{p.amount("amount-sats-released")}})
	case pox.TopicUnstakeSBTC:
		return newObject(unstakeData{staker, signer, btcAmount{p.amount("amount-withdrawn-sats")}, btcAmount{p.amount("new-amount-sats")}})
	case pox.TopicBondDistribution:
		return newObject(distributionData{
			calculationData{r.height, r.cycle}, p.amount("target-yield"), btcAmount{p.amount("bond-rewards")}, btcAmount{p.amount("bond-staked-sats")},
			p.amount("accrued-rewards-per-sat"), p.amount("cumulative-rewards-per-sat"),
		})
	case pox.TopicClaimStaker:
		return newObject(claimData{p.principal("signer-manager"), staker, p.integer("reward-cycle"), btcAmount{p.amount("rewards-claimed")}})
	}
	return newObject(struct{}{})
}

func (p printed) setup(ctx context.Context, s *engine.Snapshot, c clock) (schema.Object, error) {
	bond := bondRow{
		firstCycle: p.number("first-reward-cycle"), unlockCycle: p.number("unlock-cycle"), start: p.number("bond-start-height"), unlock: p.number("unlock-burn-height"),
	}
	at, err := c.readTimes(ctx, s, bond.heights(c)...)
	if err != nil {
		return nil, err
	}
	bytes, _ := p.Buffer("early-unlock-bytes")
	return newObject(setupData{
		setupParameters{p.integer("target-rate"), p.integer("stx-value-ratio"), p.integer("min-ustx-ratio")}, view.HexOf(bytes), bond.schedule(c, at),
	})
}
