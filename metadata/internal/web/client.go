package web

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"strata/domain/fetch"
	"strata/internal/destination"
)

// Client fetches resources. It is safe for concurrent use. A process should have only one, because it keeps the state
// of hosts and gateways.
type Client struct {
	config    Config
	transport *http.Transport
	hosts     *hosts
	gateways  *gateways
	secrets   secrets
}

// headerBytesMax bounds the size of a response's header.
const headerBytesMax = 64 << 10

// New returns a Client.
func New(config Config) *Client {
	config = config.withDefaults()
	limit := rate.Inf
	if config.PerHostRate > 0 {
		limit = rate.Limit(config.PerHostRate)
	}
	return &Client{
		config: config,
		// A transport does not follow redirects. The client makes each hop itself, with the same checks and limits as
		// the first. The transport has no Proxy, because a proxy from the environment would connect to unchecked
		// addresses.
		transport: &http.Transport{
			DialContext:            destination.NewDialer(config.Resolver, config.AllowHosts, config.AllowPrivate, config.Timeouts.Connect).Dial,
			TLSClientConfig:        &tls.Config{InsecureSkipVerify: config.InsecureTLS},
			TLSHandshakeTimeout:    config.Timeouts.Connect,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // so that readBody can count bytes before it decompresses them
			MaxIdleConns:           100,
			MaxIdleConnsPerHost:    config.PerHostConcurrency,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: headerBytesMax,
		},
		hosts:    newHosts(config.PerHostConcurrency, limit),
		gateways: newGateways(),
		secrets:  newSecrets(config.GatewayHeader),
	}
}

// Close closes idle connections.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
}

// Check reports whether an exchange with a complete answer of status 2xx has brought what is wanted. If not, it says why
// in the exchange's Error.
type Check func(*fetch.Exchange) bool

// Get tries the candidates, which are different places for the same resource, one after the other until one gives a
// definite answer. A definite answer is a status 2xx whose body passes check, or a status 404 or 410 that does not come
// from a gateway (a gateway only says that it could not find the resource). A body larger than limit is also definite,
// because it is so everywhere. A body that fails check is not: a gateway may answer a page of its own with status 200.
// Gateways that failed recently come after the others. accept is the value of the header field Accept.
//
// Get returns one exchange for each candidate that it tried. An exchange includes its redirects; its header names the
// last URL as HeaderFinalURL. The last exchange is the result: the definite answer, or else the most informative
// failure (see rank). The others are in the order in which they were made. If the status is not 2xx, or the body of
// another exchange than the last has failed check, the exchange has the body only if it is small; a larger body is not
// a failure.
//
// A host that answered 429 is paused. Until the pause is over, exchanges with it are not made: they have status 429, an
// Error that says so, and the remaining seconds as retry-after.
//
// When ctx is cancelled, Get returns at once, with the exchanges that were finished, if any. When the deadline of ctx
// passes, it also returns the exchange in progress, as a timeout.
func (c *Client) Get(ctx context.Context, candidates []Candidate, limit int64, accept string, check Check) []fetch.Exchange {
	var exchanges []fetch.Exchange
	var misleading []Candidate // those whose answers have failed check
	definite := false
	for _, candidate := range c.demotedLast(candidates) {
		e, ok := c.try(ctx, candidate, limit, accept)
		if !ok {
			break
		}
		passed := e.Failure != "" || !isSuccess(e.Status) || check(&e)
		exchanges = append(exchanges, e)
		switch {
		case !passed:
			misleading = append(misleading, candidate)
		case ctx.Err() == nil: // otherwise the client gave up, which says nothing about the gateway
			c.gateways.record(candidate.Gateway, &e)
		}
		if definite = passed && isDefinite(candidate, &e); definite && isSuccess(e.Status) {
			for _, m := range misleading {
				if m.path() == candidate.path() { // another path may have led to another resource
					c.gateways.demote(m.Gateway)
				}
			}
		}
		if definite || ctx.Err() != nil {
			break
		}
	}
	if !definite {
		mostInformativeLast(exchanges)
	}
	for i := range exchanges {
		if e := &exchanges[i]; i < len(exchanges)-1 && isSuccess(e.Status) && len(e.Body) > errorBodyMax {
			e.Body, e.Error = nil, fmt.Sprintf("its body of %d bytes is left out: %s", len(e.Body), e.Error)
		}
	}
	return exchanges
}

// Paused returns for how long all hosts to which these exchanges led want to be left alone; 0 if one of them has answered
// something else, or has asked for the pause by this very answer.
func Paused(exchanges []fetch.Exchange) (wait time.Duration) {
	for i, e := range exchanges {
		if e.Status != http.StatusTooManyRequests || e.Error == "" || e.Failure != "" {
			return 0
		}
		left := fetch.RetryAfter(e.Header["retry-after"], time.Now())
		if i == 0 || left < wait {
			wait = left
		}
	}
	return wait
}
