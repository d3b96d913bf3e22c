package web

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Config of a Client. The zero value of each field is its default.
type Config struct {
	Timeouts Timeouts
	// MaxRedirects is how many redirects are followed for one exchange; MaxRedirectsDefault when 0, none when negative.
	MaxRedirects int
	// AllowPrivate lets every address be asked, also those of private networks. For tests and closed networks.
	AllowPrivate bool
	// AllowHosts may be asked although their addresses are private, such as an operator's own gateway: each is a host, a
	// host:port, or a range of addresses in CIDR notation (RFC 4632), whichever name leads there.
	AllowHosts []string
	// UserAgent says who asks; UserAgentDefault when empty.
	UserAgent string
	// GatewayHeader has, by a gateway's base URL, what only this gateway is told, such as a key for it. It is sent for
	// candidates that name the gateway, and no longer once a redirect leaves the gateway's origin.
	GatewayHeader map[string]http.Header
	// InsecureTLS accepts any certificate.
	InsecureTLS bool
	// PerHostConcurrency is how many requests a host sees at once; PerHostConcurrencyDefault when 0.
	PerHostConcurrency int
	// PerHostRate is how many requests a host sees per second, bursts of PerHostConcurrency apart; no bound when 0.
	PerHostRate float64
	// Resolver finds the addresses of hosts; the system's when nil.
	Resolver Resolver
}

// Timeouts bound one exchange. Time spent waiting for a host's turn does not count.
type Timeouts struct {
	// Connect until a connection is there, and again until TLS is; TimeoutConnectDefault when 0.
	Connect time.Duration
	// Header from the request until all headers of its response, connecting included; TimeoutHeaderDefault when 0.
	Header time.Duration
	// Idle is how long a body may stand still; TimeoutIdleDefault when 0.
	Idle time.Duration
	// Overall is for everything, redirects included; TimeoutOverallDefault when 0.
	Overall time.Duration
}

// Defaults of Config.
const (
	MaxRedirectsDefault       = 5
	PerHostConcurrencyDefault = 4
	TimeoutConnectDefault     = 10 * time.Second
	TimeoutHeaderDefault      = 30 * time.Second
	TimeoutIdleDefault        = 30 * time.Second
	TimeoutOverallDefault     = 50 * time.Second
	UserAgentDefault          = "strata-metadata/1"
)

// Resolver finds the addresses of a host. *net.Resolver is one.
type Resolver interface {
	// LookupNetIP gives the addresses of a host; network is "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Validate says what is wrong with a Config: a range that is none, a gateway whose base can't be asked. New takes the
// Config either way; what can't be read then allows nothing and is sent to nobody.
func (c *Config) Validate() error {
	for i, entry := range c.AllowHosts {
		if entry == "" {
			return fmt.Errorf("allowed host %d is empty", i)
		}
		if !strings.Contains(entry, "/") {
			continue
		}
		if _, err := netip.ParsePrefix(entry); err != nil {
			return fmt.Errorf("allowed host %q: want a host, host:port or range: %w", entry, err)
		}
	}
	for base := range c.GatewayHeader {
		if _, err := parse(base); err != nil {
			return fmt.Errorf("gateway %q: %w", bare(base), err)
		}
	}
	return nil
}

func (c *Config) withDefaults() Config {
	filled := *c
	filled.MaxRedirects = max(0, orDefault(c.MaxRedirects, MaxRedirectsDefault))
	filled.UserAgent = orDefault(c.UserAgent, UserAgentDefault)
	filled.PerHostConcurrency = max(1, orDefault(c.PerHostConcurrency, PerHostConcurrencyDefault))
	filled.Timeouts = Timeouts{
		Connect: orDefault(c.Timeouts.Connect, TimeoutConnectDefault),
		Header:  orDefault(c.Timeouts.Header, TimeoutHeaderDefault),
		Idle:    orDefault(c.Timeouts.Idle, TimeoutIdleDefault),
		Overall: orDefault(c.Timeouts.Overall, TimeoutOverallDefault),
	}
	return filled
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
