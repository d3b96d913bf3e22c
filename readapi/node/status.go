package node

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// NodeStatus is how a node is to which requests are forwarded.
type NodeStatus struct {
	Name          string    `json:"name" doc:"As the operator calls it; its host and port by default."`
	URL           string    `json:"url"`
	State         string    `json:"state" enum:"unasked,serving,lagging,syncing,ahead,ejected,down,foreign" doc:"serving: it gets requests. lagging, syncing: it is behind, and gets them when no other is left. ahead: far ahead of all others, perhaps on a fork. ejected: it failed too often, and is tried again after a while. down: it does not say how it is. foreign: it is of another network. unasked: it was not asked yet."`
	Since         time.Time `json:"since" doc:"When it came to be in this state."`
	Height        int64     `json:"stacks_tip_height" doc:"-1: not known."`
	BurnHeight    int64     `json:"burn_block_height" doc:"-1: not known."`
	Lag           int64     `json:"lag" doc:"Blocks that it is behind the pool."`
	InFlight      int64     `json:"in_flight" doc:"Requests that it has."`
	Queued        int64     `json:"queued" doc:"Requests that wait for it."`
	ServerVersion string    `json:"server_version,omitempty"`
	Error         string    `json:"error,omitempty" doc:"Why it does not answer when it is asked how it is."`
}

type nodePool struct {
	Nodes []NodeStatus `json:"nodes" nullable:"false" doc:"In the order of the configuration."`
}

// nodeFailure is an answer in the place of a node's.
type nodeFailure struct {
	Error string       `json:"error" doc:"Why there is no answer of a node."`
	Nodes []failedNode `json:"nodes,omitempty" nullable:"false" doc:"How the nodes are, when none can be reached."`
}

type failedNode struct {
	Name  string    `json:"name"`
	State string    `json:"state"`
	Since time.Time `json:"since"`
}

var noNodes = nodeFailure{Error: "no nodes are configured: this needs Stacks nodes to forward to, which the operator of this server names with --nodes"}

func noNodesAnswer() *answer.Answer {
	return engine.ErrorAnswer(noNodes, answer.Config{Status: http.StatusServiceUnavailable})
}

// registerNodes adds what there is to say of nodes. Requests for them don't come here when there are any: whoever serves
// the API forwards them first.
func (a *api) registerNodes() {
	r := engine.Operation{
		ID: "get-nodes", Path: "/proxy/v1/nodes", Tag: "Nodes", Summary: "How the nodes are",
		Description: "The pool of nodes behind `/v2` and `/v3`, as it is now.",
	}
	engine.Serve(a.Engine, a.Endpoint(r), func(ctx context.Context, _ *struct{}) engine.Delivery {
		if a.nodes.Status == nil {
			return engine.Delivery{Answer: noNodesAnswer()}
		}
		made, err := engine.NewAnswer(nodePool{append([]NodeStatus{}, a.nodes.Status()...)}, answer.Config{})
		if err != nil {
			return engine.Delivery{Answer: a.FailureAnswer(ctx, err, answer.Config{})}
		}
		return engine.Delivery{Answer: made}
	}, reflect.TypeFor[nodePool]())
	responses := a.OpenAPI().Paths[r.Path].Get.Responses
	responses["503"].Description = "No nodes are configured."
	responses["503"].Content["application/json"].Schema = a.SchemaOf(reflect.TypeFor[nodeFailure]())

	for _, prefix := range []string{"/v2", "/v3"} {
		a.Plain(prefix+"/", "node", func(w http.ResponseWriter, r *http.Request) { noNodesAnswer().Serve(w, r, answer.Moment{}) })
		a.Plain(prefix, "unknown", engine.RouteNotFound) // else the mux redirects to the above
	}
	a.documentNodes()
}
