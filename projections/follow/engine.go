package follow

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/commit"
	"strata/eventstore"
	"strata/projections/decode"
	"strata/projections/follow/internal/lead"
)

// engine is what the followers of a process share.
type engine struct {
	log  *eventstore.Log
	pool *pgxpool.Pool
	// readers are the connections with which live followers read. Each holds one until what it has read is folded: if
	// they read and folded with the same connections, enough followers would leave none to fold with.
	readers *pgxpool.Pool
	logger  *slog.Logger
	metrics *metrics
	decoder *decode.Decoder
	signals *TestSignals
	// leadership is what this process leads.
	leadership *lead.Leadership

	turns turns // for what is folded by one follower at a time

	tight func() bool // reports that the disk has little space; nil: never

	origin  string              // the payload of this process's notifications
	publish func([]commit.Move) // tells readers in this process what a transaction at the tip has changed

	logWake   *eventstore.Wake
	stepWakes map[string]*eventstore.Wake // by the name of the leader, for steps of any version of it
}

// stepChannel is the channel on which live followers of steps in other processes are notified of new ones.
func stepChannel(leader string) string { return "strata_step_" + leader }

// listen makes the wakes, for followers that live at the head.
func (e *engine) listen(lines []line, interval time.Duration) {
	e.logWake = e.log.Listener().Wake(eventstore.Channel, interval)
	e.stepWakes = map[string]*eventstore.Wake{}
	for _, l := range lines {
		name := l.leader().Spec.Name
		e.stepWakes[name] = e.log.Listener().Wake(stepChannel(name), interval)
		e.stepWakes[name].Ignore(e.origin)
	}
}

// readersIdleTime is how long a connection of a reader is kept while no follower reads with it.
const readersIdleTime = 10 * time.Second

// connect makes the connections for readers, as many as there are projections. Several versions of a projection take
// turns, since each needs one for a moment only.
func (e *engine) connect(ctx context.Context, projections int) error {
	config := e.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = int32(projections)+2, 0, 0
	config.MaxConnIdleTime, config.HealthCheckPeriod = readersIdleTime, readersIdleTime/2 // at the head, hardly any is used
	readers, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("make connections for those that read the log: %w", err)
	}
	e.readers = readers
	return nil
}

// close ends what listen and connect have begun.
func (e *engine) close() {
	if e.readers != nil {
		e.readers.Close()
	}
	e.logWake.Stop()
	for _, wake := range e.stepWakes {
		wake.Stop()
	}
}
