package main

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"strata/proxy"
	"strata/proxy/lean"
	"strata/readapi"
)

// chainIDs are what nodes of each network call themselves (network_id).
var chainIDs = map[string]uint32{"mainnet": 1, "testnet": 1 << 31}

// nodeFlags say how requests are forwarded to nodes.
type nodeFlags struct {
	Nodes             []string `env:"STRATA_NODES" placeholder:"URL,..." help:"RPC addresses of Stacks nodes, such as http://127.0.0.1:20443, or NAME=URL;weight=2. /v2 and /v3 are forwarded to them, and they are asked what tokens are called."`
	NodeConcurrency   int      `default:"128" env:"STRATA_NODE_CONCURRENCY" help:"Forwarded requests that a node has at a time; a quarter of them may be heavy."`
	NodeRateLimit     float64  `default:"0" env:"STRATA_NODE_RATE_LIMIT" help:"Forwarded requests a second that a client may make; 0: any number."`
	BroadcastToAll    bool     `env:"STRATA_BROADCAST_TO_ALL" help:"Send transactions to all nodes, and not just until the first has taken it."`
	AllowNodeOperator bool     `env:"STRATA_ALLOW_NODE_OPERATOR" help:"Forward endpoints that are for miners, signers and who runs the nodes."`
	FeeEstimates      bool     `env:"STRATA_FEE_ESTIMATES" help:"Replace the nodes' fee estimates with the least fee while the last tenures had room."`

	nodes []proxy.Node // what Nodes says, once parseNodes has read it
}

// parseNodes reads the flags. What is wrong with them is then said before anything is begun.
func (c *nodeFlags) parseNodes() (err error) {
	switch {
	case c.NodeConcurrency < 0:
		return fmt.Errorf("--node-concurrency: %d requests at a time (want 1 or more)", c.NodeConcurrency)
	case !(c.NodeRateLimit >= 0 && c.NodeRateLimit <= math.MaxInt32):
		return fmt.Errorf("--node-rate-limit: %v requests a second (want 0 or more)", c.NodeRateLimit)
	}
	if c.nodes, err = proxy.ParseNodes(strings.Join(c.Nodes, ",")); err != nil {
		return fmt.Errorf("--nodes: %w", err)
	}
	return nil
}

// forwarding is the way to the nodes; nil when there are none. It is made in two steps, as the API says how the nodes
// are, and the proxy keeps its answers where the API does.
type forwarding struct {
	flags *nodeFlags
	proxy *proxy.Proxy
}

// forwarding prepares to forward, and tells the API what it should know of the nodes.
func (c *nodeFlags) forwarding(config *readapi.Config) *forwarding {
	if len(c.nodes) == 0 {
		return nil
	}
	f := &forwarding{flags: c}
	config.Nodes = f.status
	if c.FeeEstimates {
		config.BlockLimit = f.blockLimit
	}
	return f
}

// status says how the nodes are.
func (f *forwarding) status() []readapi.NodeStatus {
	known := f.proxy.Nodes()
	list := make([]readapi.NodeStatus, len(known))
	for i, status := range known {
		list[i] = readapi.NodeStatus(status)
	}
	return list
}

// blockLimit asks a node what the blocks of a tenure may cost.
func (f *forwarding) blockLimit(ctx context.Context) (readapi.ExecutionCost, error) {
	limit, err := f.proxy.BlockLimit(ctx)
	return readapi.ExecutionCost(limit), err
}

// before puts the nodes before the API: what is under /v2 and /v3 is theirs.
func (f *forwarding) before(api *readapi.API, network string, logger *slog.Logger, registry prometheus.Registerer) (http.Handler, error) {
	if f == nil {
		return api, nil
	}
	config := proxy.Config{
		Nodes: f.flags.nodes, ChainID: chainIDs[network], Logger: logger, Registry: registry, ConcurrencyPerNode: f.flags.NodeConcurrency,
		RateLimit: proxy.RateLimit{PerSecond: f.flags.NodeRateLimit}, Multicast: f.flags.BroadcastToAll, AllowOperator: f.flags.AllowNodeOperator,
		Cache: api.NodeAnswers(), Tip: api.Tip,
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

// forNodes says whether a path is the nodes'.
func forNodes(path string) bool {
	return strings.HasPrefix(path, "/v2/") || strings.HasPrefix(path, "/v3/")
}

// server serves the API, and what is forwarded with as little work as may be: a node's answer is short, and there are many.
func (f *forwarding) server(handler http.Handler, logger *slog.Logger) servesHTTP {
	served := httpServer(handler, logger)
	if f == nil {
		return served
	}
	return &lean.Server{HTTP: served, Serves: forNodes}
}

// run keeps an eye on the nodes until ctx ends.
func (f *forwarding) run(ctx context.Context) {
	if f != nil {
		f.proxy.Run(ctx)
	}
}
