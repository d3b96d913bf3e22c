package cache

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// tier is a part of a cache in memory.
type tier interface {
	Len() int
	Bytes() int64
}

// population collects metrics about the memory of all caches that share a registry.
type population struct {
	entries, bytes *prometheus.Desc

	mu    sync.Mutex
	tiers map[tier]struct{}
}

func newPopulation() *population {
	return &population{
		entries: prometheus.NewDesc("strata_cache_entries", "Answers cached in memory.", nil, nil),
		bytes:   prometheus.NewDesc("strata_cache_bytes", "Memory held by cached answers, in bytes.", nil, nil),
		tiers:   map[tier]struct{}{},
	}
}

// add includes a tier until forget is called.
func (p *population) add(t tier) (forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tiers[t] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.tiers, t)
	}
}

// Describe implements prometheus.Collector.
func (p *population) Describe(descs chan<- *prometheus.Desc) {
	descs <- p.entries
	descs <- p.bytes
}

// Collect implements prometheus.Collector.
func (p *population) Collect(metrics chan<- prometheus.Metric) {
	p.mu.Lock()
	entries, bytes := 0, int64(0)
	for t := range p.tiers {
		entries += t.Len()
		bytes += t.Bytes()
	}
	p.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(p.entries, prometheus.GaugeValue, float64(entries))
	metrics <- prometheus.MustNewConstMetric(p.bytes, prometheus.GaugeValue, float64(bytes))
}
