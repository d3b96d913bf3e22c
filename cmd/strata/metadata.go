package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/eventstore"
	"strata/metadata"
	"strata/metadata/picture"
)

// metadataFlags say where what is not on the chain comes from.
type metadataFlags struct {
	IPFSGateways      []string `name:"ipfs-gateways" default:"https://ipfs.io,https://dweb.link" env:"STRATA_IPFS_GATEWAYS" placeholder:"URL,..." help:"Gateways to IPFS, in the order in which they are tried."`
	IPFSGatewayHeader string   `name:"ipfs-gateway-header" env:"STRATA_IPFS_GATEWAY_HEADER" placeholder:"NAME: VALUE" help:"Header for the gateways to IPFS only, such as a key."`
	ArweaveGateways   []string `default:"https://arweave.net" env:"STRATA_ARWEAVE_GATEWAYS" placeholder:"URL,..." help:"Gateways to Arweave."`
	ReplacedGateways  []string `default:"ipfs.io,dweb.link,gateway.pinata.cloud,cloudflare-ipfs.com,infura-ipfs.io" env:"STRATA_REPLACED_GATEWAYS" placeholder:"HOST,..." help:"Public gateways in whose place our own are asked."`
	FetchAllow        []string `env:"STRATA_FETCH_ALLOW" placeholder:"HOST,..." help:"Hosts, hosts with port, and ranges (CIDR) that may be asked for documents and images although their addresses are not public."`
	FetchConcurrency  int      `default:"64" env:"STRATA_FETCH_CONCURRENCY" help:"Requests for token metadata under way at the same time."`
	FetchPerHost      int      `default:"16" env:"STRATA_FETCH_PER_HOST" help:"Requests that one host, such as a gateway, sees at the same time."`
	ImageStore        string   `env:"STRATA_IMAGE_STORE" placeholder:"dir|s3://..." help:"Where copies of tokens' images are kept: dir (in the data directory), dir:///path or s3://KEY:SECRET@HOST/BUCKET/PREFIX; empty: none are made."`
	PublicURL         string   `name:"public-url" env:"STRATA_PUBLIC_URL" placeholder:"URL" help:"Base of the links to images; empty: the address of the API."`
	AllowRefresh      bool     `env:"STRATA_ALLOW_REFRESH" help:"Let anybody ask that a token's metadata is fetched again (POST /metadata/v1/refresh)."`
}

func (c *metadataFlags) gateways() document.Gateways {
	return document.Gateways{IPFS: c.IPFSGateways, Arweave: c.ArweaveGateways, Replaced: c.ReplacedGateways}
}

// imageStore is nil when no images are kept.
func (c *serveCommand) imageStore() (picture.Store, error) {
	store, err := picture.OpenStore(c.ImageStore, c.DataDir)
	if err != nil {
		return nil, fmt.Errorf("--image-store: %w", err)
	}
	return store, nil
}

// fetch does what projections want from outside.
func (c *serveCommand) fetch(ctx context.Context, group *errgroup.Group, db *database, images picture.Store, logger *slog.Logger, registry prometheus.Registerer) error {
	headers, err := c.gatewayHeaders()
	if err != nil {
		return err
	}
	if len(c.nodes) == 0 { // documents are only known from what contracts say
		logger.LogAttrs(ctx, slog.LevelInfo, "token metadata is not fetched: that needs a node's RPC address (--nodes)")
		return nil
	}
	web, err := metadata.NewWeb(metadata.WebConfig{Allow: c.FetchAllow, GatewayHeaders: headers, UserAgent: "strata/" + build().Tag, HostConcurrency: c.FetchPerHost})
	if err != nil {
		return err
	}
	config := metadata.Config{
		Log: db.log, Web: web, Data: document.ParseData, Concurrency: c.FetchConcurrency, Logger: logger, Registry: registry,
		Resolve: func(uri string) ([]metadata.Candidate, error) {
			found, err := document.Resolve(uri, c.gateways())
			candidates := make([]metadata.Candidate, len(found))
			for i, f := range found {
				candidates[i] = metadata.Candidate{URL: f.URL, Gateway: f.Gateway}
			}
			return candidates, err
		},
	}
	for _, node := range c.nodes {
		config.Nodes = append(config.Nodes, node.URL)
	}
	if images != nil {
		config.Images = metadata.KeepIn(images)
	}
	role, err := metadata.New(config)
	if err != nil {
		return err
	}
	group.Go(func() error { return role.Run(ctx) })
	return nil
}

func (c *metadataFlags) gatewayHeaders() (map[string]http.Header, error) {
	if c.IPFSGatewayHeader == "" {
		return nil, nil
	}
	name, value, ok := strings.Cut(c.IPFSGatewayHeader, ":")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return nil, fmt.Errorf("--ipfs-gateway-header: want a name and a value with a colon between them")
	}
	headers := map[string]http.Header{}
	for _, gateway := range c.IPFSGateways {
		headers[gateway] = http.Header{http.CanonicalHeaderKey(name): {strings.TrimSpace(value)}}
	}
	return headers, nil
}

// refresher puts somebody's wish into the log.
func refresher(log *eventstore.Log) func(context.Context, fetch.Refresh) error {
	return func(ctx context.Context, wish fetch.Refresh) error {
		body, err := wish.Encode()
		if err != nil {
			return err
		}
		_, err = log.Append(ctx, eventstore.Incoming{
			ReceivedAt: time.Now(), Source: "api", Path: fetch.PathRefresh, ContentType: fetch.ContentType, Body: eventstore.NewBody(body),
		})
		return err
	}
}

// imageBase is the base of the links to images; empty when no images are kept.
func (c *serveCommand) imageBase() string {
	if c.ImageStore == "" {
		return ""
	}
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	return "http://" + c.APIAddr
}

func (c *serveCommand) has(role string) bool { return slices.Contains(c.Roles, role) }
