package pool

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
	"strata/proxy/internal/policy"
)

// metrics has the metrics of exchanges with nodes, each with its labels already resolved.
type metrics struct {
	requests map[*Node]*[Outcomes]prometheus.Counter
	seconds  map[*Node]*[policy.Costs]prometheus.Observer
}

func newMetrics(registry prometheus.Registerer, nodes []*Node) *metrics {
	requests := instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "strata_proxy_node_requests_total", Help: "Requests that the proxy sent to a node, by outcome.",
	}, []string{"node", "outcome"}))
	seconds := instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "strata_proxy_node_seconds", Help: "Time that a node took to answer, in seconds, by cost of the request.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"node", "cost"}))
	m := &metrics{map[*Node]*[Outcomes]prometheus.Counter{}, map[*Node]*[policy.Costs]prometheus.Observer{}}
	for _, n := range nodes {
		m.requests[n], m.seconds[n] = &[Outcomes]prometheus.Counter{}, &[policy.Costs]prometheus.Observer{}
		for o := range Outcomes {
			m.requests[n][o] = requests.WithLabelValues(n.Name, o.String())
		}
		for c := range policy.Costs {
			m.seconds[n][c] = seconds.WithLabelValues(n.Name, c.String())
		}
	}
	return m
}

func (m *metrics) observe(n *Node, cost policy.Cost, outcome Outcome, took time.Duration) {
	m.requests[n][outcome].Inc()
	if outcome != Cancelled && outcome != Unconnected {
		m.seconds[n][cost].Observe(took.Seconds())
	}
}

// collector reports the status of the nodes whenever metrics are collected.
type collector struct{ pool *Pool }

var (
	heightDescription   = nodeDescription("strata_proxy_node_height", "Stacks height of a node's tip.")
	lagDescription      = nodeDescription("strata_proxy_node_lag", "Blocks that a node is behind the pool.")
	inFlightDescription = nodeDescription("strata_proxy_node_in_flight", "In-flight requests of a node.")
	queuedDescription   = nodeDescription("strata_proxy_node_queued", "Requests that wait for a seat at a node.")
	stateDescription    = nodeDescription("strata_proxy_node_state", "1 for the current state of a node, 0 for the others.", "state")
)

func nodeDescription(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, append([]string{"node"}, labels...), nil)
}

// Describe implements prometheus.Collector.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	to <- heightDescription
	to <- lagDescription
	to <- inFlightDescription
	to <- queuedDescription
	to <- stateDescription
}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	for _, s := range c.pool.Status() {
		gauge := func(d *prometheus.Desc, value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, append([]string{s.Name}, labels...)...)
		}
		gauge(heightDescription, float64(s.Height))
		gauge(lagDescription, float64(s.Lag))
		gauge(inFlightDescription, float64(s.InFlight))
		gauge(queuedDescription, float64(s.Queued))
		for state := range States {
			value := 0.0
			if s.State == state.String() {
				value = 1
			}
			gauge(stateDescription, value, state.String())
		}
	}
}
