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

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/eventstore"
	"strata/projections/follow"
	"strata/readapi"
)

// familyFlags say which families of reads have their projections in databases of their own.
type familyFlags struct {
	OrdinalsDatabaseURL string `name:"projection-database-url-ordinals" env:"STRATA_PROJECTION_DATABASE_URL_ORDINALS" placeholder:"URL" help:"Database from which the API answers what is under /ordinals (empty = that of all reads). It has the projections ordinals, inscriptions and brc20."`
	TokensDatabaseURL   string `name:"projection-database-url-tokens" env:"STRATA_PROJECTION_DATABASE_URL_TOKENS" placeholder:"URL" help:"Database from which the API answers what is under /metadata, and in which the role metadata and the administration API find what is wanted of tokens (empty = that of all reads, and that of the log). It has the projections chain, ft, sft and nft."`
	NamesDatabaseURL    string `name:"projection-database-url-names" env:"STRATA_PROJECTION_DATABASE_URL_NAMES" placeholder:"URL" help:"Database from which the API answers about names of BNS v1 and BNS-V2, and in which the role metadata finds what is wanted of them (empty = that of all reads, and that of the log). It has the projections chain, names and bns."`
	StackingDatabaseURL string `name:"projection-database-url-stacking" env:"STRATA_PROJECTION_DATABASE_URL_STACKING" placeholder:"URL" help:"Database from which the API answers about stacking and staking (empty = that of all reads). It has the projections chain, accounts, pox and staking."`
	RosettaDatabaseURL  string `name:"projection-database-url-rosetta" env:"STRATA_PROJECTION_DATABASE_URL_ROSETTA" placeholder:"URL" help:"Database from which the API answers the integration standard (empty = that of all reads). It has the projections chain, accounts, balances, mempool and rosetta."`
}

// family is a family of reads that join nothing but the projections that its database has.
type family struct {
	name, url string
	paths     []string // prefixes of its paths; a segment may be *
	ready     []string // the values of for, in requests for /readyz, that are about it
	fetched   bool     // its projections have wants
}

// elsewhere returns the families with databases of their own.
func (f *familyFlags) elsewhere() (all []family) {
	for _, family := range []family{
		{name: "ordinals", url: f.OrdinalsDatabaseURL, paths: []string{"/ordinals"}, ready: []string{"ordinals", "brc20"}},
		{name: "rosetta", url: f.RosettaDatabaseURL, paths: []string{"/mesh", "/rosetta"}, ready: []string{"rosetta"}},
		{name: "tokens", url: f.TokensDatabaseURL, paths: []string{"/metadata"}, ready: []string{"tokens"}, fetched: true},
		{
			name: "names", url: f.NamesDatabaseURL, ready: []string{"names", "bns"}, fetched: true,
			paths: []string{"/v1/names", "/v1/namespaces", "/v1/addresses", "/v2/prices", "/bns/v2"},
		},
		{
			name: "stacking", url: f.StackingDatabaseURL, ready: []string{"stacking"},
			paths: []string{
				"/extended/v1/burnchain", "/extended/v1/pox2", "/extended/v1/pox3", "/extended/v1/pox4", "/extended/v1/pox5",
				"/extended/v2/pox", "/extended/v2/addresses/*/pox-transactions", "/extended/v2/burn-blocks/*/pox-transactions",
				"/extended/v3/staking", "/extended/v3/principals/*/staking",
			},
		},
	} {
		if family.url != "" {
			all = append(all, family)
		}
	}
	return all
}

func (c *Command) checkFamilies() error {
	for _, f := range c.elsewhere() {
		if !c.has(RoleAPI) && (!f.fetched || !c.has(RoleMetadata)) {
			return fmt.Errorf("--projection-database-url-%s is for roles that read it, such as api (to fill it, run strata serve --roles mirror,projector --database-url URL --mirror-of URL --projections NAME,...)", f.name)
		}
		if _, err := pgxpool.ParseConfig(f.url); err != nil {
			return fmt.Errorf("--projection-database-url-%s: %w", f.name, errors.New("it is no URL of a Postgres database"))
		}
	}
	return nil
}

// has reports whether a path is one of the family.
func (f family) has(path string) bool {
	segments := strings.Split(path, "/")
	for _, prefix := range f.paths {
		wanted := strings.Split(prefix, "/")
		if len(segments) >= len(wanted) && slices.EqualFunc(segments[:len(wanted)], wanted, func(is, want string) bool { return is == want || want == "*" }) {
			return true
		}
	}
	return false
}

// asked reports whether a request is about the family: it is for one of its paths, or for the readiness or the trace of these.
func (f family) asked(r *http.Request) bool {
	switch r.URL.Path {
	case "/readyz":
		for _, name := range f.ready {
			if r.URL.Query().Get("for") == name {
				return true
			}
		}
	case "/audit/v1/trace":
		target, err := url.Parse(r.URL.Query().Get("path"))
		return err == nil && f.has(target.Path)
	}
	return f.has(r.URL.Path)
}

// apart is an API that reads the database of a family.
type apart struct {
	family
	api  *readapi.API
	pool *pgxpool.Pool
}

// answerApart opens the APIs of families with databases of their own. They are configured as the API of all others.
func (c *Command) answerApart(ctx context.Context, group *errgroup.Group, config readapi.Config, logger *slog.Logger, registry prometheus.Registerer) (all families, err error) {
	for _, f := range c.elsewhere() {
		pool, err := database.Connect(ctx, f.url, c.DatabaseReadConnections, func(config *pgxpool.Config) {
			readapi.Prepare(config, 0)
			c.tracer.Connections(config.ConnConfig)
		})
		if err != nil {
			all.close()
			return nil, fmt.Errorf("--projection-database-url-%s: %w", f.name, err)
		}
		own := config
		own.Pool, own.Primary, own.Feed = pool, nil, nil
		own.Program += " " + f.name // a position of one database is none of another
		own.Registry = prometheus.NewRegistry()
		own.CacheBytes = config.CacheBytes / familyShare
		if config.Redis != nil {
			own.RedisPrefix += f.name + ":"
		}
		wake := eventstore.NewWake(pool, follow.Channel, 0, logger)
		own.Signal = wake.C
		registry.MustRegister(labeled{prometheus.WrapCollectorWith(prometheus.Labels{"family": f.name}, own.Registry)})
		a := apart{f, readapi.New(own), pool}
		all = append(all, a)
		group.Go(func() error {
			defer wake.Stop()
			a.api.Run(ctx)
			return nil
		})
		logger.LogAttrs(ctx, slog.LevelInfo, "reading a database of its own", slog.String("family", f.name))
	}
	return all, nil
}

// familyShare is the part of the memory for cached answers that such a family has besides: 1/familyShare.
const familyShare = 4

// labeled is the metrics of another registry. They are the same ones as those of this one, with a label more, which is allowed
// among metrics that are not described in advance.
type labeled struct{ prometheus.Collector }

// Describe implements prometheus.Collector.
func (labeled) Describe(chan<- *prometheus.Desc) {}

// families are the APIs of families with databases of their own.
type families []apart

func (all families) close() {
	for _, a := range all {
		a.pool.Close()
	}
}

// handler gives requests to the APIs that they are about, and all others to next.
func (all families) handler(next http.Handler) http.Handler {
	if len(all) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, a := range all {
			if a.asked(r) {
				a.api.ServeHTTP(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// of returns the API that answers a family.
func (all families) of(name string, others *readapi.API) *readapi.API {
	for _, a := range all {
		if a.name == name {
			return a.api
		}
	}
	return others
}
