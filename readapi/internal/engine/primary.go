package engine

import (
	"context"
	"time"

	"strata/readapi/internal/admission"
	"strata/readapi/internal/register"
)

// Where replicas are read, a request may ask for a position that the replica does not have yet, as right after a transaction was
// sent. It waits a moment, and is then answered from the primary, if that has the position. Such answers have a gate and
// connections of their own, few of them, so that the primary is not read by everybody.

const (
	// primaryPatience is how long a request waits for the replica first.
	primaryPatience = 200 * time.Millisecond
	// primaryRunning is the maximum number of reads of the primary at a time.
	primaryRunning = 4
)

// primary is how the engine reads the primary; nil where it reads nothing else.
type primary struct {
	lane     *lane
	gate     *admission.Gate
	progress progress
}

func (e *Engine) newPrimary() *primary {
	if e.Config.Primary == nil {
		return nil
	}
	gate := admission.New(admission.Config{Running: primaryRunning, Waiting: gateWaiting, Patience: gatePatience})
	return &primary{lane: e.newLane(e.Config.Primary), gate: gate}
}

type primaryKey struct{}

// atPrimary returns a context in which snapshots are those of the primary.
func atPrimary(ctx context.Context) context.Context {
	return context.WithValue(ctx, primaryKey{}, true)
}

func isAtPrimary(ctx context.Context) bool { return ctx.Value(primaryKey{}) != nil }

// primaryReaches returns the state of the primary if an answer to the plan in it reflects so many events; else nil.
func (e *Engine) primaryReaches(ctx context.Context, p *Plan, least int64) *register.State {
	now, err := e.primary.progress.look(atPrimary(ctx), e)
	if err != nil || !p.dependencies().reaches(now.state, least, now.heads) {
		return nil
	}
	return now.state
}

// laneIn returns the connections for the reads of a plan.
func (e *Engine) laneIn(ctx context.Context, p *Plan) *lane {
	if isAtPrimary(ctx) {
		return e.primary.lane
	}
	lane, _ := e.laneOf(p)
	return lane
}
