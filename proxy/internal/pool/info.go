package pool

import (
	"encoding/json"
	"fmt"

	"strata/domain/hash"
)

// nodeInfo has the fields of GET /v2/info that the pool uses.
type nodeInfo struct {
	NetworkID     uint32 `json:"network_id"`
	BurnHeight    int64  `json:"burn_block_height"`
	Height        int64  `json:"stacks_tip_height"`
	Tip           string `json:"stacks_tip"`
	TipConsensus  string `json:"stacks_tip_consensus_hash"`
	FullySynced   *bool  `json:"is_fully_synced"` // nil from older nodes
	ServerVersion string `json:"server_version"`

	id hash.Hash32 // index block hash of the tip; zero if the node reported none
}

// parseInfo parses the body of GET /v2/info. A body without a network or a height is an error, because another program
// than a node may listen on the port.
func parseInfo(body []byte) (*nodeInfo, error) {
	info := struct {
		nodeInfo
		NetworkID *uint32 `json:"network_id"`
		Height    *int64  `json:"stacks_tip_height"`
	}{}
	if err := json.Unmarshal(body, &info); err != nil {
		return nil, fmt.Errorf("parse node info: %w", err)
	}
	if info.NetworkID == nil || info.Height == nil || *info.Height < 0 {
		return nil, fmt.Errorf("parse node info of %d bytes: no network_id or no stacks_tip_height", len(body))
	}
	i := info.nodeInfo
	i.NetworkID, i.Height = *info.NetworkID, *info.Height
	tip, err := hash.Parse32(i.Tip)
	if err != nil {
		return &i, nil //nolint:nilerror // a node may have no block yet
	}
	consensus, err := hash.Parse20(i.TipConsensus)
	if err != nil {
		return &i, nil //nolint:nilerror // as above
	}
	i.id = hash.IndexBlockHash(tip, consensus)
	return &i, nil
}

// syncing reports whether the node itself reports that it is behind.
func (i *nodeInfo) syncing() bool { return i.FullySynced != nil && !*i.FullySynced }
