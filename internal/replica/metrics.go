package replica

import (
	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
)

// metrics say which server is read, and how the others are.
type metrics struct {
	up, lag, reading *prometheus.GaugeVec
	switches         prometheus.Counter
	servers          []*server
}

func newMetrics(registry prometheus.Registerer, servers []*server) metrics {
	gauge := func(name, help string) *prometheus.GaugeVec {
		return instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"server"}))
	}
	return metrics{
		up:      gauge("strata_read_database_up", "1 while reads may go to this database, 0 while it does not answer or lags."),
		lag:     gauge("strata_read_database_lag_seconds", "How long this database has lacked what the primary has."),
		reading: gauge("strata_read_database_chosen", "1 for the database that reads of this process go to."),
		switches: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_read_database_switches_total", Help: "How often reads went on at another database.",
		})),
		servers: servers,
	}
}

func (m metrics) found(s *server) {
	up := 0.0
	if s.err == nil {
		up = 1
	}
	m.up.WithLabelValues(s.name).Set(up)
	m.lag.WithLabelValues(s.name).Set(s.lag.Seconds())
}

func (m metrics) read(chosen *server) {
	for _, s := range m.servers {
		m.reading.WithLabelValues(s.name).Set(0)
	}
	m.reading.WithLabelValues(chosen.name).Set(1)
}
