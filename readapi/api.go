package readapi

import (
	"net/http"

	"strata/readapi/account"
	"strata/readapi/audit"
	"strata/readapi/balance"
	"strata/readapi/block"
	"strata/readapi/bns"
	"strata/readapi/brc20"
	"strata/readapi/contract"
	"strata/readapi/faucet"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
	"strata/readapi/mempool"
	"strata/readapi/names"
	"strata/readapi/node"
	"strata/readapi/ordinals"
	"strata/readapi/rosetta"
	"strata/readapi/search"
	"strata/readapi/site"
	"strata/readapi/stacking"
	"strata/readapi/staking"
	"strata/readapi/status"
	"strata/readapi/stream"
	"strata/readapi/token"
	"strata/readapi/transaction"
)

// API serves reads over HTTP. It is an http.Handler, safe for concurrent use. Answers are cached only while Run runs;
// otherwise each request builds its own.
type API struct {
	*engine.Engine
	understood   http.Handler // the engine, with the paths of package bns that have a prefix
	nodeAnswers  *NodeAnswers
	overrideFees func(request, answer []byte) (other []byte, ok bool)
}

// New returns the API with all its resources. It does not touch the database.
func New(config Config) *API {
	config = config.withDefaults()
	e := engine.New(config.engine())
	a := &API{Engine: e, understood: bns.Understand(e), nodeAnswers: newNodeAnswers(e)}

	view.TraceTables(e)
	status.Mount(e, config.LagLimit, config.Notices, config.CompareProblem)
	block.Mount(e)
	transaction.Mount(e)
	contract.Mount(e)
	account.Mount(e)
	balance.Mount(e)
	stacking.Mount(e)
	staking.Mount(e)
	mempool.Mount(e)
	names.Mount(e, names.Config{CallRead: config.CallRead})
	search.Mount(e)
	faucet.Mount(e, config.Faucet)
	token.Mount(e, token.Config{ImageBase: config.ImageBase, Images: config.Images, Refresh: config.Refresh})
	ordinals.Mount(e, config.OrdinalsTxIDBare)
	brc20.Mount(e)
	bns.Mount(e)
	a.overrideFees = node.Mount(e, node.Config{Status: config.Nodes, BlockLimit: config.BlockLimit})
	stream.Mount(e, stream.Config{
		Most: config.StreamsMost, PerClient: config.StreamsPerClient, Queue: config.StreamQueue, Heartbeat: config.Heartbeat,
		WriteTimeout: config.StreamWriteTimeout, PingInterval: config.PingInterval, Names: config.RegistryOfNames,
	})
	rosetta.Mount(e, config.rosetta())
	audit.Mount(e, config.Log)
	site.Mount(e, config.notices)

	e.Untraceable(engine.StateOfServer, "metrics")
	e.Plain("GET /metrics", "metrics", metrics(e, config.Registry))
	e.Plain("/", "unknown", e.RouteUnknown)
	return a
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.understood.ServeHTTP(w, r) }

// BNS returns a handler that serves the operations on names of BNS-V2 at the root of an address of their own.
func (a *API) BNS() http.Handler { return bns.AtRoot(a.Engine) }

// OpenAPI30 returns the description of all operations in OpenAPI 3.0.
func (a *API) OpenAPI30() ([]byte, error) { return site.OpenAPI30(a.OpenAPI()) }

// FeeOverride returns an answer that replaces a node's answer to a fee estimate request; ok is false if the node's answer
// stands. It does not block.
func (a *API) FeeOverride(request, answer []byte) (other []byte, ok bool) {
	return a.overrideFees(request, answer)
}
