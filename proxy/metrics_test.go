package proxy

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/metric"
)

// metricValue returns the value of the metric with these labels: of a counter or gauge, or the sample count of a
// histogram. It returns -1 if there is no such metric.
func metricValue(t *testing.T, registry *prometheus.Registry, name string, labels ...string) float64 {
	t.Helper()
	value, ok := metric.Sum(t, registry, name, labels...)
	if !ok {
		return -1
	}
	return value
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	good, bad := newNode(t, 100), newNode(t, 90)
	bad.name = "behind"
	p := startProxy(t, Config{Registry: registry, Cache: newMemory()}, good, bad)
	p.untilState(t, bad, "lagging")
	p.get(t, "/v2/accounts/SP1").want(t, 200, "")
	p.get(t, "/v2/accounts/SP1").want(t, 200, "")
	p.get(t, "/nowhere").want(t, 404, "")
	good.respond(status(404, ""))
	p.get(t, "/v2/accounts/SP2").want(t, 404, "")
	good.respond(cut)
	p.do(t, http.MethodPost, "/v3/unknown", "")
	tests := []struct {
		name   string
		labels []string
		want   float64
	}{
		{"strata_proxy_requests_total", []string{"source", "cache"}, 1},
		{"strata_proxy_requests_total", []string{"source", "node"}, 2},
		{"strata_proxy_requests_total", []string{"source", "proxy"}, 2},
		{"strata_proxy_request_seconds", []string{"endpoint", "/v2/accounts/{principal}"}, 3},
		{"strata_proxy_node_requests_total", []string{"node", good.name, "outcome", "ok"}, 1},
		{"strata_proxy_node_requests_total", []string{"node", good.name, "outcome", "client_error"}, 1},
		{"strata_proxy_node_requests_total", []string{"node", good.name, "outcome", "broken"}, 1},
		{"strata_proxy_node_seconds", []string{"node", good.name, "cost", "medium"}, 2},
		{"strata_proxy_node_height", []string{"node", "behind"}, 90},
		{"strata_proxy_node_lag", []string{"node", "behind"}, 10},
		{"strata_proxy_node_state", []string{"node", "behind", "state", "lagging"}, 1},
		{"strata_proxy_node_state", []string{"node", "behind", "state", "serving"}, 0},
		{"strata_proxy_node_in_flight", []string{"node", good.name}, 0},
		{"strata_proxy_retries_total", nil, 0},
	}
	for _, tt := range tests {
		if got := metricValue(t, registry, tt.name, tt.labels...); got != tt.want {
			t.Errorf("%s%v = %v, want %v", tt.name, tt.labels, got, tt.want)
		}
	}
}

func TestLogs(t *testing.T) {
	node := newNode(t, 100)
	node.respond(accept)
	log := &logbuffer.Buffer{}
	p := startProxy(t, Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, node)
	p.get(t, "/v2/accounts/SP1?x=y")
	p.send(t)
	p.get(t, "/v3/blocks/replay/ab")
	for _, want := range [][]string{
		{"level=DEBUG", "method=GET", "/v2/accounts/SP1?x=y", "status=200", "source=node", "node=" + node.name, "tries=1", "bytes=66"},
		{"level=DEBUG", "/v3/blocks/replay/ab", "status=403", "source=proxy"},
		{"level=INFO", "txid=0x" + txid, "node=" + node.name, "status=200", "height=100"},
		{"level=INFO", "node=" + node.name, "from=unasked", "to=serving"},
	} {
		eventually.Holds(t, "a log record has "+strings.Join(want, ", "), func() bool { return log.HasLine(want...) })
	}
}
