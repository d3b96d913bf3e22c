package observer

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
)

// Config of an Observer. Log is required; the zero value of any other field means its default.
type Config struct {
	Log *eventstore.Log
	// Spool takes the bodies; default one with the defaults of eventstore.SpoolConfig.
	Spool *eventstore.Spool
	// Logger for what an operator should know; default none.
	Logger *slog.Logger
	// Registry that the metrics are registered with; default none.
	Registry prometheus.Registerer
	// Clock gives the time of receipt; default time.Now.
	Clock func() time.Time

	// OrdhookToken is the bearer token of the ordinals feed, POST /payload and /ordhook/payload. Empty: none is asked for.
	OrdhookToken string
	// TrustTimestamps lets a sender set the time of receipt with the X-Original-Timestamp header (milliseconds since
	// 1970, or RFC 3339). For re-delivery by something trusted; a node never sends it.
	TrustTimestamps bool

	// AppendTimeout bounds the wait for memory and, once the body is complete, the append; default 60 s. It should
	// exceed the log's own timeout.
	AppendTimeout time.Duration
	// StallTimeout is how long a body may make no progress at all; default 60 s.
	StallTimeout time.Duration
	// BodyTimeout bounds the whole of a request's body; default 30 min, which a 512 MiB body makes at 300 kB/s.
	BodyTimeout time.Duration
	// ShutdownTimeout is how long Serve waits for running requests after its context ended; default 60 s.
	ShutdownTimeout time.Duration
}

// Defaults of Config.
const (
	AppendTimeoutDefault   = time.Minute
	StallTimeoutDefault    = time.Minute
	BodyTimeoutDefault     = 30 * time.Minute
	ShutdownTimeoutDefault = time.Minute
)

func (c Config) withDefaults() Config {
	if c.Spool == nil {
		c.Spool = eventstore.NewSpool(eventstore.SpoolConfig{})
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	for _, field := range []struct {
		value     *time.Duration
		otherwise time.Duration
	}{
		{&c.AppendTimeout, AppendTimeoutDefault},
		{&c.StallTimeout, StallTimeoutDefault},
		{&c.BodyTimeout, BodyTimeoutDefault},
		{&c.ShutdownTimeout, ShutdownTimeoutDefault},
	} {
		if *field.value <= 0 {
			*field.value = field.otherwise
		}
	}
	return c
}
