package transparency

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
)

// metrics of signing. A process that does not sign has none.
type metrics struct {
	events   prometheus.Gauge
	signedAt prometheus.Gauge
	signed   prometheus.Counter
	failures *prometheus.CounterVec
}

// Reasons that failures are counted by. What is none of the package's errors, such as an unreachable database, is "error".
const (
	reasonRollback = "rollback"
	reasonMismatch = "mismatch"
	reasonOtherKey = "other_key"
	reasonError    = "error"
)

// Instrument registers metrics of signing. Call it before Run and Sign.
func (l *Log) Instrument(registry prometheus.Registerer) { l.metrics = newMetrics(registry) }

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		events: instrument.Registered(registry, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "strata_log_checkpoint_events", Help: "Events in the newest checkpoint, whoever signed it.",
		})),
		signedAt: instrument.Registered(registry, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "strata_log_checkpoint_timestamp_seconds", Help: "When the newest checkpoint was signed, in seconds since 1970; 0 when none was.",
		})),
		signed: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_log_checkpoints_signed_total", Help: "Checkpoints that this process has signed.",
		})),
		failures: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_log_signing_failures_total",
			Help: "Attempts to sign that failed: rollback (the log does not extend what was signed), mismatch (its rows are not those that were appended), other_key, or error.",
		}, []string{"reason"})),
	}
	for _, reason := range []string{reasonRollback, reasonMismatch, reasonOtherKey, reasonError} {
		m.failures.WithLabelValues(reason) // a series that is missing alerts nobody
	}
	return m
}

// newest notes the newest checkpoint; nil when there is none.
func (m *metrics) newest(c *Checkpoint) {
	if m != nil && c != nil {
		m.events.Set(float64(c.Size))
		m.signedAt.Set(float64(c.SignedAt.UnixMilli()) / float64(time.Second/time.Millisecond))
	}
}

// attempt notes how an attempt to sign has ended. One that was stopped is none.
func (m *metrics) attempt(ctx context.Context, signed bool, err error) {
	if m == nil {
		return
	}
	if signed {
		m.signed.Inc()
	}
	reason := reasonError
	switch {
	case err == nil, ctx.Err() != nil:
		return
	case errors.Is(err, ErrRollback):
		reason = reasonRollback
	case errors.Is(err, ErrMismatch):
		reason = reasonMismatch
	case errors.Is(err, ErrOtherKey):
		reason = reasonOtherKey
	}
	m.failures.WithLabelValues(reason).Inc()
}
