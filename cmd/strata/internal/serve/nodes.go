package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/clarity"
	"strata/proxy"
	"strata/readapi"
)

// nodeFlags configure how requests are forwarded to nodes.
type nodeFlags struct {
	Nodes             []string `env:"STRATA_NODES" placeholder:"URL,..." help:"RPC addresses of Stacks nodes, such as http://127.0.0.1:20443 or NAME=URL;weight=2. They serve forwarded requests under /v2 and /v3 and the calls for token metadata (empty = neither)."`
	NodeConcurrency   int      `default:"128" env:"STRATA_NODE_CONCURRENCY" help:"Maximum number of concurrent forwarded requests per node; a quarter of them may be heavy ones."`
	NodeRateLimit     float64  `default:"0" env:"STRATA_NODE_RATE_LIMIT" help:"Maximum number of forwarded requests per second and client (0 = unlimited)."`
	BroadcastToAll    bool     `env:"STRATA_BROADCAST_TO_ALL" help:"Send each transaction to all nodes, rather than stop at the first that accepts it."`
	AllowNodeOperator bool     `env:"STRATA_ALLOW_NODE_OPERATOR" help:"Also forward endpoints for miners, signers and node operators; otherwise they answer 403."`
	HedgeNodeReads    bool     `env:"STRATA_HEDGE_NODE_READS" help:"Send a light or medium read to a second node as well when it takes longer than 95 % of the earlier ones."`
	FeeEstimates      bool     `env:"STRATA_FEE_ESTIMATES" help:"Replace the nodes' fee estimates with the minimum fee while the last tenures had room."`

	nodes []proxy.Node // parsed from Nodes by parseNodes
}

// parseNodes parses and checks the flags, so that mistakes are reported before anything starts.
func (c *nodeFlags) parseNodes() (err error) {
	switch {
	case c.NodeConcurrency < 0, c.NodeConcurrency == 0 && len(c.Nodes) > 0:
		return fmt.Errorf("--node-concurrency: %d requests at a time (want 1 or more)", c.NodeConcurrency)
	case !(c.NodeRateLimit >= 0 && c.NodeRateLimit <= math.MaxInt32):
		return fmt.Errorf("--node-rate-limit: %v requests a second (want 0 or more)", c.NodeRateLimit)
	}
	if c.nodes, err = proxy.ParseNodes(strings.Join(c.Nodes, ",")); err != nil {
		return fmt.Errorf("--nodes: %w", err)
	}
	return nil
}

// nodeURLs returns the RPC addresses.
func (c *nodeFlags) nodeURLs() []string {
	urls := make([]string, len(c.nodes))
	for i, node := range c.nodes {
		urls[i] = node.URL
	}
	return urls
}

// forwarding connects the API with the proxy to the nodes; nil if there are no nodes. It is built in two steps, because
// they depend on each other: the API reports the state of the nodes, and the proxy caches answers where the API does.
type forwarding struct {
	flags *nodeFlags
	proxy *proxy.Proxy
}

// forwarding returns the forwarding without its proxy yet, and adds to config what the API reports about nodes.
func (c *Command) forwarding(config *readapi.Config) *forwarding {
	if len(c.nodes) == 0 {
		return nil
	}
	f := &forwarding{flags: &c.nodeFlags}
	config.Nodes = f.status
	config.CallRead = f.callRead
	if c.FeeEstimates {
		config.BlockLimit = f.blockLimit
	}
	return f
}

// status returns the state of each node.
func (f *forwarding) status() []readapi.NodeStatus {
	statuses := f.proxy.Nodes()
	list := make([]readapi.NodeStatus, len(statuses))
	for i, status := range statuses {
		list[i] = readapi.NodeStatus(status)
	}
	return list
}

// blockLimit asks a node for the cost limit of the blocks of a tenure.
func (f *forwarding) blockLimit(ctx context.Context) (readapi.ExecutionCost, error) {
	limit, err := f.proxy.BlockLimit(ctx)
	return readapi.ExecutionCost(limit), err
}

// callRead calls a read-only function of a contract on a node. The value is zero if the call failed on the chain.
func (f *forwarding) callRead(ctx context.Context, contract clarity.Principal, function string, arguments ...clarity.Value) (clarity.Value, error) {
	value, err := f.proxy.CallRead(ctx, contract, function, arguments...)
	if errors.Is(err, proxy.ErrCall) {
		return clarity.Value{}, nil
	}
	return value, err
}

// before creates the proxy, which may hide the names of nodes from clients, and returns a handler that gives it requests
// under /v2 and /v3, and all others to the API.
func (f *forwarding) before(api *readapi.API, id uint32, hideNames bool, logger *slog.Logger, registry prometheus.Registerer) (http.Handler, error) {
	if f == nil {
		return api, nil
	}
	config := proxy.Config{
		Nodes: f.flags.nodes, ChainID: id, Logger: logger, Registry: registry, ConcurrencyPerNode: f.flags.NodeConcurrency,
		RateLimit: f.flags.NodeRateLimit, Multicast: f.flags.BroadcastToAll, AllowOperator: f.flags.AllowNodeOperator, Hedge: f.flags.HedgeNodeReads,
		Cache: api.NodeAnswers(), Tip: api.Tip, HideNames: hideNames,
	}
	if f.flags.FeeEstimates {
		config.FeeOverride = api.FeeOverride
	}
	var err error
	if f.proxy, err = proxy.New(config); err != nil {
		return nil, fmt.Errorf("--nodes: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forNodes(r.URL.Path) {
			f.proxy.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}), nil
}

// forNodes reports whether requests for a path are forwarded to nodes. The prices of names are the API's own: nodes of
// Stacks 2.0 and later have no such path.
func forNodes(path string) bool {
	return strings.HasPrefix(path, "/v2/") && !strings.HasPrefix(path, "/v2/prices/") || strings.HasPrefix(path, "/v3/")
}
