package node

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// fees computes in the background, after each block, whether transactions have to outbid each other (the fee market).
// Requests read the last result without a database query.
type fees struct {
	api     *api
	verdict atomic.Uint32 // a market
	hint    chan struct{} // wakes run
}

// limitDefault is the execution cost limit of a tenure until a node has reported one.
var limitDefault = ExecutionCost{ReadCount: 15_000, ReadLength: 100_000_000, WriteCount: 15_000, WriteLength: 15_000_000, Runtime: 5_000_000_000}

// Intervals of the background work.
const (
	limitInterval     = time.Hour        // between requests for the limit, which changes only with an epoch
	limitRetryInitial = time.Second      // before the first retry of a failed request; doubles with each failure
	limitRetryMax     = time.Minute      // upper bound of that interval
	limitTimeout      = 40 * time.Second // of one request
	feesRetry         = time.Second      // after a failed database read
)

func newFees(a *api) *fees { return &fees{api: a, hint: make(chan struct{}, 1)} }

// notify makes run check for a new block. It does not block.
func (f *fees) notify() {
	select {
	case f.hint <- struct{}{}:
	default:
	}
}

// run recomputes the market after each block, until ctx ends. It returns at once when nothing reports the limit.
func (f *fees) run(ctx context.Context) {
	if f.api.nodes.BlockLimit == nil {
		return
	}
	limits := make(chan ExecutionCost)
	go f.pollLimits(ctx, limits)
	limit := limitDefault
	var window feeWindow
	var judgedTip [32]byte
	failing := false
	for {
		var retry <-chan time.Time
		if _, tip, ok := f.api.Tip(); ok && tip != judgedTip {
			current, err := f.api.readFeeWindow(ctx, window)
			if err == nil {
				window, judgedTip = current, tip
				f.verdict.Store(uint32(marketOf(window.blocks, limit.limits())))
			} else {
				f.verdict.Store(uint32(marketUnknown))
				retry = time.After(feesRetry)
			}
			if err != nil && !failing && ctx.Err() == nil {
				f.api.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "failed to read how full recent tenures are; passing on the nodes' own fee estimates meanwhile", slog.Any("error", err))
			}
			failing = err != nil
		}
		select {
		case <-f.hint:
		case <-retry:
		case limit = <-limits:
			judgedTip = [32]byte{}
		case <-ctx.Done():
			return
		}
	}
}

// pollLimits asks for the limit once an hour, and more often after a failure, until ctx ends.
func (f *fees) pollLimits(ctx context.Context, limits chan<- ExecutionCost) {
	for failures := 0; ctx.Err() == nil; {
		wait := limitInterval
		bounded, cancel := context.WithTimeout(ctx, limitTimeout)
		limit, err := f.api.nodes.BlockLimit(bounded)
		cancel()
		if err == nil {
			failures = 0
			select {
			case limits <- limit:
			case <-ctx.Done():
			}
		} else {
			wait = min(limitRetryInitial<<min(failures, 16), limitRetryMax)
			failures++
			f.api.Config.Logger.LogAttrs(ctx, slog.LevelDebug, "no node reported the cost limit of a tenure; keeping the previous limit for fee estimates", slog.Any("error", err))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// market returns the current fee market; unknown while the API has no chain tip.
func (f *fees) market() market {
	if _, _, ok := f.api.Tip(); !ok {
		return marketUnknown
	}
	return market(f.verdict.Load())
}
