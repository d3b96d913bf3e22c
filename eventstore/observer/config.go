package observer

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
)

// Config configures an Observer. Log is required; the zero value of any other field means its default.
type Config struct {
	Log *eventstore.Log
	// Spool receives the bodies; default one with the defaults of eventstore.SpoolConfig.
	Spool *eventstore.Spool
	// Logger is for operators; default none.
	Logger *slog.Logger
	// Registry is where the metrics are registered; default nowhere.
	Registry prometheus.Registerer
	// Clock returns the time of receipt; default time.Now.
	Clock func() time.Time

	// Full reports that the database has no room for events: they are refused, and the senders send them again. Default never.
	Full func() bool

	// OrdhookToken is the bearer token that POST /payload and /ordhook/payload, the ordinals feed, must carry. Empty means
	// that no token is required.
	OrdhookToken string
	// Secret is what senders of events must show, as a bearer token or as the first segment of the path; default none. The
	// ordinals feed shows OrdhookToken instead if that is set.
	Secret string
	// Hosts are names of this machine, besides those that strangers can't register, that a request over the loopback
	// interface may have in its Host field; default none.
	Hosts []string
	// TrustTimestamps lets a sender set the time of receipt with the X-Original-Timestamp header (milliseconds since
	// 1970, or RFC 3339). It is for a trusted sender that delivers events again; a node never sends the header.
	TrustTimestamps bool

	// AppendTimeout bounds the append once the body is complete; default 60 s. It should exceed the log's own timeout.
	AppendTimeout time.Duration
	// StallTimeout is the maximum time without any new byte of a body, and the time that a sender may be behind LeastRate;
	// default 60 s.
	StallTimeout time.Duration
	// LeastRate is the least rate at which a body must come, in bytes per second; default 16 KiB/s.
	LeastRate int64
	// BodyTimeout is the maximum time for a whole body; default 30 min, enough for 512 MiB at 300 kB/s.
	BodyTimeout time.Duration
	// ShutdownTimeout is how long Serve waits for in-flight requests after its context has ended; default 60 s.
	ShutdownTimeout time.Duration
}

// Defaults of Config.
const (
	AppendTimeoutDefault   = time.Minute
	StallTimeoutDefault    = time.Minute
	BodyTimeoutDefault     = 30 * time.Minute
	ShutdownTimeoutDefault = time.Minute
	LeastRateDefault       = 16 << 10
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
	if c.LeastRate <= 0 {
		c.LeastRate = LeastRateDefault
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
