package staking

import (
	"context"
	"slices"

	"strata/domain/pox"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// clock is the clock of the chain, and the cycle in which bond 0 starts.
type clock struct {
	pox.Clock
	firstBond int64
}

// clockRow is what the tables say of the clock.
type clockRow struct {
	lowCycle, lowHeight, highCycle, highHeight *int64
	firstBond, prepare                         *int64
}

// queueClock adds the query for the clock to a batch, and returns the function that gives it once the batch has run. That
// of mainnet is known. On other networks, it follows from heights that events of pox-5 state; a set of
// signers says when the prepare phase begins. The contract counts the phase from start(c+1) - length on. The node counts it
// from the Bitcoin block after that, and sends the set with the first Stacks block of its phase. There is no clock before the
// first of these events.
func (a *api) queueClock(b *engine.Batch) func() (clock, bool) {
	if a.mainnet() {
		return func() (clock, bool) { return clock{pox.MainnetClock, pox.MainnetFirstStakingCycle}, true }
	}
	result := engine.Query(b, func(r *clockRow) []any {
		return []any{&r.lowCycle, &r.lowHeight, &r.highCycle, &r.highHeight, &r.firstBond, &r.prepare}
	}, `
		SELECT {}, low.cycle, low.burn_height, high.cycle, high.burn_height,
		       (SELECT b.first_cycle - 2 * b.bond_index FROM {staking}.bond b ORDER BY b.bond_index LIMIT 1),
		       (
		           SELECT 1 + max(low.burn_height + (s.cycle - low.cycle) * (high.burn_height - low.burn_height) / nullif(high.cycle - low.cycle, 0) - s.burn_height)
		           FROM (SELECT * FROM {staking}.cycle_set ORDER BY cycle DESC LIMIT 50) s
		       )
		FROM (SELECT 1) one
		LEFT JOIN LATERAL (SELECT * FROM {staking}.anchor ORDER BY cycle LIMIT 1) low ON true
		LEFT JOIN LATERAL (SELECT * FROM {staking}.anchor ORDER BY cycle DESC LIMIT 1) high ON true`)
	return func() (c clock, ok bool) {
		r, ok := result.First()
		if !ok || r.lowCycle == nil || *r.lowCycle == *r.highCycle {
			return c, false
		}
		c.CycleLength = (*r.highHeight - *r.lowHeight) / (*r.highCycle - *r.lowCycle)
		if c.CycleLength < 1 {
			return c, false
		}
		c.FirstHeight = *r.lowHeight - *r.lowCycle*c.CycleLength
		c.firstBond = -1
		if r.firstBond != nil {
			c.firstBond = *r.firstBond
		}
		if r.prepare != nil {
			c.PrepareLength = min(max(*r.prepare, 0), c.CycleLength)
		}
		return c, true
	}
}

// HeightTime is the time of a Bitcoin block, or the time at which it is expected. At most one of both is there.
type HeightTime struct {
	Time             *int64           `json:"time" doc:"Unix seconds of the Bitcoin block. Between Bitcoin blocks with Stacks blocks it is interpolated. null for a height that is still to come."`
	TimeISO          *schema.TimeText `json:"time_iso" nullable:"true"`
	ProjectedTime    *int64           `json:"projected_time" doc:"Unix seconds at which a height is expected that is still to come, with ten minutes for a Bitcoin block; null for others, and for heights thousands of years away."`
	ProjectedTimeISO *schema.TimeText `json:"projected_time_iso" nullable:"true"`
}

// heightPoint is a Bitcoin height of a schedule.
type heightPoint struct {
	BitcoinHeight int64 `json:"bitcoin_height"`
	HeightTime
}

// cyclePoint is a Bitcoin height of a schedule, and its reward cycle.
type cyclePoint struct {
	BitcoinHeight int64 `json:"bitcoin_height"`
	PoxCycle      int64 `json:"pox_cycle"`
	HeightTime
}

// bitcoinInterval is the expected time between Bitcoin blocks, in seconds.
const bitcoinInterval = 600

// projectedMax is how many Bitcoin blocks ahead a time is expected: those of some 7,000 years. Far later times have no form in
// ISO 8601.
const projectedMax = 7_000 * 52_560

// times are the times of Bitcoin heights.
type times map[int64]HeightTime

type timeRow struct {
	height                                   int64
	lowHeight, lowTime, highHeight, highTime *int64
}

// readTimes reads the times of heights.
func readTimes(ctx context.Context, s *engine.Snapshot, heights ...int64) (times, error) {
	if len(heights) == 0 {
		return times{}, nil
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	b := s.Batch()
	rows := engine.Query(b, func(r *timeRow) []any { return []any{&r.height, &r.lowHeight, &r.lowTime, &r.highHeight, &r.highTime} }, `
		SELECT {}, h.height, low.burn_block_height, low.burn_block_time, high.burn_block_height, high.burn_block_time
		FROM unnest($1::bigint[]) AS h (height)
		LEFT JOIN LATERAL (
			SELECT b.burn_block_height, b.burn_block_time FROM {staking}.block b WHERE b.burn_block_height <= h.height
			ORDER BY b.burn_block_height DESC, b.height DESC LIMIT 1
		) low ON true
		LEFT JOIN LATERAL (
			SELECT b.burn_block_height, b.burn_block_time FROM {staking}.block b WHERE b.burn_block_height >= h.height
			ORDER BY b.burn_block_height, b.height LIMIT 1
		) high ON true`, heights)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	all := times{}
	for i := range rows.Rows {
		all[rows.Rows[i].height] = rows.Rows[i].time()
	}
	return all, nil
}

func (r *timeRow) time() (t HeightTime) {
	switch {
	case r.lowHeight == nil: // before the first block
	case r.highHeight == nil:
		if r.height-*r.lowHeight > projectedMax {
			break
		}
		at := *r.lowTime + (r.height-*r.lowHeight)*bitcoinInterval
		iso := schema.UnixTime(at)
		t.ProjectedTime, t.ProjectedTimeISO = &at, &iso
	default:
		at := *r.lowTime
		if passed := *r.highHeight - *r.lowHeight; passed > 0 {
			at += (*r.highTime - *r.lowTime) * (r.height - *r.lowHeight) / passed
		}
		iso := schema.UnixTime(at)
		t.Time, t.TimeISO = &at, &iso
	}
	return t
}
