package transparency

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
)

// metrics are the metrics of signing. A nil pointer records nothing.
type metrics struct {
	events   prometheus.Gauge
	signedAt prometheus.Gauge
	signed   prometheus.Counter
	failures *prometheus.CounterVec
	unable   prometheus.Gauge
}

// Values of the label reason. "error" stands for all other errors, such as an unreachable database.
const (
	reasonRollback = "rollback"
	reasonMismatch = "mismatch"
	reasonOtherKey = "other_key"
	reasonError    = "error"
)

// Instrument registers the metrics of signing. Call it before Run and Sign.
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
	m.unable = instrument.Registered(registry, prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "strata_log_signing_blocked",
		Help: "1 while this process can't sign checkpoints for a reason that does not pass by itself, such as a key other than the one that signed.",
	}))
	for _, reason := range []string{reasonRollback, reasonMismatch, reasonOtherKey, reasonError} {
		m.failures.WithLabelValues(reason) // create the series now, so that alerts see its first increase
	}
	return m
}

// newest records the newest checkpoint; c may be nil.
func (m *metrics) newest(c *Checkpoint) {
	if m != nil && c != nil {
		m.events.Set(float64(c.Size))
		m.signedAt.Set(float64(c.SignedAt.UnixMilli()) / float64(time.Second/time.Millisecond))
	}
}

// blocked records whether this process can't sign.
func (m *metrics) blocked(is bool) {
	switch {
	case m == nil:
	case is:
		m.unable.Set(1)
	default:
		m.unable.Set(0)
	}
}

// attempt records the result of an attempt to sign. It does not count an attempt that was cancelled.
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
