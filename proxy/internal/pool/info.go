package pool

import (
	"encoding/json"
	"fmt"

	"strata/domain/hash"
)

// info is what a node says of itself (GET /v2/info), as far as the pool wants to know.
type info struct {
	NetworkID     uint32 `json:"network_id"`
	BurnHeight    int64  `json:"burn_block_height"`
	Height        int64  `json:"stacks_tip_height"`
	Tip           string `json:"stacks_tip"`
	TipConsensus  string `json:"stacks_tip_consensus_hash"`
	FullySynced   *bool  `json:"is_fully_synced"` // older nodes don't say
	ServerVersion string `json:"server_version"`

	id hash.Hash32 // index block hash of the tip; zero if the node named none
}

// parseInfo reads the body of /v2/info. A body without a network or a height is an error: anything may answer on a port.
func parseInfo(body []byte) (*info, error) {
	said := struct {
		info
		NetworkID *uint32 `json:"network_id"`
		Height    *int64  `json:"stacks_tip_height"`
	}{}
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, fmt.Errorf("parse node info: %w", err)
	}
	if said.NetworkID == nil || said.Height == nil || *said.Height < 0 {
		return nil, fmt.Errorf("parse node info of %d bytes: no network_id or no stacks_tip_height", len(body))
	}
	i := said.info
	i.NetworkID, i.Height = *said.NetworkID, *said.Height
	tip, err := hash.Parse32(i.Tip)
	if err != nil {
		return &i, nil //nolint:nilerror // a node without a block yet is still a node
	}
	consensus, err := hash.Parse20(i.TipConsensus)
	if err != nil {
		return &i, nil //nolint:nilerror // as above
	}
	i.id = hash.IndexBlockHash(tip, consensus)
	return &i, nil
}

// syncing says whether the node itself says that it is behind.
func (i *info) syncing() bool { return i.FullySynced != nil && !*i.FullySynced }
