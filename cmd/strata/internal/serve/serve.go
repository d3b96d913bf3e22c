// Package serve is the command that runs a server: it receives events, folds them, fetches token metadata and serves the
// API, as far as the roles of the process go.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/audit"
	"strata/cmd/strata/internal/container"
	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/gcfloor"
	"strata/cmd/strata/internal/program"
	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/eventstore/transparency"
	"strata/internal/connlimit"
	"strata/internal/diskspace"
	"strata/internal/edge"
	"strata/internal/instrument"
	"strata/internal/nodecompare"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/readapi"
	"strata/subscriptions"
)

// The roles of a process (--roles).
const (
	RoleObserver  = "observer"
	RoleProjector = "projector"
	RoleMetadata  = "metadata"
	RoleAPI       = "api"
	RoleCompare   = "compare"
)

// heapFloor is the heap size, in bytes, below which the garbage collector does not run.
const heapFloor = 128 << 20

// Command is strata serve.
type Command struct {
	// Release returns the projections of another release of the program, for simulations of updates; nil for those of this one.
	Release func(projections.Lines) projections.Lines `kong:"-"`

	Roles          []string `default:"observer,projector,metadata,api,compare,subscriptions" enum:"observer,projector,metadata,api,compare,subscriptions,fanout,rosetta-offline" env:"STRATA_ROLES" placeholder:"ROLE,..." help:"Roles of this process, any of observer, projector, metadata, api, compare and subscriptions (default all of these); fanout; or rosetta-offline alone. Compare compares accounts with a node of --nodes, subscriptions delivers what people have subscribed to, fanout sends the log to NATS, and rosetta-offline constructs transactions without a database." group:"Start:"`
	Network        string   `default:"" enum:",mainnet,testnet" env:"STRATA_NETWORK" placeholder:"NAME" help:"Stacks network of the nodes: mainnet or testnet (empty = that of the log, else of the first node of --nodes that answers, else of the first block)." group:"Start:"`
	ChainID        chainID  `name:"chain-id" env:"STRATA_CHAIN_ID" placeholder:"ID" help:"Chain id of the network, which nodes report as network_id, such as 0x80000000 (empty = that of --network)." group:"Start:"`
	PartialHistory bool     `env:"STRATA_PARTIAL_HISTORY" help:"Let the chain begin with any block, where the log lacks genesis: for recordings and tests. Balances then lack what happened before, and every answer says so. It lasts: the log is marked." group:"Start:"`
	ForkChoice     string   `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"Rule that selects the canonical chain: recommended (as nodes do) or reference (as stacks-blockchain-api does)." group:"Start:"`

	ObserverAddr   string   `default:"127.0.0.1:3700" env:"STRATA_OBSERVER_ADDR" help:"Address on which to receive events. Whoever reaches it can write to the log, so make it reachable for nodes only." group:"Events:"`
	ObserverSecret string   `env:"STRATA_OBSERVER_SECRET" placeholder:"SECRET" help:"Secret that senders of events must show, as a bearer token or as the first segment of the path (empty = none)." group:"Events:"`
	ObserverHosts  []string `env:"STRATA_OBSERVER_HOSTS" placeholder:"NAME,..." help:"Names of this machine that events on its loopback interface may be addressed to, besides addresses and names without a dot." group:"Events:"`
	OrdhookToken   string   `env:"STRATA_ORDHOOK_TOKEN" placeholder:"TOKEN" help:"Bearer token to require from the ordinals feed (empty = none)." group:"Events:"`

	Database  database.Flags       `embed:"" group:"Database:"`
	Writer    database.WriterFlags `embed:"" group:"Database:"`
	readFlags `embed:"" group:"Database:"`
	nodeFlags `embed:"" group:"Nodes:"`

	APIAddr            string `name:"api-addr" default:"127.0.0.1:3999" env:"STRATA_API_ADDR" help:"Address on which to serve the API." group:"API:"`
	BNSAddr            string `name:"bns-addr" env:"STRATA_BNS_ADDR" placeholder:"ADDRESS" help:"Extra address on which to serve the names of BNS-V2 at the root, as their public service does (empty = only under /bns/v2 of the API)." group:"API:"`
	RedisURL           string `env:"STRATA_REDIS_URL" placeholder:"URL" help:"Redis in which API processes share cached answers (empty = memory of each process only)." group:"API:"`
	RedisPrefix        string `default:"strata:" env:"STRATA_REDIS_PREFIX" help:"Prefix of all keys in Redis." group:"API:"`
	StrictParameters   bool   `env:"STRATA_STRICT_PARAMETERS" help:"Refuse requests with parameters that their operation does not know (400); otherwise these are ignored, and the answer's header Strata-Ignored-Parameters names them." group:"API:"`
	OrdinalsTxIDPrefix bool   `name:"ordinals-tx-id-prefix" default:"true" negatable:"" env:"STRATA_ORDINALS_TX_ID_PREFIX" help:"Prefix transaction ids of inscriptions with 0x; ordinals-api does not." group:"API:"`

	tlsFlags      `embed:"" group:"API:"`
	clientFlags   `embed:"" group:"API:"`
	metadataFlags `embed:"" group:"Token metadata:"`

	CacheMemory int64  `default:"67108864" env:"STRATA_CACHE_MEMORY" help:"Maximum memory for cached answers, in bytes." group:"Limits:"`
	DiskFloor   int64  `default:"268435456" env:"STRATA_DISK_FLOOR" help:"Free space to keep on the disk of the database, in bytes (0 = no check). Below it events are refused with 503 and no token metadata is fetched, and below four times as much, builds of read tables pause." group:"Limits:"`
	DiskFolder  string `env:"STRATA_DISK_FOLDER" placeholder:"PATH" help:"Folder on the disk that --disk-floor is about, such as the data directory of a Postgres on this machine that --database-url names (empty = the private Postgres; with --database-url, no check)." group:"Limits:"`
	LagLimit    int64  `default:"1000" env:"STRATA_LAG_LIMIT" help:"Maximum lag of a projection, in events, before /readyz reports not ready." group:"Limits:"`

	historyFlags      `embed:"" group:"History:"`
	adminFlags        `embed:"" group:"Administration:"`
	MetricsAddr       string        `env:"STRATA_METRICS_ADDR" placeholder:"ADDRESS" help:"Extra address on which to serve /metrics and /healthz, for monitoring alone (empty = none)." group:"Administration:"`
	DrainDelay        time.Duration `default:"0s" env:"STRATA_DRAIN_DELAY" help:"Time for which /readyz reports not ready before the server stops, so that balancers notice (0 = none)." group:"Administration:"`
	telemetryFlags    `embed:"" group:"Administration:"`
	runnerFlags       `embed:"" group:"Projections:"`
	Audit             audit.Flags `embed:"" group:"Audit:"`
	faucetFlags       `embed:"" group:"Faucets:"`
	rosettaFlags      `embed:"" group:"Integration standard:"`
	fanoutFlags       `embed:"" group:"Other machines:"`
	subscriptionFlags `embed:"" group:"Subscriptions:"`
	HelpAll           helpAll `help:"Show all settings, of which --help shows what most servers need."`

	draining drain
	build    readapi.Version    // of this program
	unknown  bool               // whether the network is still to be found out
	disk     *diskspace.Guard   // nil: none
	runner   *follow.Runner     // nil: this process does not fold
	signing  *transparency.Log  // nil: this process does not sign
	renewal  *version.Renewal   // nil: this process does not fold
	watch    *nodecompare.Watch // nil: this process compares nothing

	subscriptions *subscriptions.Role // nil: this process has none
}

// runnerFlags configure the projections of this process.
type runnerFlags struct {
	Projections         []string      `env:"STRATA_PROJECTIONS" placeholder:"NAME,..." help:"Projections that this process builds and folds in its database, with those whose steps they fold (empty = all)."`
	BuildNewVersions    bool          `default:"true" negatable:"" env:"STRATA_BUILD_NEW_VERSIONS" help:"Build new versions of read tables whose rules differ between this program and the database, beside the active ones. With --no-build-new-versions, that takes a command."`
	ActivateNewVersions bool          `default:"true" negatable:"" env:"STRATA_ACTIVATE_NEW_VERSIONS" help:"Make versions that servers have built by themselves active as soon as they have caught up and are verified. With --no-activate-new-versions, that takes a command."`
	KeepReplaced        time.Duration `default:"168h" env:"STRATA_KEEP_REPLACED" help:"Time for which to keep versions of read tables after others with newer rules became active (0 = until a command drops them)."`
}

// Run serves until ctx is done.
func (c *Command) Run(ctx context.Context, globals *program.Globals, build readapi.Version, variables *container.Variables) error {
	logger := globals.Logger()
	variables.Log(ctx, logger)
	return c.Serve(ctx, build, logger, func(string, string) {})
}

// Serve serves until ctx is done, as this build of the program. It calls ready with the addresses of the API and of the
// observer as soon as they listen; an address is empty if the process lacks the role.
func (c *Command) Serve(ctx context.Context, build readapi.Version, logger *slog.Logger, ready func(api, observer string)) error {
	c.build = build
	if err := c.check(); err != nil {
		return err
	}
	if c.has(RoleRosettaOffline) {
		return c.serveOffline(ctx, logger, ready)
	}
	gcfloor.Keep(heapFloor)
	for {
		err := c.serve(ctx, logger, ready)
		var found *networkFoundError
		if !errors.As(err, &found) {
			return err
		}
		logger.LogAttrs(ctx, slog.LevelInfo, "the first block told the network; starting again with it", slog.String("network", found.network.String()))
		c.Network, c.ChainID = found.network.Name(), chainID(found.network.ChainID)
		ready = func(string, string) {} // at the same addresses
	}
}

// serve serves until ctx is done. It returns a *networkFoundError when the log turns out to be of another network than it
// answers for.
func (c *Command) serve(ctx context.Context, logger *slog.Logger, ready func(api, observer string)) error {
	registry := prometheus.NewRegistry()
	logger, err := c.openTelemetry(ctx, logger, registry)
	if err != nil {
		return err
	}
	defer c.tracer.Close()
	// Listen first, so that an address in use is reported before anything else starts.
	listening, err := c.listen(ctx, logger)
	if err != nil {
		return err
	}
	defer func() { listening.close() }()
	c.keepAddresses(&listening)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	c.bound(&listening, registry)
	c.boundObserver(&listening, registry)
	if err := c.secure(&listening, logger); err != nil {
		return err
	}
	c.Database.Server, c.Database.Tracer = true, c.tracer
	db, err := c.Database.Create(ctx, logger)
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped before the start was complete
		}
		return err
	}
	defer db.Close(logger)
	if c.has(RoleObserver) || c.has(RoleMetadata) {
		if err := c.Writer.Check(ctx, db); err != nil {
			return err
		}
	}
	if err := c.bootstrap(ctx, db.Log, logger); err != nil {
		return err
	}
	if err := c.identifyNetwork(ctx, db.Log, logger); err != nil {
		return err
	}
	if err := c.identifyLog(ctx, db); err != nil {
		return err
	}
	if c.disk, err = c.watchedDisk(db, logger, registry); err != nil {
		return err
	}

	c.draining.delay = c.DrainDelay
	ctx, stop := c.draining.after(ctx, logger)
	group, ctx := errgroup.WithContext(ctx)
	// After an error, everything that has started ends before the database is closed.
	defer func() {
		stop()
		_ = group.Wait()
	}()
	if c.disk != nil {
		runIn(ctx, group, c.disk.Run)
	}
	changes := c.changes(db.Log)
	defer changes.Stop()
	images, err := c.imageStore()
	if err != nil {
		return err
	}
	if c.has(RoleProjector) {
		if err := c.project(ctx, group, db, changes, logger, registry); err != nil {
			return err
		}
	}
	if listening.observer != nil {
		if err := c.observe(ctx, group, listening.observer, db, logger, registry); err != nil {
			return err
		}
	}
	if c.has(RoleMetadata) {
		if err := c.fetch(ctx, group, db, images, logger, registry); err != nil {
			return err
		}
	}
	if c.has(RoleFanout) {
		if err := c.fanOut(ctx, group, db, logger, registry); err != nil {
			return err
		}
	}
	if c.has(RoleObserver) && c.Bootstrap != "" {
		runIn(ctx, group, func(ctx context.Context) { c.mend(ctx, db.Log, logger) })
	}
	if c.has(RoleSubscriptions) {
		if err := c.subscribe(ctx, group, db, logger, registry); err != nil {
			return err
		}
	}
	c.compare(ctx, group, db, logger, registry)
	if listening.metrics != nil {
		watch(ctx, group, listening.metrics, logger, registry)
	}
	lines, err := c.lines(logger, nil)
	if err != nil {
		return err
	}
	var reads http.Handler
	if listening.api != nil {
		if reads, err = c.answer(ctx, group, listening, db, lines, images, changes, logger, registry); err != nil {
			return err
		}
	}
	if listening.admin != nil {
		if err := c.administer(ctx, group, listening.admin, db, lines, reads, logger, registry); err != nil {
			return err
		}
	}
	if c.unknown {
		group.Go(func() error { return c.awaitNetwork(ctx, db.Log) })
	}
	ready(address(listening.api), address(listening.observer))
	<-ctx.Done()
	return group.Wait()
}

// runIn runs something in a group until ctx is done.
func runIn(ctx context.Context, group *errgroup.Group, run func(context.Context)) {
	group.Go(func() error {
		run(ctx)
		return nil
	})
}

// check parses settings, and refuses those that are wrong or do not go together.
func (c *Command) check() error {
	return cmp.Or(c.parseNodes(), c.parseClients(), c.checkCompare(), c.checkPublicURL(c.has(RoleAPI)), c.checkFanout(), c.checkTelemetry(),
		c.ChainID.check(c.Network))
}

// listeners holds the open listeners of this process; nil for those that it does not need.
type listeners struct{ api, bns, rosetta, observer, metrics, admin net.Listener }

func (c *Command) listen(ctx context.Context, logger *slog.Logger) (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	for _, a := range []struct {
		listener            *net.Listener
		wanted              bool
		what, address, flag string
	}{
		{&l.observer, c.has(RoleObserver), "observer", c.ObserverAddr, "--observer-addr"},
		{&l.api, c.has(RoleAPI), "API", c.APIAddr, "--api-addr"},
		{&l.bns, c.has(RoleAPI) && c.BNSAddr != "", "names", c.BNSAddr, "--bns-addr"},
		{&l.rosetta, c.has(RoleAPI) && c.RosettaAddr != "", "integration standard", c.RosettaAddr, "--rosetta-addr"},
		{&l.metrics, c.MetricsAddr != "", "metrics", c.MetricsAddr, "--metrics-addr"},
	} {
		if !a.wanted {
			continue
		}
		if *a.listener, err = listenAt(a.what, a.address, a.flag); err != nil {
			return l, err
		}
	}
	l.admin, err = c.adminFlags.listen(ctx, logger)
	return l, err
}

// listenAt listens at an address that a flag sets.
func listenAt(what, address, flag string) (net.Listener, error) {
	listener, err := edge.Listen(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (choose another address with %s)", what, err, flag)
	}
	return listener, nil
}

// close closes all listeners. One that its server has closed already is no error.
func (l listeners) close() {
	for _, listener := range []net.Listener{l.api, l.bns, l.rosetta, l.observer, l.metrics, l.admin} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}

func address(listener net.Listener) string {
	if listener == nil {
		return ""
	}
	return listener.Addr().String()
}

// lines returns the projections of this program.
func (c *Command) lines(logger *slog.Logger, registry prometheus.Registerer) (projections.Lines, error) {
	lines, err := folding.Lines(c.ForkChoice, logger, registry)
	if err != nil || c.Release == nil {
		return lines, err
	}
	return c.Release(lines), nil
}

func (c *Command) project(ctx context.Context, group *errgroup.Group, db *database.DB, changes changes, logger *slog.Logger, registry prometheus.Registerer) error {
	lines, err := c.lines(logger, registry)
	if err != nil {
		return err
	}
	if lines, err = lines.Only(c.Projections); err != nil {
		return fmt.Errorf("--projections: %w", err)
	}
	runner := folding.NewRunner(db.Log, lines, c.BuildNewVersions, changes.Signal, changes.feed, c.disk, logger, registry)
	c.runner = runner
	changes.Ignore(runner.Origin()) // the API of this process knows them already
	if err := runner.Register(ctx); err != nil {
		return err
	}
	runIn(ctx, group, runner.Run)
	c.renewal = version.NewRenewal(version.RenewalConfig{
		Pool: db.Pool, Lines: lines, Logger: logger, Registry: registry, Activate: c.ActivateNewVersions, Keep: c.KeepReplaced,
	})
	runIn(ctx, group, c.renewal.Run)
	signer, err := c.Audit.OpenLog(ctx, db.Log, nil, c.Database.DataDir, true, logger)
	if err != nil {
		return err
	}
	signer.Instrument(registry)
	c.signing = signer
	runIn(ctx, group, signer.Run)
	witnesses, err := c.Audit.Witnesses(signer, logger)
	if err != nil {
		return err
	}
	if witnesses != nil {
		runIn(ctx, group, witnesses.Run)
	}
	return nil
}

func (c *Command) observe(ctx context.Context, group *errgroup.Group, listener net.Listener, db *database.DB, logger *slog.Logger, registry prometheus.Registerer) error {
	spoolDir := filepath.Join(c.Database.DataDir, "spool")
	if err := os.MkdirAll(spoolDir, 0o700); err != nil {
		return fmt.Errorf("create the spool folder for large bodies: %w", err)
	}
	server := observer.New(observer.Config{
		Log:             db.Log,
		Spool:           eventstore.NewSpool(eventstore.SpoolConfig{Dir: spoolDir}),
		Logger:          logger,
		Registry:        registry,
		Full:            c.disk.Short,
		OrdhookToken:    c.OrdhookToken,
		Secret:          c.ObserverSecret,
		Hosts:           c.ObserverHosts,
		ShutdownTimeout: shutdownGrace,
	})
	logger.LogAttrs(ctx, slog.LevelInfo, "receiving events", slog.String("url", "http://"+address(listener)))
	group.Go(func() error { return server.Serve(ctx, listener) })
	return nil
}

// observerConnections is how many connections may be open to the observer. A node has one or two.
const observerConnections = 1024

// boundObserver bounds the connections to the observer: also who may post events may have a client that runs wild. One address
// leaves room for the nodes at others.
func (c *Command) boundObserver(l *listeners, registry prometheus.Registerer) {
	if l.observer == nil {
		return
	}
	refused := instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "strata_observer_connections_refused_total", Help: "Connections to the observer that were closed because there were too many.",
	}))
	l.observer = connlimit.Listener(l.observer, connlimit.Config{
		Total: observerConnections, PerClient: observerConnections / 4, Refused: refused.Inc,
	})
}
