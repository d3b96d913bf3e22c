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
	mainnet   bool
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
		return func() (clock, bool) { return clock{pox.MainnetClock, pox.MainnetFirstStakingCycle, true}, true }
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
	ProjectedTime    *int64           `json:"projected_time" doc:"Unix seconds at which a height is expected that is still to come: at the pace of the last 2016 Bitcoin blocks, and on mainnet with ten minutes for a block after the next change of difficulty. null for others, and after the year 9999."`
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

const (
	// bitcoinInterval is the time between Bitcoin blocks that their difficulty is set for, in seconds.
	bitcoinInterval = 600
	// difficultyPeriod is the number of Bitcoin blocks with one difficulty. A period begins at each multiple of it.
	difficultyPeriod = 2016
	// lastSecond ends the year 9999. Later times have no form in ISO 8601.
	lastSecond = 253_402_300_799
)

// times are the times of Bitcoin heights.
type times map[int64]HeightTime

type timeRow struct {
	height                                   int64
	lowHeight, lowTime, highHeight, highTime *int64
}

// paceRow is the Bitcoin block of the tip, and an earlier one to measure the pace of Bitcoin from.
type paceRow struct {
	height, time, fromHeight, fromTime int64
}

// readTimes reads the times of heights. Of the genesis block, nodes state the time 0, which counts for nothing.
func (c clock) readTimes(ctx context.Context, s *engine.Snapshot, heights ...int64) (times, error) {
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
			SELECT b.burn_block_height, b.burn_block_time FROM {staking}.block b WHERE b.burn_block_height <= h.height AND b.burn_block_time > 0
			ORDER BY b.burn_block_height DESC, b.height DESC LIMIT 1
		) low ON true
		LEFT JOIN LATERAL (
			SELECT b.burn_block_height, b.burn_block_time FROM {staking}.block b WHERE b.burn_block_height >= h.height AND b.burn_block_time > 0
			ORDER BY b.burn_block_height, b.height LIMIT 1
		) high ON true`, heights)
	paces := engine.Query(b, func(r *paceRow) []any { return []any{&r.height, &r.time, &r.fromHeight, &r.fromTime} }, `
		SELECT {}, tip.burn_block_height, tip.burn_block_time, coalesce(earlier.burn_block_height, first.burn_block_height), coalesce(earlier.burn_block_time, first.burn_block_time)
		FROM (SELECT * FROM {staking}.block WHERE burn_block_time > 0 ORDER BY burn_block_height DESC, height DESC LIMIT 1) tip
		LEFT JOIN LATERAL (
			SELECT * FROM {staking}.block b WHERE b.burn_block_height <= tip.burn_block_height - $1::bigint AND b.burn_block_time > 0
			ORDER BY b.burn_block_height DESC, b.height DESC LIMIT 1
		) earlier ON true
		CROSS JOIN (SELECT * FROM {staking}.block WHERE burn_block_time > 0 ORDER BY burn_block_height, height LIMIT 1) first`, int64(difficultyPeriod))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	pace, _ := paces.First()
	all := times{}
	for i := range rows.Rows {
		r := &rows.Rows[i]
		switch {
		case r.lowHeight == nil: // before the first block
			all[r.height] = HeightTime{}
		case r.highHeight == nil:
			all[r.height] = pace.project(r.height, c.mainnet)
		default:
			all[r.height] = r.time()
		}
	}
	return all, nil
}

// time returns the time of a height between two blocks.
func (r *timeRow) time() HeightTime {
	at := *r.lowTime
	if passed := *r.highHeight - *r.lowHeight; passed > 0 {
		at += (*r.highTime - *r.lowTime) * (r.height - *r.lowHeight) / passed
	}
	iso := schema.UnixTime(at)
	return HeightTime{Time: &at, TimeISO: &iso}
}

// project returns when a height above the tip is expected. Where the difficulty of Bitcoin follows its pace, that pace holds up
// to the next change.
func (r *paceRow) project(height int64, changes bool) HeightTime {
	seconds, blocks := r.time-r.fromTime, r.height-r.fromHeight
	if seconds <= 0 || blocks <= 0 {
		seconds, blocks = bitcoinInterval, 1
	}
	measured, later := height-r.height, int64(0)
	if changes {
		last := (r.height/difficultyPeriod+1)*difficultyPeriod - 1
		measured = min(height, last) - r.height
		later = height - r.height - measured
	}
	if measured > lastSecond*blocks/seconds { // what follows could overflow
		return HeightTime{}
	}
	at := r.time + (2*measured*seconds+blocks)/(2*blocks) + later*bitcoinInterval
	if at > lastSecond {
		return HeightTime{}
	}
	iso := schema.UnixTime(at)
	return HeightTime{ProjectedTime: &at, ProjectedTimeISO: &iso}
}
