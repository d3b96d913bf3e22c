package serve

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/accesslog"
	"strata/internal/clientaddr"
	"strata/internal/connlimit"
	"strata/internal/instrument"
	"strata/internal/proxyheader"
	"strata/internal/throttle"
)

// clientFlags bound what clients of the API may take.
type clientFlags struct {
	TrustedProxies  []string `env:"STRATA_TRUSTED_PROXIES" placeholder:"NETWORK,..." help:"Networks (10.0.0.0/8) or addresses of the balancers and proxies in front of the API, whose word for the client's address counts in limits and logs (empty = none)."`
	RateLimit       float64  `default:"0" env:"STRATA_RATE_LIMIT" help:"Maximum number of requests to the API per second and client, with bursts of twice as many (0 = unlimited). Forwarded requests have --node-rate-limit besides." group:"Limits:"`
	ProxyProtocol   bool     `env:"STRATA_PROXY_PROTOCOL" help:"Require connections of the trusted proxies to begin with a header of the PROXY protocol, version 1 or 2, that names the client."`
	PublicInternals bool     `env:"STRATA_PUBLIC_INTERNALS" help:"Show everybody at the API's addresses what otherwise only the administration API and --metrics-addr show: /metrics, the nodes' names, addresses and loads, and the errors of nodes and projections."`
	AccessLog       float64  `default:"0" env:"STRATA_ACCESS_LOG" help:"Share of the requests to the API that are logged at level INFO: 1 for all, 0.01 for each hundredth (0 = none)."`

	proxies *clientaddr.Proxies // parsed from TrustedProxies by parseClients
	all     *throttle.Throttle  // of RateLimit; nil: none
	access  *accesslog.Log      // nil before the API is served
}

// parseClients parses and checks the flags, so that mistakes are reported before anything starts.
func (c *clientFlags) parseClients() (err error) {
	if !(c.RateLimit >= 0 && c.RateLimit <= math.MaxInt32) {
		return fmt.Errorf("--rate-limit: %v requests a second (want 0 or more)", c.RateLimit)
	}
	if c.ProxyProtocol && len(c.TrustedProxies) == 0 {
		return errors.New("--proxy-protocol: name the balancers that send it with --trusted-proxies; from others it would be what a client claims about itself")
	}
	if !(c.AccessLog >= 0 && c.AccessLog <= 1) {
		return fmt.Errorf("--access-log: %v of the requests (want a share from 0 to 1)", c.AccessLog)
	}
	if c.proxies, err = clientaddr.Parse(c.TrustedProxies); err != nil {
		return fmt.Errorf("--trusted-proxies: %w", err)
	}
	c.all = throttle.PerSecond(c.RateLimit)
	return nil
}

// limited returns handler behind the limit of each client and the access log.
func (c *clientFlags) limited(handler http.Handler) http.Handler {
	handler = c.all.Handler(handler)
	if c.access != nil {
		handler = c.access.Handler(handler)
	}
	return c.proxies.Handler(handler)
}

// apiConnections is how many connections may be open to each address of the API: far more than clients need, and few enough for
// the files and the memory of a process. One client leaves half of them for the others, unless it is a trusted proxy.
const (
	apiConnections       = 32768
	connectionsPerClient = apiConnections / 2
)

// bound bounds the connections to the addresses of the API, and reads the headers of the PROXY protocol. It comes before TLS:
// the header is not encrypted.
func (c *clientFlags) bound(l *listeners, registry prometheus.Registerer) {
	refused := instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "strata_api_connections_refused_total", Help: "Connections to the API that were closed because there were too many.",
	}))
	for _, listener := range []*net.Listener{&l.api, &l.bns, &l.rosetta} {
		if *listener == nil {
			continue
		}
		*listener = connlimit.Listener(*listener, connlimit.Config{
			Total: apiConnections, PerClient: connectionsPerClient, Exempt: c.proxies.Trusts, Refused: refused.Inc,
		})
		if c.ProxyProtocol {
			*listener = proxyheader.Listener(*listener, c.proxies.Trusts)
		}
	}
}
