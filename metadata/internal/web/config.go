package web

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"strata/internal/destination"
)

// Config configures a Client. The zero value of each field selects its default.
type Config struct {
	Timeouts Timeouts
	// MaxRedirects is the maximum number of redirects in one exchange. 0 means MaxRedirectsDefault; a negative number
	// means none.
	MaxRedirects int
	// AllowPrivate allows requests to every address, including private networks. It is for tests and closed networks.
	AllowPrivate bool
	// AllowHosts lists destinations that are allowed although they are not public, such as an operator's own gateway.
	// An entry is a host, a host:port, or a range of addresses in CIDR notation (RFC 4632). A range applies to every
	// host name that leads there.
	AllowHosts []string
	// UserAgent is the value of the header field User-Agent; UserAgentDefault if empty.
	UserAgent string
	// GatewayHeader has the secret header fields of each gateway, such as an API key, by the gateway's base URL. They
	// are sent for candidates that name the gateway, until a redirect leaves the gateway's origin.
	GatewayHeader map[string]http.Header
	// InsecureTLS accepts any certificate.
	InsecureTLS bool
	// PerHostConcurrency is the maximum number of requests to a host at the same time; PerHostConcurrencyDefault if 0.
	PerHostConcurrency int
	// PerHostRate is the maximum number of requests to a host per second, except for bursts of PerHostConcurrency;
	// unlimited if 0.
	PerHostRate float64
	// Resolver resolves host names; the system's resolver if nil.
	Resolver destination.Resolver
}

// Timeouts bound one exchange. The time spent waiting for a slot at a host does not count.
type Timeouts struct {
	// Connect bounds opening a connection, and the TLS handshake after it; TimeoutConnectDefault if 0.
	Connect time.Duration
	// Header bounds the time from the request to the end of the response's header, including connecting;
	// TimeoutHeaderDefault if 0.
	Header time.Duration
	// Idle bounds the time without any byte of a body; TimeoutIdleDefault if 0.
	Idle time.Duration
	// Overall bounds the whole exchange, including redirects; TimeoutOverallDefault if 0.
	Overall time.Duration
}

// Default values of Config.
const (
	MaxRedirectsDefault       = 5
	PerHostConcurrencyDefault = 4
	TimeoutConnectDefault     = 10 * time.Second
	TimeoutHeaderDefault      = 30 * time.Second
	TimeoutIdleDefault        = 30 * time.Second
	TimeoutOverallDefault     = 50 * time.Second
	UserAgentDefault          = "strata-metadata/1"
)

// Validate returns an error if an allowed host or the base URL of a gateway is malformed. New also accepts an invalid
// Config; malformed entries then allow nothing and are sent to nobody.
func (c *Config) Validate() error {
	if err := destination.CheckAllowed(c.AllowHosts); err != nil {
		return err
	}
	for base := range c.GatewayHeader {
		if _, err := parse(base); err != nil {
			return fmt.Errorf("gateway %q: %w", withoutCredentials(base), err)
		}
	}
	return nil
}

func (c *Config) withDefaults() Config {
	filled := *c
	filled.MaxRedirects = max(0, cmp.Or(c.MaxRedirects, MaxRedirectsDefault))
	filled.UserAgent = cmp.Or(c.UserAgent, UserAgentDefault)
	filled.PerHostConcurrency = max(1, cmp.Or(c.PerHostConcurrency, PerHostConcurrencyDefault))
	filled.Timeouts = Timeouts{
		Connect: cmp.Or(c.Timeouts.Connect, TimeoutConnectDefault),
		Header:  cmp.Or(c.Timeouts.Header, TimeoutHeaderDefault),
		Idle:    cmp.Or(c.Timeouts.Idle, TimeoutIdleDefault),
		Overall: cmp.Or(c.Timeouts.Overall, TimeoutOverallDefault),
	}
	return filled
}
