package rosetta

import (
	"context"
	"encoding/json"
	"reflect"

	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

func (c *call) networkList() endpoint {
	return endpoint{
		path: "/network/list", id: "rosettaNetworkList", summary: "The network of this server", offline: true, anyBody: true,
		request: reflect.TypeFor[wire.ListRequest](), answer: reflect.TypeFor[wire.NetworkList](),
		answers: func(context.Context, []byte) (any, error) {
			return &wire.NetworkList{NetworkIdentifiers: []wire.NetworkIdentifier{{Blockchain: wire.Blockchain, Network: c.config.Network}}}, nil
		},
	}
}

// nodeVersion is what stands for the version of the nodes: there may be several, or none.
const nodeVersion = "stacks-node"

func (c *call) options(context.Context, *wire.NetworkRequest) (*wire.NetworkOptions, error) {
	allow := wire.Allow{
		OperationStatuses: c.Statuses(), OperationTypes: c.Types(), Errors: c.Failures(), HistoricalBalanceLookup: true,
		CallMethods: callMethods, BalanceExemptions: []map[string]any{},
	}
	return &wire.NetworkOptions{Version: wire.Version{Rosetta: c.RosettaVersion(), Node: nodeVersion, Middleware: c.config.Version}, Allow: allow}, nil
}

func (c *call) status(ctx context.Context, _ *wire.NetworkRequest) (answer *wire.NetworkStatus, err error) {
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		frame, id, err := ledger.ReadFrame(ctx, s, ledger.Ref{})
		if err != nil {
			return err
		}
		block, err := ledger.ReadBlockInfo(ctx, s, &frame, id)
		if err != nil {
			return err
		}
		answer = &wire.NetworkStatus{
			CurrentBlockIdentifier: c.BlockIdentifier(id), CurrentBlockTimestamp: block.Time, GenesisBlockIdentifier: c.BlockIdentifier(frame.Genesis),
			CurrentBurnBlockHeight: block.BurnHeight, SyncStatus: &wire.SyncStatus{CurrentIndex: id.Index, TargetIndex: id.Index, Synced: true}, Peers: []wire.Peer{},
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.config.NodeRPC != nil {
		var info struct {
			Height int64 `json:"stacks_tip_height"`
		}
		if c.nodeJSON(ctx, "/v2/info", &info) == nil && info.Height > 0 {
			answer.SyncStatus.TargetIndex = info.Height
			answer.SyncStatus.Synced = info.Height == answer.CurrentBlockIdentifier.Index
		}
		answer.Peers = c.peers(ctx)
	}
	return answer, nil
}

// neighbour is a node that another node is connected to.
type neighbour struct {
	PeerVersion   json.Number `json:"peer_version"`
	IP            string      `json:"ip"`
	Port          json.Number `json:"port"`
	PublicKeyHash string      `json:"public_key_hash"`
}

// peers returns the neighbours of a node, each once; none if no node tells.
func (c *call) peers(ctx context.Context) []wire.Peer {
	var neighbours struct {
		Inbound  []neighbour `json:"inbound"`
		Outbound []neighbour `json:"outbound"`
	}
	peers := []wire.Peer{}
	if c.nodeJSON(ctx, "/v2/neighbors", &neighbours) != nil {
		return peers
	}
	at := map[string]int{}
	for i, list := range [][]neighbour{neighbours.Inbound, neighbours.Outbound} {
		direction := [...]string{"inbound", "outbound"}[i]
		for _, n := range list {
			if k, ok := at[n.PublicKeyHash]; ok {
				if !c.Legacy {
					kinds, _ := peers[k].Metadata["type"].([]string)
					peers[k].Metadata["type"] = append(kinds, direction)
				}
				continue
			}
			peer := wire.Peer{PeerID: n.PublicKeyHash}
			if !c.Legacy {
				peer.Metadata = map[string]any{"ip": n.IP, "port": n.Port, "peer_version": n.PeerVersion, "type": []string{direction}}
			}
			at[n.PublicKeyHash] = len(peers)
			peers = append(peers, peer)
		}
	}
	return peers
}
