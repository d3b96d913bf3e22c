package node

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// NodeStatus is the status of a node to which requests are forwarded.
type NodeStatus struct {
	Name, URL, State string
	Since            time.Time // when it entered this state
	Height           int64     // -1: not known
	BurnHeight       int64     // -1: not known
	Lag              int64     // blocks that it is behind the pool
	InFlight, Queued int64     // requests
	ServerVersion    string
	Error            string // why the last health check failed
}

// nodeView is what an answer says about a node. What a stranger should not know is absent from answers to strangers.
type nodeView struct {
	Name          string    `json:"name" doc:"Its number, in the order of the configuration, from 1. Operators see the name that they gave it; host and port by default."`
	URL           string    `json:"url,omitempty" doc:"Only operators see it."`
	State         string    `json:"state" enum:"unasked,serving,lagging,syncing,ahead,ejected,down,foreign" doc:"serving: it gets requests. lagging, syncing: it is behind, and gets requests only when no other node is left. ahead: far ahead of all others, perhaps on a fork. ejected: it failed too often, and is tried again after a while. down: it does not answer health checks. foreign: it is on another network. unasked: not checked yet."`
	Since         time.Time `json:"since" doc:"When it entered this state."`
	Height        int64     `json:"stacks_tip_height" doc:"-1: not known."`
	BurnHeight    int64     `json:"burn_block_height" doc:"-1: not known."`
	Lag           int64     `json:"lag" doc:"Number of blocks that it is behind the pool."`
	InFlight      *int64    `json:"in_flight,omitempty" doc:"Number of requests that it is processing. Only operators see it."`
	Queued        *int64    `json:"queued,omitempty" doc:"Number of requests that wait for it. Only operators see it."`
	ServerVersion string    `json:"server_version,omitempty" doc:"Only operators see it."`
	Error         string    `json:"error,omitempty" doc:"Why the last health check failed. Only operators see it."`
}

type nodePool struct {
	Nodes []nodeView `json:"nodes" nullable:"false" doc:"In the order of the configuration."`
}

// describe returns what an answer says about the nodes, with internals or without.
func describe(nodes []NodeStatus, internals bool) nodePool {
	pool := nodePool{Nodes: make([]nodeView, len(nodes))}
	for i, n := range nodes {
		v := nodeView{Name: strconv.Itoa(i + 1), State: n.State, Since: n.Since, Height: n.Height, BurnHeight: n.BurnHeight, Lag: n.Lag}
		if internals {
			v.Name, v.URL, v.InFlight, v.Queued, v.ServerVersion, v.Error = n.Name, n.URL, &n.InFlight, &n.Queued, n.ServerVersion, n.Error
		}
		pool.Nodes[i] = v
	}
	return pool
}

// nodeFailure is the body that replaces a node's answer when there is none.
type nodeFailure struct {
	Error string       `json:"error" doc:"Why there is no answer from a node."`
	Nodes []failedNode `json:"nodes,omitempty" nullable:"false" doc:"States of the nodes, when none can be reached."`
}

type failedNode struct {
	Name  string    `json:"name" doc:"Its number, in the order of the configuration, from 1; with --public-internals its name."`
	State string    `json:"state"`
	Since time.Time `json:"since"`
}

var noNodes = nodeFailure{Error: "no nodes are configured: this needs Stacks nodes to forward to, which the operator of this server names with --nodes"}

func noNodesAnswer() *answer.Answer {
	return engine.ErrorAnswer(noNodes, answer.Config{Status: http.StatusServiceUnavailable})
}

// untracedNode is the reason why the answers of nodes, and those about them, can't be traced to rows.
const untracedNode = "it is what a node says, and not what the tables do"

// registerNodes adds the status of the nodes, and the answer to node requests when no nodes are configured. With nodes,
// the server that embeds the API forwards those requests before they reach the engine.
func (a *api) registerNodes() {
	r := engine.Operation{
		ID: "get-nodes", Path: "/proxy/v1/nodes", Tag: "Nodes", Summary: "Status of the nodes",
		Description: "The pool of nodes behind `/v2` and `/v3`, as it is now.", Class: answer.NoStore, Untraced: untracedNode,
	}
	engine.Serve(a.Engine, a.Endpoint(r), func(ctx context.Context, _ *struct{}) engine.Delivery {
		if a.nodes.Status == nil {
			return engine.Delivery{Answer: noNodesAnswer()}
		}
		body, err := engine.NewAnswer(describe(a.nodes.Status(), a.ShowsInternals(ctx)), answer.Config{})
		if err != nil {
			return engine.Delivery{Answer: a.FailureAnswer(ctx, err, answer.Config{})}
		}
		return engine.Delivery{Answer: body}
	}, reflect.TypeFor[nodePool]())
	responses := a.OpenAPI().Paths[r.Path].Get.Responses
	responses["503"].Description = "No nodes are configured."
	responses["503"].Content["application/json"].Schema = a.SchemaOf(reflect.TypeFor[nodeFailure]())

	a.Untraceable(untracedNode, "node")
	for _, prefix := range []string{"/v2", "/v3"} {
		a.Plain(prefix+"/", "node", func(w http.ResponseWriter, r *http.Request) { noNodesAnswer().Serve(w, r, answer.Moment{}) })
		a.Plain(prefix, "unknown", engine.RouteNotFound) // otherwise the mux redirects to the path with the slash
	}
	a.Plain("/v2/prices/", "unknown", engine.RouteNotFound) // the tables answer these paths: no node is asked, by whatever method
	a.documentNodes()
}
