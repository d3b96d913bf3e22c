package apitest

import (
	"context"

	"strata/eventstore/transparency"
	"strata/readapi"
)

// shownLog shows a log to the API.
type ShownLog struct{ *transparency.Log }

func (l ShownLog) ProveInclusion(ctx context.Context, seq, size int64) (*readapi.LogInclusion, error) {
	p, err := l.Log.ProveInclusion(ctx, seq, size)
	return (*readapi.LogInclusion)(p), err
}

func (l ShownLog) ProveConsistency(ctx context.Context, from, to int64) (*readapi.LogConsistency, error) {
	p, err := l.Log.ProveConsistency(ctx, from, to)
	return (*readapi.LogConsistency)(p), err
}
