package cache

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// tier in memory that is counted.
type tier interface {
	Len() int
	Bytes() int64
}

// population is what the caches that share a registry hold in memory, all together.
type population struct {
	entries, bytes *prometheus.Desc

	mu    sync.Mutex
	tiers map[tier]struct{}
}

func newPopulation() *population {
	return &population{
		entries: prometheus.NewDesc("strata_cache_entries", "Answers in memory.", nil, nil),
		bytes:   prometheus.NewDesc("strata_cache_bytes", "Memory that they hold.", nil, nil),
		tiers:   map[tier]struct{}{},
	}
}

// add counts a tier until the function that it returns is called.
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

// Describe is for prometheus.
func (p *population) Describe(descs chan<- *prometheus.Desc) {
	descs <- p.entries
	descs <- p.bytes
}

// Collect is for prometheus.
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
