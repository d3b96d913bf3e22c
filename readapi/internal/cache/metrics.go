package cache

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"strata/internal/instrument"
)

type metrics struct {
	memoryHits, redisHits prometheus.Counter
	misses                prometheus.Counter
	stores                prometheus.Counter
	dropped               *prometheus.CounterVec // by reason
	errors                *prometheus.CounterVec // by operation and kind
	breaker               *prometheus.GaugeVec   // by operation
	evictions             prometheus.Counter
	joined                prometheus.Counter
	waits                 *prometheus.CounterVec   // by outcome
	seconds               *prometheus.HistogramVec // by operation
	population            *population
}

func newMetrics(registry prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{Name: "strata_cache_" + name, Help: help}, labels))
	}
	breaker := instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "strata_cache_breaker_state", Help: "State of the Redis breaker, by operation: 0 closed (Redis is used, if there is one), 1 half-open, 2 open.",
	}, []string{"operation"}))
	for _, operation := range []string{"read", "write"} {
		breaker.WithLabelValues(operation) // so that alerts find the metric before anything happens
	}
	hits := counter("hits_total", "Answers found in the cache, by tier: memory or redis.", "tier")
	return &metrics{
		memoryHits: hits.WithLabelValues("memory"),
		redisHits:  hits.WithLabelValues("redis"),
		misses:     counter("misses_total", "Answers that were in no tier and had to be built.").WithLabelValues(),
		stores:     counter("stores_total", "Answers stored in Redis.").WithLabelValues(),
		dropped:    counter("dropped_stores_total", "Answers that were not stored in Redis although they should have been, by reason.", "reason"),
		errors:     counter("errors_total", "Calls to Redis that failed or took too long, and values in Redis that could not be parsed (unparsable) or belong to another key (misnamed).", "operation", "kind"),
		breaker:    breaker,
		evictions:  counter("evictions_total", "Answers evicted from memory.").WithLabelValues(),
		joined:     counter("joined_flights_total", "Requests that waited for the answer of another request in the same process.").WithLabelValues(),
		waits:      counter("waits_total", "Waits for another process to build an answer, by outcome: found, released (without an answer), or too long.", "outcome"),
		seconds: instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "strata_cache_redis_seconds", Help: "Duration of calls to Redis, by operation.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25},
		}, []string{"operation"})),
		population: instrument.Registered(registry, newPopulation()),
	}
}

// called records one call to Redis. kind is the kind of its failure; empty for none.
func (m *metrics) called(operation string, took time.Duration, kind string) {
	m.seconds.WithLabelValues(operation).Observe(took.Seconds())
	if kind != "" {
		m.errors.WithLabelValues(operation, kind).Inc()
	}
}

// Counts returns how many answers were found in a tier since the start of the process, and how many had to be built.
func (c *Cache[V]) Counts() (hits, misses uint64) {
	return valueOf(c.metrics.memoryHits) + valueOf(c.metrics.redisHits), valueOf(c.metrics.misses)
}

func valueOf(counter prometheus.Counter) uint64 {
	var m dto.Metric
	if err := counter.Write(&m); err != nil {
		return 0
	}
	return uint64(m.GetCounter().GetValue())
}
