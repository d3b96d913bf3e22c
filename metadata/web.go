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

// WebConfig says how to ask hosts that anybody can name.
type WebConfig struct {
	// Allow names hosts, hosts with a port, and ranges of addresses (CIDR) that may be asked although they are not
	// public, such as a gateway of one's own.
	Allow []string
	// GatewayHeaders go to the gateways with these base URLs, and nowhere else: what they hold may be secret.
	GatewayHeaders map[string]http.Header
	// UserAgent names the program to those who are asked.
	UserAgent string
	// HostConcurrency is how many requests a host sees at once.
	HostConcurrency int
}

// NewWeb asks the web with the care that addresses made up by strangers need.
func NewWeb(c WebConfig) (Web, error) {
	config := web.Config{AllowHosts: c.Allow, GatewayHeader: c.GatewayHeaders, UserAgent: c.UserAgent, PerHostConcurrency: c.HostConcurrency}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return asker{web.New(config)}, nil
}

type asker struct{ client *web.Client }

func (a asker) Get(ctx context.Context, candidates []Candidate, limit int64, accept string) []fetch.Exchange {
	list := make([]web.Candidate, len(candidates))
	for i, c := range candidates {
		list[i] = web.Candidate{URL: c.URL, Gateway: c.Gateway}
	}
	return a.client.Get(ctx, list, limit, accept)
}

// KeepIn keeps images in a store.
func KeepIn(store picture.Store) Images { return keeper{store} }

type keeper struct{ store picture.Store }

func (k keeper) Keep(ctx context.Context, body []byte) (fetch.ImageFacts, error) {
	facts, err := picture.Keep(ctx, k.store, body)
	if err != nil && !errors.Is(err, picture.ErrRefused) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return facts, err
}
