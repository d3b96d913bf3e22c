package metadata

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"strata/domain/fetch"
	"strata/metadata/internal/web"
	"strata/metadata/picture"
)

// WebConfig configures requests to hosts that strangers have named.
type WebConfig struct {
	// Allow lists hosts, hosts with a port, and ranges of addresses (CIDR) that may get requests although they are not
	// public, such as the operator's own gateway.
	Allow []string
	// GatewayHeaders are header fields for the gateways with these base URLs. They go nowhere else, because they may be
	// secret.
	GatewayHeaders map[string]http.Header
	// UserAgent identifies the program to hosts.
	UserAgent string
	// HostConcurrency is the maximum number of requests to one host at the same time.
	HostConcurrency int
}

// NewWeb returns a Web that is safe to use with addresses from strangers.
func NewWeb(c WebConfig) (Web, error) {
	config := web.Config{AllowHosts: c.Allow, GatewayHeader: c.GatewayHeaders, UserAgent: c.UserAgent, PerHostConcurrency: c.HostConcurrency}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return web.New(config), nil
}

// KeepIn returns Images that are kept in a store.
func KeepIn(store picture.Store) Images { return imageKeeper{store} }

type imageKeeper struct{ store picture.Store }

func (k imageKeeper) Keep(ctx context.Context, body []byte) (fetch.ImageFacts, error) {
	facts, err := picture.Keep(ctx, k.store, body)
	if err != nil && !errors.Is(err, picture.ErrRefused) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return facts, err
}
