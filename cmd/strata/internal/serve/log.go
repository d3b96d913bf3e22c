package serve

import (
	"context"

	"strata/eventstore/transparency"
	"strata/readapi"
)

// shownLog adapts a transparency log to the API's interface.
type shownLog struct{ *transparency.Log }

// ProveInclusion implements readapi.TransparencyLog.
func (l shownLog) ProveInclusion(ctx context.Context, seq, size int64) (*readapi.LogInclusion, error) {
	proof, err := l.Log.ProveInclusion(ctx, seq, size)
	return (*readapi.LogInclusion)(proof), err
}

// ProveConsistency implements readapi.TransparencyLog.
func (l shownLog) ProveConsistency(ctx context.Context, from, to int64) (*readapi.LogConsistency, error) {
	proof, err := l.Log.ProveConsistency(ctx, from, to)
	return (*readapi.LogConsistency)(proof), err
}
