package subscriptions

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/internal/destination"
	"strata/internal/instrument"
	"strata/internal/pause"
	"strata/projections/decode"
)

// Config configures the role.
type Config struct {
	// Log has the events, and its database the tables.
	Log *eventstore.Log
	// Allowed are hosts and ranges of addresses that endpoints may have although they are not public; by plain HTTP, too. See
	// destination.CheckAllowed.
	Allowed []string
	// Resolver resolves names of endpoints; the system's if nil.
	Resolver destination.Resolver
	Logger   *slog.Logger
	Registry prometheus.Registerer
}

// Role matches and delivers, and answers those who subscribe.
type Role struct {
	log        *eventstore.Log
	pool       *pgxpool.Pool
	decoder    *decode.Decoder
	allowed    []string
	logger     *slog.Logger
	metrics    metrics
	name       string // of this process
	deliveries *deliveries
}

type metrics struct{ attempts *prometheus.CounterVec }

// decodedBytes bounds the bodies whose decoded blocks are kept for messages.
const decodedBytes = 16 << 20

// New returns an idle role.
func New(config Config) (*Role, error) {
	if err := destination.CheckAllowed(config.Allowed); err != nil {
		return nil, err
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Role{log: config.Log, pool: config.Log.Pool(), allowed: config.Allowed, logger: config.Logger, name: rand.Text()}
	r.metrics.attempts = instrument.Registered(config.Registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "strata_subscription_attempts_total", Help: "Attempts to deliver messages of subscriptions, by outcome.",
	}, []string{"outcome"}))
	r.decoder = decode.New(config.Log, decodedBytes, prometheus.NewCounter(prometheus.CounterOpts{Name: "unused"}))
	r.deliveries = &deliveries{
		role: r, delays: delays, client: newClient(config.Allowed, config.Resolver), wake: make(chan struct{}, 1), slots: make(chan struct{}, atOnce), all: map[uuid.UUID]*delivery{},
	}
	return r, nil
}

// standby is how often a process that does not hold the row looks whether it may.
const standby = 5 * time.Second

// Run matches and delivers while no other process does, until ctx ends.
func (r *Role) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.hold(ctx)
		if err == nil {
			err = r.work(ctx)
		}
		if err != nil && !errors.Is(err, errNotHolder) && ctx.Err() == nil {
			r.logger.LogAttrs(ctx, slog.LevelWarn, "can't match subscriptions now; trying again", slog.Any("error", err))
		}
		pause.For(ctx, standby)
	}
}

// work matches and delivers as the holder of the row, until something goes wrong.
func (r *Role) work(ctx context.Context) error {
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		r.release(ending)
	}()
	ctx, cancel := context.WithCancel(ctx)
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		r.deliveries.run(ctx)
	}()
	defer func() {
		cancel()
		<-delivered
	}()
	steps := r.log.Listener().Wake("strata_step_chain", 0)
	defer steps.Stop()
	changes := r.log.Listener().Wake(channel, 0)
	defer changes.Stop()
	h := &holder{Role: r}
	if err := h.load(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		fresh, changed := steps.C(), changes.C()
		more, err := h.pass(ctx)
		if errors.Is(err, errChanged) {
			err, more = h.load(ctx), true
		}
		if err != nil {
			return err
		}
		if more {
			continue
		}
		timer := time.NewTimer(time.Second)
		select {
		case <-fresh:
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return nil
}
