package projections

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
)

// engine is what the followers of a process share.
type engine struct {
	log  *eventstore.Log
	pool *pgxpool.Pool
	// readers are the connections by which live followers read. Each holds one until what it has read is folded, so that
	// with the same connections for both, enough of them would leave none to fold with.
	readers *pgxpool.Pool
	logger  *slog.Logger
	metrics *metrics
	decoder *Decoder

	logWake   *eventstore.Wake
	stepWakes map[string]*eventstore.Wake // by the name of the leader
}

// stepWake wakes at new steps of any version of a leader.
func (e *engine) stepWake(leader string) *eventstore.Wake { return e.stepWakes[leader] }

// listen makes the wakes, for followers that live at the head.
func (e *engine) listen(lines Lines, interval time.Duration) {
	e.logWake = eventstore.NewWake(e.pool, eventstore.Channel, interval, e.logger)
	e.stepWakes = map[string]*eventstore.Wake{}
	for _, line := range lines {
		name := line.members[0].Spec.Name
		e.stepWakes[name] = eventstore.NewWake(e.pool, stepChannel(name), interval, e.logger)
	}
}

// connect makes the connections for readers, as many as there are projections: with several versions of each they take
// turns, and one is needed for a moment only.
func (e *engine) connect(ctx context.Context, projections int) error {
	config := e.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = int32(projections)+2, 0, 0
	readers, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("make connections for those that read the log: %w", err)
	}
	e.readers = readers
	return nil
}

// deafen ends what listen and connect have begun.
func (e *engine) deafen() {
	if e.readers != nil {
		e.readers.Close()
	}
	e.logWake.Stop()
	for _, wake := range e.stepWakes {
		wake.Stop()
	}
}
