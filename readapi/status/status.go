package status

import (
	"context"

	"strata/domain/hash"
	"strata/internal/wholeness"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

type statusBody struct {
	ServerVersion string        `json:"server_version"`
	Status        string        `json:"status" enum:"ready,not ready" doc:"ready while what is shown is whole up to the tip; otherwise strata.problems says what is missing. /readyz also looks at the lag."`
	ChainTip      *chainTip     `json:"chain_tip,omitempty" doc:"The block that all projections of the chain have reached, except those that have failed. Absent before the first block."`
	Strata        archiveStatus `json:"strata"`
}

type chainTip struct {
	BlockHeight        int64        `json:"block_height"`
	BlockHash          hash.Hash32  `json:"block_hash"`
	IndexBlockHash     hash.Hash32  `json:"index_block_hash"`
	MicroblockHash     *hash.Hash32 `json:"microblock_hash,omitempty" doc:"Last microblock that was streamed on top of the tip (Stacks 2.0 to 2.4)."`
	MicroblockSequence *int32       `json:"microblock_sequence,omitempty"`
	BurnBlockHeight    int64        `json:"burn_block_height" doc:"Height of the newest Bitcoin block that a node announced, with or without Stacks blocks."`
}

type archiveStatus struct {
	Network     string             `json:"network"`
	LogSize     int64              `json:"log_size" doc:"Number of events in the log."`
	Chain       *chainHead         `json:"chain,omitempty" doc:"The newest block of the projection chain. It is ahead of chain_tip while other projections have not reached it. Absent before the first block."`
	Root        *archiveRoot       `json:"root,omitempty" doc:"The lowest block; absent before the first block."`
	Projections []ProjectionStatus `json:"projections" nullable:"false"`
	// Problems are as those of readiness.
	Problems []wholeness.Problem `json:"problems,omitempty" nullable:"false" doc:"What is missing or foreign in the log, and what mends it."`
	Node     *comparison         `json:"node,omitempty" doc:"What the comparison of accounts with a node has found; absent before the first one, and under /extended."`
}

type chainHead struct {
	Height         int64       `json:"height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
}

type archiveRoot struct {
	Height         int64       `json:"height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
	IsGenesis      bool        `json:"is_genesis" doc:"False for an archive that begins above genesis: its balances lack everything that happened before."`
}

// ProjectionStatus is the progress of the active version of a projection.
type ProjectionStatus struct {
	Name     string `json:"name"`
	Version  int    `json:"version"`
	State    string `json:"state" enum:"building,live,failed"`
	Position int64  `json:"position" doc:"Number of items of its input that it reflects."`
	Lag      int64  `json:"lag" doc:"Number of items of its input that it does not reflect yet."`
}

func (a *api) registerStatus() {
	r := engine.Operation{
		ID: "get-status", Path: "/extended", Tag: "Status", Summary: "Status of the server and its archive",
		Description:  "The tip of the chain, the lowest block of the archive, and the progress of each projection.",
		Dependencies: engine.Dependencies{Register: true}, Untraced: engine.WhereProjectionsStand,
	}
	engine.Get(a.Engine, r, func(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*statusBody, error) {
		return a.status(ctx, s, false)
	})
	// The reference redirects this path to /extended. Scripts that use this path seldom follow redirects, so the server
	// answers here, too. Nobody keeps the answer: no key of a cache knows what differs from a node, and what was accepted.
	r.ID, r.Path, r.Class, r.Summary = "get-status-v1", "/extended/v1/status", answer.NoStore, "Status of the server and its archive, and what differs from a node"
	r.Description = "The tip of the chain, the lowest block of the archive, the progress of each projection, and what the comparison of accounts with a node has found."
	engine.Get(a.Engine, r, func(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*statusBody, error) {
		return a.status(ctx, s, true)
	})
}

// status returns the status of the server, with what differs from a node if that is wanted.
func (a *api) status(ctx context.Context, s *engine.Snapshot, compared bool) (*statusBody, error) {
	body := &statusBody{ServerVersion: "strata " + a.Config.Version.String(), Status: "ready"}
	b := s.Batch()
	heads, history := engine.QueueHeads(b), queueHistory(b)
	var known *engine.Result[comparison]
	if compared {
		known = queueComparison(b)
	}
	chain, ok := s.Tip("chain")
	// What follows chain may be behind it, and the answer shows no block that another one does not.
	reached := s.State.LeastAdvanced()
	var roots *engine.Result[archiveRoot]
	var microblocks *engine.Result[streamedMicroblock]
	var burnHeights *engine.Result[int64]
	if ok {
		burnHeights = engine.Query(b, func(n *int64) []any { return []any{n} }, `
			SELECT ARRAY[source_seq], height FROM {chain}.burn_block WHERE canonical AND source_seq <= $1 ORDER BY height DESC LIMIT 1`, reached.LogSeq)
		roots = engine.Query(b, func(r *archiveRoot) []any { return []any{&r.Height, &r.IndexBlockHash, &r.IsGenesis} }, `
			SELECT ARRAY[b.source_seq, c.source_seq], c.height, b.index_block_hash,
			       c.height = 0
			       -- Nodes before release 2.1 had no block 0, and appended its transactions to block 1, after the coinbase.
			       OR c.height = 1 AND (
			           SELECT bool_or(t.tx_index > 0) AND min(t.tx_index) > 0
			           FROM {chain}.transaction t
			           WHERE t.source_seq = b.source_seq AND t.sender IN ('SP000000000000000000002Q6VF78', 'ST000000000000000000002AMW42H')
			       ) IS TRUE
			FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq
			ORDER BY c.height LIMIT 1`)
		microblocks = engine.Query(b, microblockColumns, `
			SELECT ARRAY[m.source_seq], m.microblock_hash, m.sequence
			FROM {chain}.block b JOIN {chain}.microblock m ON m.parent_index_block_hash = b.index_block_hash
			WHERE b.index_block_hash = $1 AND NOT b.nakamoto
			ORDER BY m.sequence DESC LIMIT 1`, reached.IndexBlock)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	facts := history()
	body.Strata.Problems = facts.Problems()
	if facts.Tip == nil || facts.Gaps > 0 || stopped(s) {
		body.Status = "not ready"
	}
	body.Strata.Network = a.Config.Network
	body.Strata.LogSize = s.State.LogSize
	body.Strata.Projections = projectionStatuses(s, heads)
	if known != nil {
		body.Strata.Node = a.comparisonOf(known)
	}
	if ok {
		body.Strata.Chain = &chainHead{*chain.Height, *chain.IndexBlock}
		if root, ok := roots.First(); ok {
			body.Strata.Root = &root
		}
	}
	if ok && reached.Height != nil {
		body.ChainTip = &chainTip{
			BlockHeight: *reached.Height, BlockHash: *reached.Block, IndexBlockHash: *reached.IndexBlock, BurnBlockHeight: *reached.BurnHeight,
		}
		if announced, ok := burnHeights.First(); ok {
			body.ChainTip.BurnBlockHeight = max(body.ChainTip.BurnBlockHeight, announced)
		}
		if m, ok := microblocks.First(); ok {
			body.ChainTip.MicroblockHash, body.ChainTip.MicroblockSequence = &m.hash, &m.sequence
		}
	}
	return body, nil
}

// stopped reports whether a projection that the answers of this family need has failed.
func stopped(s *engine.Snapshot) bool {
	for _, v := range s.State.Versions {
		if v.Active && v.State == "failed" && requires("extended", v.Name) {
			return true
		}
	}
	return false
}

// streamedMicroblock is the last microblock on top of the tip.
type streamedMicroblock struct {
	hash     hash.Hash32
	sequence int32
}

func microblockColumns(m *streamedMicroblock) []any { return []any{&m.hash, &m.sequence} }

// projectionStatuses returns the progress of the active versions, sorted by name. heads has the lengths of the inputs
// other than the log.
func projectionStatuses(s *engine.Snapshot, heads map[string]*engine.Result[int64]) []ProjectionStatus {
	statuses := []ProjectionStatus{}
	for _, v := range s.State.Versions {
		if !v.Active {
			continue
		}
		head := s.State.LogSize
		if steps := heads[v.Input]; steps != nil {
			head, _ = steps.First()
		}
		statuses = append(statuses, ProjectionStatus{Name: v.Name, Version: v.Number, State: v.State, Position: v.Position, Lag: max(head-v.Position, 0)})
	}
	return statuses
}
