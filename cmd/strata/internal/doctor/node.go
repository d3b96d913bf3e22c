package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"strata/cmd/strata/internal/program"
	"strata/proxy"
)

// Limits of how far the log may be behind a node before that is reported.
const (
	blocksBehind = 5
	silence      = 2 * time.Minute
)

// observerAdvice says how a node is told to post its events.
const observerAdvice = `Let the node's configuration have one entry for strata, and restart the node:
[[events_observer]]
endpoint = "HOST:3700"    # --observer-addr, without http://
events_keys = ["*", "stackerdb", "block_proposal"]`

// nodeInfo is what is needed of a node's /v2/info.
type nodeInfo struct {
	NetworkID     uint32 `json:"network_id"`
	Height        int64  `json:"stacks_tip_height"`
	BurnHeight    int64  `json:"burn_block_height"`
	ServerVersion string `json:"server_version"`
	FullySynced   *bool  `json:"is_fully_synced"` // nil with old nodes
}

func (x *examination) nodes(ctx context.Context) {
	nodes, err := proxy.ParseNodes(strings.Join(x.command.Nodes, ","))
	if err != nil {
		x.add(Failure, "nodes", "Set --nodes (STRATA_NODES) right.", "%s", program.OneLine(err))
		return
	}
	if len(nodes) == 0 {
		x.add(Note, "nodes", "Set --nodes (STRATA_NODES) to forward requests, and to fetch token metadata and the interfaces that nodes leave out of their events.", "none are named")
		if x.seen.withoutInterface {
			x.add(Warning, "interfaces", "Set --nodes (STRATA_NODES), so that they are read, or remove disable_contract_interface from the node's configuration.",
				"contracts came without their interfaces, and no node can be asked: abi is null, calls have no names of arguments, and their tokens are unknown")
		}
		if x.seen.calledWithoutInterface {
			x.add(Warning, "interfaces", "Set --nodes (STRATA_NODES), so that they are read.",
				"contracts are called that nothing in the log deploys, and no node can be asked for their interfaces: the calls have no names of arguments")
		}
	}
	for _, node := range nodes {
		x.node(ctx, node)
	}
}

func (x *examination) node(ctx context.Context, node proxy.Node) {
	subject := "node " + node.Name
	ctx, cancel := context.WithTimeout(ctx, x.command.Timeout)
	defer cancel()
	asked := time.Now()
	info, date, err := askNode(ctx, node.URL)
	if err != nil {
		x.add(Failure, subject, "Start the node, open its rpc_bind to this machine, or set --nodes right.", "%s", program.OneLine(err))
		return
	}
	x.add(OK, subject, "", "block %d, Bitcoin block %d, %s", info.Height, info.BurnHeight, info.ServerVersion)
	if !date.IsZero() {
		x.compareClocks(subject, date, asked, time.Second) // the header has whole seconds
	}
	if info.FullySynced != nil && !*info.FullySynced {
		x.add(Warning, subject, "Wait until it has.", "it has not caught up with the chain yet")
	}
	x.compareLog(subject, info)
}

// compareLog compares the log with what the node says of the chain.
func (x *examination) compareLog(subject string, info nodeInfo) {
	if !x.seen.hasLog {
		return
	}
	if id := x.seen.chainID; id != nil && *id != info.NetworkID {
		x.add(Failure, subject, "Name nodes of the log's network, or another database.", "its chain id is %#x, and that of the log %#x", info.NetworkID, *id)
		return
	}
	if x.seen.lastEvent == nil {
		x.add(Failure, subject, observerAdvice, "the log has no event, although the node has %d blocks", info.Height)
		return
	}
	reached := int64(0)
	if x.seen.height != nil {
		reached = *x.seen.height
	}
	behind := info.Height - reached
	switch {
	case behind <= blocksBehind:
		x.add(OK, subject, "", "the log is %s", blocksBehindText(behind))
	case x.seen.anotherChain:
		x.add(Failure, subject, "See another chain.", "the log is %d blocks behind, and waiting does not help", behind)
	case x.seen.gap:
		x.add(Failure, subject, "See missing blocks.", "the log is %d blocks behind, and waiting does not help", behind)
	case time.Since(*x.seen.lastEvent) > silence:
		x.add(Failure, subject, "If this node is to post its events: is strata serve running, and reachable from it?\n"+observerAdvice,
			"the log is %d blocks behind, and no event has arrived for %s", behind, age(*x.seen.lastEvent))
	default:
		x.add(Warning, subject, "Wait; if the distance grows, look at strata projections status.", "the log is %d blocks behind, and events arrive", behind)
	}
}

func blocksBehindText(n int64) string {
	switch {
	case n == 0:
		return "at the same block"
	case n < 0:
		return fmt.Sprintf("%d blocks ahead", -n)
	}
	return fmt.Sprintf("%d blocks behind", n)
}

// askNode returns what a node says of itself, and when; the time is zero if it does not say.
func askNode(ctx context.Context, url string) (info nodeInfo, date time.Time, err error) {
	url += "/v2/info"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return info, date, fmt.Errorf("ask %s: %w", url, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return info, date, fmt.Errorf("ask %s: %w", url, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return info, date, fmt.Errorf("%s answers %s", url, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&info); err != nil {
		return info, date, fmt.Errorf("%s does not answer as a Stacks node: %w", url, err)
	}
	date, _ = http.ParseTime(response.Header.Get("Date"))
	return info, date, nil
}
