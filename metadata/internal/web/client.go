package web

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"strata/domain/fetch"
)

// Client asks hosts. It is safe for concurrent use; there should be one, because it knows how the hosts are.
type Client struct {
	config    Config
	transport *http.Transport
	hosts     *hosts
	gateways  *gateways
	secrets   secrets
}

// headerBytesMax bounds what a server may say before its body.
const headerBytesMax = 64 << 10

// New makes a Client.
func New(config Config) *Client {
	config = config.withDefaults()
	dialer := &dialer{
		resolver: config.Resolver,
		allowed:  newAllowed(&config),
		timeout:  config.Timeouts.Connect,
	}
	if dialer.resolver == nil {
		dialer.resolver = net.DefaultResolver
	}
	limit := rate.Inf
	if config.PerHostRate > 0 {
		limit = rate.Limit(config.PerHostRate)
	}
	return &Client{
		config: config,
		// A transport follows no redirects: each hop is a request of ours, judged and waited for like the first. It has
		// no Proxy: one that the environment names would be asked for addresses that were not judged here.
		transport: &http.Transport{
			DialContext:            dialer.dial,
			TLSClientConfig:        &tls.Config{InsecureSkipVerify: config.InsecureTLS},
			TLSHandshakeTimeout:    config.Timeouts.Connect,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // so that bytes are counted before they are unpacked
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

// Close gives up connections that wait for another request.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
}

// Get asks the candidates, which are different ways to the same thing, one after another until one gives a definite
// answer: a status of 2xx, or of 404 or 410 that does not come from a gateway, for a gateway only says that it could
// not find it. A body that is larger than limit is definite as well: it is so everywhere. Gateways that lately failed
// come after the others. accept is the header of that name.
//
// There is one exchange for each candidate that was tried, with the redirects that were followed; where they led is in
// its header under HeaderFinalURL. The last one counts: it is the definite answer or else the most telling failure (see
// telling), and the others have the order in which they were made. The body of a status other than 2xx is kept when it
// is small, and no failure when it is not.
//
// A host that answered 429 is left alone until it is due again. Until then its exchange has status 429, says in Error
// that it was not asked, and has the seconds that remain as retry-after.
//
// When ctx is cancelled, Get returns at once with the exchanges that were finished, if any. When the deadline of ctx
// passes, the exchange under way is there too, as a timeout.
func (c *Client) Get(ctx context.Context, candidates []Candidate, limit int64, accept string) []fetch.Exchange {
	var exchanges []fetch.Exchange
	for _, candidate := range c.inOrder(candidates) {
		e, ok := c.try(ctx, candidate, limit, accept)
		if !ok {
			break
		}
		exchanges = append(exchanges, e)
		if ctx.Err() == nil { // else it was us who gave up
			c.gateways.note(candidate.Gateway, &e)
		}
		if definite(candidate, &e) {
			return exchanges
		}
		if ctx.Err() != nil {
			break
		}
	}
	mostTellingLast(exchanges)
	return exchanges
}
