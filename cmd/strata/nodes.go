package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"strata/proxy"
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
}

// parsed are the nodes; none when there are none.
func (c *nodeFlags) parsed() ([]proxy.Node, error) {
	if len(c.Nodes) == 0 {
		return nil, nil
	}
	nodes, err := proxy.ParseNodes(strings.Join(c.Nodes, ","))
	if err != nil {
		return nil, fmt.Errorf("--nodes: %w", err)
	}
	return nodes, nil
}

// forwarding puts the nodes beside the API: what is under /v2 and /v3 is theirs. run keeps an eye on them.
func (c *nodeFlags) forwarding(api http.Handler, network string, logger *slog.Logger, registry prometheus.Registerer) (handler http.Handler, run func(context.Context), err error) {
	nodes, err := c.parsed()
	if err != nil || nodes == nil {
		return api, func(context.Context) {}, err
	}
	forward, err := proxy.New(proxy.Config{
		Nodes: nodes, ChainID: chainIDs[network], Logger: logger, Registry: registry, ConcurrencyPerNode: c.NodeConcurrency,
		RateLimit: proxy.RateLimit{PerSecond: c.NodeRateLimit}, Multicast: c.BroadcastToAll, AllowOperator: c.AllowNodeOperator,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("--nodes: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/v2/"), strings.HasPrefix(path, "/v3/"):
			forward.ServeHTTP(w, r)
		case path == "/proxy/v1/nodes" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			writeNodes(w, forward.Nodes())
		default:
			api.ServeHTTP(w, r)
		}
	}), forward.Run, nil
}

// writeNodes says how the nodes are.
func writeNodes(w http.ResponseWriter, nodes []proxy.NodeStatus) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	_ = json.NewEncoder(w).Encode(map[string]any{"nodes": nodes})
}
