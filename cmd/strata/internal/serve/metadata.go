package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/domain/document"
	"strata/domain/fetch"
	"strata/eventstore"
	"strata/metadata"
	"strata/metadata/picture"
)

// metadataFlags configure how documents and images of tokens are fetched.
type metadataFlags struct {
	IPFSGateways      []string `name:"ipfs-gateways" default:"https://ipfs.io,https://dweb.link" env:"STRATA_IPFS_GATEWAYS" placeholder:"URL,..." help:"IPFS gateways, in the order to try them."`
	IPFSGatewayHeader string   `name:"ipfs-gateway-header" env:"STRATA_IPFS_GATEWAY_HEADER" placeholder:"NAME: VALUE" help:"Header to send to the IPFS gateways, such as an API key; no other host gets it."`
	ArweaveGateways   []string `default:"https://arweave.net" env:"STRATA_ARWEAVE_GATEWAYS" placeholder:"URL,..." help:"Arweave gateways, in the order to try them."`
	FetchAllow        []string `env:"STRATA_FETCH_ALLOW" placeholder:"HOST,..." help:"Hosts (with or without port) and CIDR ranges to fetch from although their addresses are not public."`
	FetchConcurrency  int      `default:"64" env:"STRATA_FETCH_CONCURRENCY" help:"Maximum number of concurrent requests for token metadata; a quarter of them may be to one host, such as a gateway."`
	ImageStore        string   `env:"STRATA_IMAGE_STORE" placeholder:"dir|s3://..." help:"Store for copies of tokens' images: dir (in the data directory), dir:///path or s3://KEY:SECRET@HOST/BUCKET/PREFIX (empty = keep no copies)."`
	PublicURL         string   `name:"public-url" env:"STRATA_PUBLIC_URL" placeholder:"URL" help:"Base URL at which clients reach the API, for links to images; needed with --image-store."`
	AllowRefresh      bool     `env:"STRATA_ALLOW_REFRESH" help:"Let any client request that a token's metadata is fetched again (POST /metadata/v1/refresh)."`
}

// replacedGateways are the public gateways that documents name most. The configured ones take their place, because public gateways
// come and go, and limit who asks them much.
var replacedGateways = []string{"ipfs.io", "dweb.link", "gateway.pinata.cloud", "cloudflare-ipfs.com", "infura-ipfs.io"}

func (c *metadataFlags) gateways() document.Gateways {
	return document.Gateways{IPFS: c.IPFSGateways, Arweave: c.ArweaveGateways, Replaced: replacedGateways}
}

// hostShares is the inverse of the part of all requests that one host has at most, so that a slow gateway leaves room for others.
const hostShares = 4

// imageStore opens the store for copies of images; nil if none are kept.
func (c *Command) imageStore() (picture.Store, error) {
	store, err := picture.OpenStore(c.ImageStore, c.Database.DataDir)
	if err != nil {
		return nil, fmt.Errorf("--image-store: %w", err)
	}
	return store, nil
}

// fetch starts the role metadata, which fetches what projections want from nodes and gateways.
func (c *Command) fetch(ctx context.Context, group *errgroup.Group, db *database.DB, images picture.Store, logger *slog.Logger, registry prometheus.Registerer) error {
	headers, err := c.gatewayHeaders()
	if err != nil {
		return err
	}
	if len(c.nodes) == 0 { // without a node, contracts can't be called, and only they name the documents
		logger.LogAttrs(ctx, slog.LevelInfo, "token metadata is not fetched: set a node's RPC address with --nodes")
		return nil
	}
	web, err := metadata.NewWeb(metadata.WebConfig{Allow: c.FetchAllow, GatewayHeaders: headers, UserAgent: "strata/" + c.build.Tag, HostConcurrency: (c.FetchConcurrency + hostShares - 1) / hostShares})
	if err != nil {
		return err
	}
	config := metadata.Config{
		Log: db.Log, Web: web, Data: document.ParseData, Concurrency: c.FetchConcurrency, Full: c.disk.Short, Logger: logger, Registry: registry,
		Resolve: func(uri string) ([]metadata.Candidate, error) {
			links, err := document.Resolve(uri, c.gateways())
			candidates := make([]metadata.Candidate, len(links))
			for i, link := range links {
				candidates[i] = metadata.Candidate{URL: link.URL, Gateway: link.Gateway}
			}
			return candidates, err
		},
	}
	config.Nodes = c.nodeURLs()
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
		return nil, fmt.Errorf("--ipfs-gateway-header: want NAME: VALUE, with a colon")
	}
	headers := map[string]http.Header{}
	for _, gateway := range c.IPFSGateways {
		headers[gateway] = http.Header{http.CanonicalHeaderKey(name): {strings.TrimSpace(value)}}
	}
	return headers, nil
}

// refresher returns a function that appends a client's request for a refresh to the log.
func refresher(log *eventstore.Log) func(context.Context, fetch.Refresh) error {
	return func(ctx context.Context, request fetch.Refresh) error {
		body, err := request.Encode()
		if err != nil {
			return err
		}
		_, err = log.Append(ctx, eventstore.Incoming{
			ReceivedAt: time.Now(), Source: "api", Path: fetch.PathRefresh, ContentType: fetch.ContentType, Body: eventstore.NewBody(body),
		})
		return err
	}
}

// checkPublicURL checks the base URL of links to images. Only the operator knows at which address clients reach the API: the
// server may listen on any address, behind any proxy.
func (c *metadataFlags) checkPublicURL(api bool) error {
	if c.PublicURL == "" {
		if c.ImageStore != "" && api {
			return errors.New("--image-store: answers link to copies of images: say with --public-url where clients reach the API, as in https://api.example.org")
		}
		return nil
	}
	base, err := url.Parse(c.PublicURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" || base.User != nil {
		return fmt.Errorf("--public-url %q: want http:// or https://, a host, and a path if there is one", c.PublicURL)
	}
	return nil
}

// imageBase returns the base URL of links to images; empty if no images are kept.
func (c *metadataFlags) imageBase() string {
	if c.ImageStore == "" {
		return ""
	}
	return strings.TrimRight(c.PublicURL, "/")
}

func (c *Command) has(role string) bool { return slices.Contains(c.Roles, role) }
