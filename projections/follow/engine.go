package follow

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/commit"
	"strata/eventstore"
	"strata/internal/tracing"
	"strata/projections/decode"
	"strata/projections/follow/internal/lead"
	"strata/projections/internal/register"
)

// engine is what the followers of a process share.
type engine struct {
	log  *eventstore.Log
	pool *pgxpool.Pool
	// tip has the connection on which groups fold, and nothing else does. Postgres then keeps the plans of their
	// statements, and what it knows of their tables, from one event to the next, however long that takes: to plan some
	// hundred statements anew costs as much as to fold many events.
	tip     *pgxpool.Pool
	settled bool // its connections have the settings for folds
	logger  *slog.Logger
	metrics *metrics
	tracer  *tracing.Tracer
	decoder *decode.Decoder
	signals *TestSignals
	// leadership is what this process leads.
	leadership *lead.Leadership

	journal register.Journal // of what versions have changed

	turns turns // for what is folded by one follower at a time

	tight func() bool // reports that the disk has little space; nil: never

	origin  string              // the payload of this process's notifications
	publish func([]commit.Move) // tells readers in this process what a transaction at the tip has changed

	interval  time.Duration // that of Config
	logWake   *eventstore.Wake
	stepWakes map[string]*eventstore.Wake // by the name of the leader, for steps of any version of it
}

// stepChannel is the channel on which live followers of steps in other processes are notified of new ones.
func stepChannel(leader string) string { return "strata_step_" + leader }

// rarely times the interval of Config is how often to look for what hardly ever changes without a notification: the register, and the
// positions in it.
const rarely = 5

// listen makes the wakes, for followers that live at the head.
func (e *engine) listen(lines []line, interval time.Duration) {
	e.interval = interval
	e.logWake = e.log.Listener().Wake(eventstore.Channel, interval)
	e.stepWakes = map[string]*eventstore.Wake{}
	for _, l := range lines {
		name := l.leader().Spec.Name
		e.stepWakes[name] = e.log.Listener().Wake(stepChannel(name), interval)
		e.stepWakes[name].Ignore(e.origin)
	}
}

// tipIdleTime is how long the connection of groups is kept while no event comes.
const tipIdleTime = time.Hour

// tipConnections is how many groups fold at the same time: those of several versions of a leader.
const tipConnections = 2

// connect makes the connections for groups.
func (e *engine) connect(ctx context.Context) error {
	config := e.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = tipConnections, 0, 0
	config.MaxConnIdleTime = tipIdleTime
	connected := config.AfterConnect
	e.settled = eventstore.KeepsSession(config.ConnConfig)
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if connected != nil {
			if err := connected(ctx, conn); err != nil {
				return err
			}
		}
		if !e.settled {
			return nil
		}
		_, err := conn.Exec(ctx, foldSettings, false)
		return err
	}
	tip, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("make connections for those that fold together: %w", err)
	}
	e.tip = tip
	return nil
}

// close ends what listen and connect have begun.
func (e *engine) close() {
	if e.tip != nil {
		e.tip.Close()
	}
	e.logWake.Stop()
	for _, wake := range e.stepWakes {
		wake.Stop()
	}
}
