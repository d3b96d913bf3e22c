package node

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// fees judges, block by block and in the background, whether transactions have to outbid each other. A request reads the
// verdict, and asks no database.
type fees struct {
	api     *api
	verdict atomic.Uint32 // a market
	hint    chan struct{}
}

// limitDefault is what the blocks of a tenure may cost together, while no node has said so.
var limitDefault = ExecutionCost{ReadCount: 15_000, ReadLength: 100_000_000, WriteCount: 15_000, WriteLength: 15_000_000, Runtime: 5_000_000_000}

// Times of asking a node for the limit, which changes with an epoch.
const (
	limitEvery   = time.Hour
	limitAgain   = time.Second // after a failure; doubles
	limitSeldom  = time.Minute // up to here
	limitTimeout = 40 * time.Second
	feesAgain    = time.Second // after the database has failed
)

func newFees(a *api) *fees { return &fees{api: a, hint: make(chan struct{}, 1)} }

// look makes run look whether there is a new block.
func (f *fees) look() {
	select {
	case f.hint <- struct{}{}:
	default:
	}
}

// run judges after each block, until ctx ends.
func (f *fees) run(ctx context.Context) {
	if f.api.nodes.BlockLimit == nil {
		return
	}
	limits := make(chan ExecutionCost)
	go f.askLimits(ctx, limits)
	limit := limitDefault
	var window feeWindow
	var judged [32]byte
	failing := false
	for {
		var again <-chan time.Time
		if _, tip, ok := f.api.Tip(); ok && tip != judged {
			read, err := f.api.readFeeWindow(ctx, window)
			if err == nil {
				window, judged = read, tip
				f.verdict.Store(uint32(marketOf(window.blocks, limit.limits())))
			} else {
				f.verdict.Store(uint32(marketUnknown))
				again = time.After(feesAgain)
			}
			if err != nil && !failing && ctx.Err() == nil {
				f.api.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "fees are not estimated; the nodes' own estimates are passed on until they are", slog.Any("error", err))
			}
			failing = err != nil
		}
		select {
		case <-f.hint:
		case <-again:
		case limit = <-limits:
			judged = [32]byte{}
		case <-ctx.Done():
			return
		}
	}
}

// askLimits asks for the limit now and then, until ctx ends.
func (f *fees) askLimits(ctx context.Context, limits chan<- ExecutionCost) {
	for failures := 0; ctx.Err() == nil; {
		wait := limitEvery
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
			wait = min(limitAgain<<min(failures, 16), limitSeldom)
			failures++
			f.api.Config.Logger.LogAttrs(ctx, slog.LevelDebug, "no node has said what a tenure may cost; fees are estimated with what was known before", slog.Any("error", err))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// market is the verdict, if the database can be read.
func (f *fees) market() market {
	if _, _, ok := f.api.Tip(); !ok {
		return marketUnknown
	}
	return market(f.verdict.Load())
}
