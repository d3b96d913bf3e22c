package chain

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/projections"
	"strata/projections/internal/undeployed"
)

// batch is one call of Fold: the events of one database transaction, and the rows that follow from them.
type batch struct {
	chain *Chain
	tx    pgx.Tx
	state *state
	rows  rows
	// written are the steps that are in the table already.
	written []projections.Step
	// touched are the shards of blocks that became or ceased to be canonical; nil in a batch of several events.
	touched *projections.Touched
	// reverted, repeated, narrow and foreign are counts for the metrics.
	reverted, repeated, narrow, foreign int
	unknown                             map[string]int64 // events with an unknown field, by its path
	// burnChangedFrom is the lowest Bitcoin block that was orphaned or brought back since the tip was last chosen.
	burnChangedFrom int64
	// burnMoved are Bitcoin blocks that were followed or left and may still need a step; burnCause is the event that
	// moved them.
	burnMoved []*burnBlock
	burnCause int64
	// spent counts the blocks that were attached, reverted, applied or searched for the event that is being folded, and
	// content is that of the event.
	spent   int
	content *projections.Block
	page    int // ancestors to read at once
}

func (b *batch) sql(query string) string { return b.chain.spec.SQL(query) }

// readState reads the state from the tables.
func (b *batch) readState(ctx context.Context) (*state, error) {
	s := &state{
		fresh: true, nodes: newNodes(), burn: newBurnBlocks(),
		gaps: map[hash.Hash32]bool{}, aboveGap: map[hash.Hash32]bool{}, unknown: map[string]bool{},
		contracts: undeployed.New(b.chain.spec),
	}
	b.state = s
	var name *string
	var chainID *int64
	queries := &pgx.Batch{}
	each := func(query string, scans []any, f func() error) {
		queries.Queue(b.sql(query)).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, scans, f)
			return err
		})
	}
	each(`
		SELECT coalesce((SELECT max(step) FROM {schema}.step), 0),
		       coalesce((SELECT height FROM {schema}.burn_block WHERE canonical ORDER BY height DESC LIMIT 1), -1),
		       coalesce((SELECT height FROM {schema}.block ORDER BY height DESC LIMIT 1), -1),
		       coalesce((SELECT height FROM {schema}.burn_block ORDER BY height DESC LIMIT 1), -1),
		       EXISTS (SELECT FROM {schema}.foreign_network),
		       (SELECT name FROM log.network), (SELECT chain_id FROM log.network), (SELECT after_seq FROM log.partial_history),
		       `+undeployed.UnprovenSQL,
		[]any{&s.lastStep, &s.burnTop, &s.highest, &s.burnHighest, &s.foreign, &name, &chainID, &s.partial, s.contracts.Unproven()}, func() error {
			s.network = networkOf(name, chainID)
			return nil
		})
	var id hash.Hash32
	each(`SELECT parent_index_block_hash FROM {schema}.gap`, []any{&id}, func() error {
		s.gaps[id] = true
		return nil
	})
	var path string
	each(`SELECT path FROM {schema}.unknown_field`, []any{&path}, func() error {
		s.unknown[path] = true
		return nil
	})
	var row unfinishedRow
	each(`SELECT source_seq, kind, stage, index_block_hash FROM {schema}.unfinished ORDER BY kind, number`,
		[]any{&row.cause, &row.kind, &row.stage, &row.id}, func() error {
			s.task = row.addTo(s.task)
			return nil
		})
	b.queueNodes(queries, `b.source_seq IN (SELECT block_seq FROM {schema}.canonical
		WHERE height IN ((SELECT min(height) FROM {schema}.canonical), (SELECT max(height) FROM {schema}.canonical)))`)
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return nil, fmt.Errorf("read the state of the chain: %w", err)
	}
	for _, n := range s.nodes.byID {
		if s.tip == nil || n.height > s.tip.height {
			s.tip = n
		}
		if s.root == nil || n.height < s.root.height {
			s.root = n
		}
	}
	return s, nil
}

// prefetch loads the blocks that the events of the batch refer to: one query of each kind, instead of several per
// block.
//
// A block above all that are known can't be one of these, as its hash commits to its height (that of a Bitcoin block by BIP 34).
// So it is not looked up, and at the tip nothing is. Should an announcement give a known block another height all the same, its
// row is refused by a unique key, and the event is folded again with a fresh state, for which everything is looked up.
func (b *batch) prefetch(ctx context.Context, items []projections.LogItem) error {
	var (
		ids         [][]byte
		asked       = map[hash.Hash32]bool{}
		burnHashes  []hash.Hash32
		burnSources []hash.Hash20
	)
	want := func(id hash.Hash32) {
		if !asked[id] && b.state.nodes.byID[id] == nil {
			asked[id] = true
			ids = append(ids, id[:])
		}
	}
	wanted := map[string]bool{}
	isNew := func(height uint64, highest int64) bool {
		return !b.state.fresh && highest >= 0 && height > uint64(highest)
	}
	var contracts []string
	for _, item := range items {
		for _, id := range b.state.contracts.Unknown(undeployed.Of(&item)) {
			if !wanted[id] {
				wanted[id] = true
				contracts = append(contracts, id)
			}
		}
		switch payload := item.Payload.(type) {
		case *nodeevent.Block:
			if isNew(payload.Height, b.state.highest) {
				asked[payload.IndexBlockHash] = true
			}
			want(payload.IndexBlockHash)
			want(payload.ParentIndexBlockHash)
			burnHashes = append(burnHashes, payload.BurnBlockHash)
			if payload.ConsensusHash != nil {
				burnSources = append(burnSources, *payload.ConsensusHash)
			}
		case *nodeevent.BurnBlock:
			if isNew(payload.Height, b.state.burnHighest) {
				b.state.burn.queriedHashes[payload.Hash] = true
			}
			burnHashes = append(burnHashes, payload.Hash)
			if payload.ParentHash != nil {
				burnHashes = append(burnHashes, *payload.ParentHash)
			}
		}
	}
	queries := &pgx.Batch{}
	if len(ids) > 0 {
		b.queueNodes(queries, `b.index_block_hash = ANY ($1)`, ids)
	}
	b.queueBurn(queries, burnHashes, burnSources)
	b.state.contracts.Queue(queries, contracts)
	if queries.Len() > 0 {
		if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
			return fmt.Errorf("look up what %d events refer to: %w", len(items), err)
		}
	}
	for id := range asked {
		if b.state.nodes.byID[id] == nil {
			b.state.nodes.missing[id] = true
		}
	}
	return nil
}

// loadNodes loads the blocks that a condition selects into memory.
func (b *batch) loadNodes(ctx context.Context, where string, args ...any) error {
	_, err := b.queryNodes(ctx, where, args...)
	return err
}

// ancestorsMax is the maximum number of ancestors that are read at once.
const ancestorsMax = 1024

// loadAncestors loads ancestors of a block into memory: one at first, and more each time, because whoever walks along the
// parents may walk far.
func (b *batch) loadAncestors(ctx context.Context, n *node) error {
	b.page = min(max(1, 2*b.page), ancestorsMax)
	return b.loadNodes(ctx, `b.index_block_hash IN (
		WITH RECURSIVE ancestor AS (
			SELECT a.index_block_hash, a.parent_index_block_hash, a.height, 1 AS distance FROM {schema}.block a WHERE a.index_block_hash = $1
			UNION ALL
			SELECT a.index_block_hash, a.parent_index_block_hash, a.height, child.distance + 1
			FROM ancestor child JOIN {schema}.block a ON a.index_block_hash = child.parent_index_block_hash AND a.height < child.height
			WHERE child.distance < $2)
		SELECT index_block_hash FROM ancestor)`, n.parent[:], b.page)
}

// queryNodes returns the blocks that a condition selects. A block that is already in memory is returned from there,
// because it may be newer than its row.
func (b *batch) queryNodes(ctx context.Context, where string, args ...any) ([]*node, error) {
	rows, _ := b.tx.Query(ctx, b.sql(nodesSQL+where), args...)
	return b.readNodes(rows)
}

// queueNodes queues a query that loads the blocks that a condition selects into memory.
func (b *batch) queueNodes(queries *pgx.Batch, where string, args ...any) {
	queries.Queue(b.sql(nodesSQL+where), args...).Query(func(rows pgx.Rows) error {
		_, err := b.readNodes(rows)
		return err
	})
}

// nodesSQL selects blocks; a condition follows.
const nodesSQL = `
		SELECT b.index_block_hash, b.parent_index_block_hash, b.block_hash, b.burn_block_hash,
		       coalesce(b.consensus_hash, ''), coalesce(b.burn_view, ''),
		       b.height, b.burn_block_height, b.source_seq, b.first_seq, b.size, b.attached,
		       b.event_count, b.tx_count, b.interface_count,
		       c.block_seq IS NOT NULL
		FROM {schema}.block b
		LEFT JOIN {schema}.canonical c ON c.block_seq = b.source_seq
		WHERE `

// readNodes returns the blocks of a query of nodesSQL.
func (b *batch) readNodes(rows pgx.Rows) ([]*node, error) {
	blocks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*node, error) {
		var (
			n               node
			consensus, view []byte
		)
		err := row.Scan(&n.id, &n.parent, &n.blockHash, &n.burnHash, &consensus, &view,
			&n.height, &n.burnHeight, &n.seq, &n.firstSeq, &n.size, &n.attached,
			&n.content.events, &n.content.transactions, &n.content.interfaces, &n.canonical)
		n.stored = true
		copy(n.consensus[:], consensus)
		copy(n.burnView[:], view)
		return &n, err
	})
	if err != nil {
		return nil, fmt.Errorf("look up blocks: %w", err)
	}
	for i, n := range blocks {
		if known := b.state.nodes.byID[n.id]; known != nil {
			blocks[i] = known
			continue
		}
		b.state.nodes.put(n)
	}
	return blocks, nil
}

// waiting returns the unattached children of a block in the order of arrival. It flushes the batch first, so that the
// table has them all.
func (b *batch) waiting(ctx context.Context, id hash.Hash32) ([]*node, error) {
	if err := b.flush(ctx); err != nil {
		return nil, err
	}
	return b.queryNodes(ctx, `b.parent_index_block_hash = $1 AND NOT b.attached ORDER BY b.first_seq`, id[:])
}

// inheritBurnView sets the burn view of a Nakamoto block, which is the latest sortition that its tenure has seen, when
// no tenure change of the block itself names one. It takes the parent's view within a tenure.
func (b *batch) inheritBurnView(ctx context.Context, n *node) error {
	if !n.burnView.IsZero() || n.consensus.IsZero() {
		return nil
	}
	n.burnView = n.consensus
	parent, err := b.node(ctx, n.parent)
	if err != nil {
		return err
	}
	if parent != nil && parent.consensus == n.consensus && !parent.burnView.IsZero() {
		n.burnView = parent.burnView
	}
	return nil
}

// quarantine records an event that can't be folded. The event itself stays in the log.
func (b *batch) quarantine(item projections.LogItem, reason error) {
	b.rows.quarantined = append(b.rows.quarantined, projections.Unreadable(&item, reason))
}
