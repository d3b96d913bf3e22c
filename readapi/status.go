package readapi

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
)

type statusBody struct {
	ServerVersion string        `json:"server_version"`
	Status        string        `json:"status" enum:"ready"`
	ChainTip      *chainTip     `json:"chain_tip,omitempty" doc:"Absent before the first block."`
	Strata        archiveStatus `json:"strata"`
}

type chainTip struct {
	BlockHeight        int64        `json:"block_height"`
	BlockHash          hash.Hash32  `json:"block_hash"`
	IndexBlockHash     hash.Hash32  `json:"index_block_hash"`
	MicroblockHash     *hash.Hash32 `json:"microblock_hash,omitempty" doc:"The last microblock that was streamed on top of the tip (Stacks 2.0 to 2.4)."`
	MicroblockSequence *int32       `json:"microblock_sequence,omitempty"`
	BurnBlockHeight    int64        `json:"burn_block_height"`
}

type archiveStatus struct {
	Network     string             `json:"network"`
	LogSize     int64              `json:"log_size" doc:"Events in the log."`
	Root        *archiveRoot       `json:"root,omitempty" doc:"The lowest block; absent before the first block."`
	Projections []ProjectionStatus `json:"projections" nullable:"false"`
}

type archiveRoot struct {
	Height         int64       `json:"height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
	IsGenesis      bool        `json:"is_genesis" doc:"False for an archive that begins above genesis: what happened before is missing from its balances."`
}

// ProjectionStatus is how far an active read table is.
type ProjectionStatus struct {
	Name     string `json:"name"`
	Version  int    `json:"version"`
	State    string `json:"state" enum:"building,live,failed"`
	Position int64  `json:"position" doc:"Items of its input that it reflects."`
	Lag      int64  `json:"lag" doc:"Items of its input that it does not reflect yet."`
}

func (a *API) registerStatus() {
	r := resource{
		id: "get-status", path: "/extended", tag: "Status", summary: "Status of the server and its archive",
		about: "The chain's tip, where the archive begins, and how far each projection has come.",
	}
	get(a, r, a.status)
	// The reference redirects this path to /extended. Scripts that ask here seldom follow redirects, and what they want
	// is the body, so it is here, too.
	r.id, r.path, r.summary = "get-status-v1", "/extended/v1/status", "Status of the server and its archive, at its older path"
	get(a, r, a.status)
}

func (a *API) status(ctx context.Context, s *snapshot, _ *struct{}) (*statusBody, error) {
	body := &statusBody{ServerVersion: "strata " + a.config.Version.String(), Status: "ready"}
	b := s.batch()
	size, heads := s.queueHeads(b)
	chain, ok := s.tip("chain")
	var roots *result[archiveRoot]
	var microblocks *result[streamed]
	if ok {
		roots = query(b, func(r *archiveRoot) []any { return []any{&r.Height, &r.IndexBlockHash, &r.IsGenesis} }, `
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
		microblocks = query(b, streamedColumns, `
			SELECT ARRAY[m.source_seq], m.microblock_hash, m.sequence
			FROM {chain}.block b JOIN {chain}.microblock m ON m.parent_index_block_hash = b.index_block_hash
			WHERE b.index_block_hash = $1 AND NOT b.nakamoto
			ORDER BY m.sequence DESC LIMIT 1`, chain.indexBlockHash)
	}
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	body.Strata.Network = a.config.Network
	body.Strata.LogSize, _ = size.first()
	body.Strata.Projections = s.projectionStatuses(size, heads)
	if ok {
		body.ChainTip = &chainTip{
			BlockHeight: *chain.height, BlockHash: *chain.blockHash, IndexBlockHash: *chain.indexBlockHash, BurnBlockHeight: *chain.burnBlockHeight,
		}
		if m, ok := microblocks.first(); ok {
			body.ChainTip.MicroblockHash, body.ChainTip.MicroblockSequence = &m.hash, &m.sequence
		}
		if root, ok := roots.first(); ok {
			body.Strata.Root = &root
		}
	}
	return body, nil
}

type streamed struct {
	hash     hash.Hash32
	sequence int32
}

func streamedColumns(m *streamed) []any { return []any{&m.hash, &m.sequence} }

// queueHeads adds queries for the ends of the inputs of all active projections: the log, and lists of steps by schema.
func (s *snapshot) queueHeads(b *batch) (size *result[int64], heads map[string]*result[int64]) {
	one := func(n *int64) []any { return []any{n} }
	size = query(b, one, `SELECT ARRAY[]::bigint[], size FROM log.head`)
	heads = map[string]*result[int64]{"log": size}
	for _, p := range s.active {
		if heads[p.input] == nil {
			heads[p.input] = query(b, one, `SELECT ARRAY[]::bigint[], coalesce(max(step), 0) FROM `+pgx.Identifier{p.input, "step"}.Sanitize())
		}
	}
	return size, heads
}

func (s *snapshot) projectionStatuses(size *result[int64], heads map[string]*result[int64]) []ProjectionStatus {
	n, _ := size.first()
	s.provenance.readLog(n)
	statuses := make([]ProjectionStatus, 0, len(s.active))
	for _, p := range s.active {
		head, _ := heads[p.input].first()
		statuses = append(statuses, ProjectionStatus{Name: p.name, Version: p.version, State: p.state, Position: p.position, Lag: max(head-p.position, 0)})
	}
	slices.SortFunc(statuses, func(x, y ProjectionStatus) int { return cmp.Compare(x.Name, y.Name) })
	return statuses
}
