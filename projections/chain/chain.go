// Package chain decides which blocks are canonical. It is the only package that deals with forks: it keeps every block
// that was ever announced, and writes a linear list of steps, "apply block B" and "revert block B", that all other
// projections fold. Other events, such as a node's mempool announcements, are in the list as records, at their place
// among the blocks. So are Bitcoin blocks that join or leave the followed fork.
//
// # Rules
//
//   - A block is attached when all its ancestors down to the root are known. A block that is not attached is kept, and
//     attached when the missing ancestor arrives.
//   - The root is the genesis block; a block whose ancestors are not all known waits. An empty genesis is none: a node
//     announces it at each start. Where log.partial_history allows it, the root is the first block of the log. When the
//     blocks below such a root arrive later and reach down to genesis, the chain is extended downwards. When a branch
//     that can't stand on such a root overtakes the chain, it begins again with the lowest known block of that branch.
//   - Events of another network go to quarantine. Two genesis blocks of one network that contradict each other stop the
//     fold: see identity.go.
//   - Candidates for the tip are all attached blocks whose Bitcoin blocks, and those of their ancestors, are on the
//     Bitcoin fork that the node follows. A Bitcoin block that was never announced counts as good. The fork-choice rule
//     picks one of the candidates (recommended or reference; see node.go).
//   - A block is identified by its index_block_hash. A second announcement of it changes nothing, unless it is more
//     complete: then the block takes its content from there, and is reverted and applied again with all blocks above.
//     A node posts each block to each of its observer entries, with only those events that the keys of the entry select,
//     so copies without events may come first. It announces genesis again, empty, at each start; an empty genesis never
//     joins a chain that has begun without it.
//   - The Bitcoin blocks that are followed are a chain, which may have holes: see follow in bitcoin.go. An announced one is
//     followed, and orphans what can't be on one fork with it. It restores its ancestors, and a Stacks block on a good Bitcoin
//     block restores the Bitcoin blocks of its own ancestors, because a node announces neither of them again.
package chain

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
	"strata/projections/internal/undeployed"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "chain"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: mempool events of nodes are among the steps; a step says what kind of record it takes.
//   - 3: Bitcoin blocks that are followed or left are among the steps; a Bitcoin block with an address too long for an
//     index goes to quarantine.
//   - 4: of several copies of a block, the most complete one counts, whenever it comes; the others are listed. Attachments
//     of nodes are among the steps. Fields that nobody decodes are counted.
//   - 5: what an event leads to is done in pieces. A log that began on a branch that lost begins anew with the other one.
//   - 6: a chain begins with genesis, unless it may begin anywhere. Events of other networks go to quarantine. Of an event with
//     waiting transactions or attachments, the readable ones count. A block that has a transaction twice, or an event index of
//     a transaction, goes to quarantine. Of each height one Bitcoin block is followed, the parent of the followed one above it,
//     wherever a process restarts. Contracts have the interfaces that nodes left out of their events and were asked for.
//   - 7: interfaces of contracts that are called, and that nothing in the log deploys, are asked for.
const Version = 7

// Rule is a fork-choice rule: it picks the tip among the candidates.
type Rule string

// Fork-choice rules.
const (
	// Recommended chooses as nodes of Stacks 3.x do.
	Recommended Rule = "recommended"
	// Reference chooses as stacks-blockchain-api does: only a strictly higher block wins, and Bitcoin forks are ignored.
	Reference Rule = "reference"
)

// Chain is the projection. It is not safe for concurrent use: one follower owns it.
type Chain struct {
	spec   projections.Spec
	rule   Rule
	better betterFunc
	logger *slog.Logger

	metrics *metrics
	piece   int    // pieceMax, but in tests
	cache   int    // cacheMax, but in tests
	state   *state // nil until read from the tables
	written []projections.Step
}

// New returns the projection with a fork-choice rule. A nil logger discards its lines.
func New(rule Rule, logger *slog.Logger) (*Chain, error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	c := &Chain{rule: rule, spec: Spec(), logger: logger, metrics: newMetrics(prometheus.NewRegistry()), piece: pieceMax, cache: cacheMax}
	switch rule {
	case Recommended:
		c.better = recommended
	case Reference:
		c.better = reference
	default:
		return nil, fmt.Errorf("fork choice %q: want %s or %s", rule, Recommended, Reference)
	}
	return c, nil
}

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version},
		Tables: tables,
		API:    views,
		Views:  []string{"block", "canonical", "step", "burn_block", "transaction", "event", "contract", "microblock", "microblock_confirmation", "narrow_copy", "unknown_field", "gap", "foreign_network"},
	}
}

// Spec implements projections.Projection.
func (c *Chain) Spec() projections.Spec { return c.spec }

// WithSpec implements projections.Rebuildable.
func (c *Chain) WithSpec(spec projections.Spec) projections.Projection[projections.LogItem] {
	return &Chain{spec: spec, rule: c.rule, better: c.better, logger: c.logger, metrics: c.metrics, piece: c.piece, cache: c.cache}
}

// Readable implements projections.Readable. What rules 5 add is for the fold alone, and reads use the columns and tables of rules 6
// and 7 only where a version has them.
func (c *Chain) Readable() []int { return []int{4, 5, 6} }

// Forget implements projections.Projection.
func (c *Chain) Forget() { c.state = nil }

// Written implements projections.Leading.
func (c *Chain) Written() []projections.Step { return c.written }

// Fold implements projections.Projection.
func (c *Chain) Fold(ctx context.Context, tx pgx.Tx, after int64, items []projections.LogItem) (projections.Outcome, error) {
	b := &batch{chain: c, tx: tx}
	if len(items) == 1 {
		b.touched = projections.NewTouched()
	}
	if c.state == nil || c.state.position != after {
		state, err := b.readState(ctx)
		if err != nil {
			return projections.Outcome{}, err
		}
		c.state = state
	}
	b.state = c.state
	if err := b.prefetch(ctx, items); err != nil {
		return projections.Outcome{}, err
	}
	if b.state.task != nil {
		b.touched = nil
	}
	left := 0
	for i, item := range items {
		err := b.fold(ctx, item)
		if errors.Is(err, errUnfinished) {
			left = len(items) - i
			b.touched = nil
			break
		}
		if err != nil {
			return projections.Outcome{}, fmt.Errorf("event %d (%s): %w", item.Seq, item.Path, err)
		}
	}
	if err := b.flush(ctx); err != nil {
		return projections.Outcome{}, err
	}
	b.state.position, b.state.fresh = items[len(items)-1].Seq, false
	if left > 0 {
		if err := b.remember(ctx); err != nil {
			return projections.Outcome{}, err
		}
		b.state.position = items[len(items)-left].Seq - 1
	}
	c.written = b.written
	outcome := projections.Outcome{Touched: b.touched, Observe: c.metrics.observe(b), Left: left}
	tip := b.state.tip
	b.state.nodes.trim(tip, b.state.root, c.cache)
	b.state.burn.trim(c.cache)
	b.state.contracts.Trim()
	if tip == nil {
		return outcome, nil
	}
	outcome.Tip = &projections.Tip{Height: tip.height, IndexBlockHash: tip.id, BlockHash: tip.blockHash, BurnBlockHeight: tip.burnHeight}
	var err error
	outcome.Tip.HistoryFrom, err = b.historyFrom(ctx)
	return outcome, err
}

// state is what the projection keeps in memory between batches. It may be dropped at any time: readState reads it
// again.
type state struct {
	position    int64 // sequence number of the last event folded
	fresh       bool  // read from the tables for the batch that is being folded
	tip         *node // nil before the first block
	root        *node // the lowest canonical block
	lastStep    int64
	burnTop     int64 // greatest height of a followed Bitcoin block; -1 when there is none
	highest     int64 // greatest height of a known block, and
	burnHighest int64 // of a known Bitcoin block; -1 when there is none
	nodes       nodes
	burn        burnBlocks
	gaps        map[hash.Hash32]bool // missing blocks that known blocks wait for
	aboveGap    map[hash.Hash32]bool // blocks that wait for one which may stand on the first block of the chain
	unknown     map[string]bool      // paths of fields that nobody decodes
	network     *transaction.Network // of the log; nil if no event has told it yet
	foreign     bool                 // events of other networks are in the log
	partial     *int64               // after this event, the chain may begin with any block; nil: with genesis only
	partialRoot *node                // the root that historyFrom has looked at
	historyFrom *int64               // its height, if it is not genesis
	contracts   *undeployed.Contracts
	task        *task // what is left to do for the event after position; nil for nothing
}

// unreadableError is the error of a payload that is well-formed but holds an impossible value. The event goes to
// quarantine.
type unreadableError struct{ *nodeevent.FieldError }

func (e unreadableError) Unwrap() error { return e.FieldError }

func unreadable(pointer, want string, got any) error {
	return unreadableError{&nodeevent.FieldError{Path: pointer, Want: want, Got: fmt.Sprint(got)}}
}

// fold folds one event of the log, or goes on where an earlier transaction has left off.
func (b *batch) fold(ctx context.Context, item projections.LogItem) error {
	b.spent, b.content, b.burnChangedFrom = 0, item.Block, math.MaxInt64
	if t := b.state.task; t != nil {
		// It is of an earlier event only if an operator let the projection skip that one in the middle.
		err := b.work(ctx)
		b.addBurnSteps()
		if err != nil || t.cause == item.Seq {
			return err
		}
		b.spent = 0
	}
	if err := b.foldEvent(ctx, item); err != nil || b.state.tip != nil || len(b.state.gaps) == 0 || !b.mayBeginAnywhere(item.Seq) {
		return err
	}
	return b.beginAnywhere(ctx, item.Seq)
}

func (b *batch) foldEvent(ctx context.Context, item projections.LogItem) error {
	b.addUnknown(ctx, item)
	if item.Err != nil {
		b.quarantine(item, item.Err)
		return nil
	}
	if item.Block != nil {
		if repetition := item.Block.Repetition(); repetition != nil { // before its events are compared with those of another copy
			b.quarantine(item, repetition)
			return nil
		}
	}
	var other foreignError
	if err := b.identify(ctx, item); errors.As(err, &other) {
		b.reject(item, other)
		return nil
	} else if err != nil {
		return err
	}
	foreign, err := b.identifyAttachments(ctx, &item)
	if err != nil {
		return err
	}
	b.rows.quarantined = append(b.rows.quarantined, projections.Damaged(&item)...)
	if foreign {
		return nil
	}
	if item.Record != nil {
		b.rows.record(item, b.state.tip, b.nextStep())
		if i, ok := projections.FetchedInterfaceOf(item); ok {
			b.rows.interfaces, b.touched = append(b.rows.interfaces, i), nil // calls in any block are shown with it
		}
		return b.state.contracts.AddRecord(ctx, b.tx, item)
	}
	switch payload := item.Payload.(type) {
	case *nodeevent.Block:
		err = b.block(ctx, item.Block)
	case *nodeevent.BurnBlock:
		err = b.burnBlock(ctx, item, payload)
	case *nodeevent.Microblocks:
		b.rows.addStreamed(item.Seq, payload)
	}
	b.addBurnSteps()
	var impossible unreadableError
	if errors.As(err, &impossible) {
		b.quarantine(item, impossible.FieldError)
		return nil
	}
	return err
}

// block folds the announcement of a Stacks block.
func (b *batch) block(ctx context.Context, content *projections.Block) error {
	known, err := b.node(ctx, content.IndexBlockHash)
	if err != nil {
		return err
	}
	empty := len(content.Transactions) == 0
	if known != nil {
		switch copied := completenessOf(content); copied.compare(known.content) {
		case 1:
			return b.replace(ctx, known, content)
		case -1:
			b.rows.narrow = append(b.rows.narrow, narrowRow{content.Seq, known.id, copied})
			b.narrow++
		}
		b.repeated++
		return nil // delivered again, or announced by another node or by a restarted one
	}
	partial := b.mayBeginAnywhere(content.Seq)
	if content.IsGenesis() && empty && (b.state.tip != nil || !partial) {
		return nil // a node announces it at each start
	}
	if content.ParentIndexBlockHash == content.IndexBlockHash {
		return unreadable("/parent_index_block_hash", "another block", content.ParentIndexBlockHash)
	}
	parent, err := b.node(ctx, content.ParentIndexBlockHash)
	if err != nil {
		return err
	}
	n, err := newNode(content)
	if err != nil {
		return err
	}
	if parent != nil && n.height <= parent.height {
		return tooLow(n, parent)
	}
	if err := b.rows.block(content, n); err != nil {
		return err
	}
	if err := b.state.contracts.AddBlock(ctx, b.tx, content); err != nil {
		return err
	}
	b.state.nodes.put(n)
	b.state.highest = max(b.state.highest, n.height)

	switch {
	case parent != nil && parent.attached, content.IsGenesis(), b.state.tip == nil && (partial && len(b.state.gaps) == 0 || content.HasMergedGenesis()):
		return b.attach(ctx, n, content.Seq)
	case b.state.tip != nil && b.state.tip == b.state.root && b.state.root.content.empty() && b.state.root.height == 0:
		// The only block so far is the empty genesis that every node announces at its start, and this node's chain is
		// far above it.
		if err := b.rewind(ctx, nil, content.Seq); err != nil {
			return err
		}
		return b.attach(ctx, n, content.Seq)
	}
	b.openGap(ctx, n, parent)
	return b.reroot(ctx, n, content.Seq)
}

// tooLow returns the error of a block that is not higher than its parent. Refusing such blocks ensures that every walk
// along the parents of attached blocks ends, whatever is announced.
func tooLow(n, parent *node) error {
	return unreadable("/block_height", fmt.Sprintf("more than the parent's %d", parent.height), n.height)
}

// openGap records that n can't be attached. It logs a warning when the parent is not known at all: an operator should
// find out why.
func (b *batch) openGap(ctx context.Context, n, parent *node) {
	if b.closeGap(n) { // blocks that waited for n now wait for the same block as n
		clear(b.state.aboveGap)
	}
	if parent != nil || b.state.gaps[n.parent] {
		return
	}
	b.state.gaps[n.parent] = true
	b.rows.gapsOpened = append(b.rows.gapsOpened, n)
	b.chain.logger.LogAttrs(ctx, slog.LevelWarn, "parent block missing; the block waits until the parent is announced",
		slog.Int64("height", n.height), slog.String("index_block_hash", n.id.String()),
		slog.String("parent_index_block_hash", n.parent.String()), slog.Int64("seq", n.seq))
}

// closeGap records that n has arrived, and reports whether blocks waited for it.
func (b *batch) closeGap(n *node) bool {
	if !b.state.gaps[n.id] {
		return false
	}
	delete(b.state.gaps, n.id)
	b.rows.gapsClosed = append(b.rows.gapsClosed, n.id)
	return true
}

// attach makes n, and the blocks that waited for it, candidates for the tip. cause is the event that led to this.
func (b *batch) attach(ctx context.Context, n *node, cause int64) error {
	return b.begin(ctx, &task{cause: cause, arrivals: []arrival{{block: n.id}}})
}

// rewind reverts the blocks above fork, or all blocks if fork is nil.
func (b *batch) rewind(ctx context.Context, fork *node, cause int64) error {
	for b.state.tip != fork {
		if !b.spend() {
			return errUnfinished
		}
		tip := b.state.tip
		below, err := b.parent(ctx, tip)
		if err != nil {
			return err
		}
		tip.canonical = false
		b.reverted++
		b.touch(tip)
		b.rows.revert(tip, cause, b.nextStep())
		if tip == b.state.root {
			b.state.tip, b.state.root = nil, nil
			clear(b.state.aboveGap)
			return nil
		}
		b.state.tip = below
	}
	return nil
}

func (b *batch) apply(n *node, cause int64) {
	n.canonical = true
	b.touch(n)
	b.rows.apply(n, cause, b.nextStep())
	b.state.tip = n
	if b.state.root == nil {
		b.state.root, b.state.partialRoot = n, nil
	}
}

// touch marks the shards of a block as changed: its height and both of its hashes.
func (b *batch) touch(n *node) {
	b.touched.AddBlock(n.height, n.id, n.blockHash)
}

func (b *batch) nextStep() int64 {
	b.state.lastStep++
	return b.state.lastStep
}

// replace gives a block the content of a later announcement that is more complete.
func (b *batch) replace(ctx context.Context, known *node, content *projections.Block) error {
	n, err := newNode(content)
	if err != nil {
		return err
	}
	if n.height != known.height {
		return unreadable("/block_height", fmt.Sprintf("%d, as announced before", known.height), content.Height)
	}
	if n.parent != known.parent {
		return unreadable("/parent_index_block_hash", fmt.Sprintf("%s, as announced before", known.parent), n.parent)
	}
	if err := new(rows).block(content, n); err != nil { // refuse it before anything is undone
		return err
	}
	if !known.canonical {
		return b.substitute(ctx, known.id)
	}
	m := &move{phase: lowering, target: b.state.tip.id, replaced: known.id}
	below, err := b.parent(ctx, known)
	if err != nil {
		return err
	}
	if below != nil {
		m.floor = below.id
	}
	return b.begin(ctx, &task{cause: content.Seq, move: m})
}

// substitute gives a block that is not canonical the content of the event that is being folded.
func (b *batch) substitute(ctx context.Context, id hash.Hash32) error {
	content := b.content
	if content == nil || content.IndexBlockHash != id {
		return nil // the event was skipped
	}
	known, err := b.node(ctx, id)
	if err != nil {
		return err
	}
	n, err := newNode(content)
	if err != nil {
		return err
	}
	if err := b.flush(ctx); err != nil { // rows of the earlier announcement may still be in memory
		return err
	}
	for _, query := range deleteContent {
		if _, err := b.tx.Exec(ctx, b.sql(query), known.seq); err != nil {
			return fmt.Errorf("replace the content of block %s: %w", known.id, err)
		}
	}
	b.rows.narrow = append(b.rows.narrow, narrowRow{known.seq, known.id, known.content})
	b.narrow++
	n.attached, n.burnView, n.firstSeq = known.attached, known.burnView, known.firstSeq
	*known = *n // in place, as others hold a pointer to the node
	b.state.contracts.Forget()
	if err := b.rows.block(content, known); err != nil {
		return err
	}
	return b.state.contracts.AddBlock(ctx, b.tx, content)
}

// deleteContent are statements that delete a block and all rows of its content, except for microblocks: these were
// announced first by that event all the same.
var deleteContent = []string{
	`DELETE FROM {schema}.contract k USING {schema}.transaction t
	 WHERE t.source_seq = $1 AND k.contract_id = t.contract_id AND k.source_seq = t.source_seq AND k.tx_index = t.tx_index`,
	`DELETE FROM {schema}.event WHERE source_seq = $1`,
	`DELETE FROM {schema}.transaction WHERE source_seq = $1`,
	`DELETE FROM {schema}.microblock_confirmation WHERE source_seq = $1`,
	`DELETE FROM {schema}.block WHERE source_seq = $1`,
}

// node returns the block with an index_block_hash, or nil if there is none.
func (b *batch) node(ctx context.Context, id hash.Hash32) (*node, error) {
	if n := b.state.nodes.byID[id]; n != nil {
		return n, nil
	}
	if b.state.nodes.missing[id] {
		return nil, nil
	}
	if err := b.loadNodes(ctx, `b.index_block_hash = ANY ($1)`, [][]byte{id[:]}); err != nil {
		return nil, err
	}
	n := b.state.nodes.byID[id]
	if n == nil {
		b.state.nodes.missing[id] = true
	}
	return n, nil
}

// parent returns the attached block below n, or nil if n is a root.
func (b *batch) parent(ctx context.Context, n *node) (*node, error) {
	parent, err := b.anyParent(ctx, n)
	if err != nil || parent == nil || !parent.attached || parent.height >= n.height {
		return nil, err
	}
	return parent, nil
}

// anyParent returns the block below n, or nil if it is not known. Whoever walks along the parents reads many at once.
func (b *batch) anyParent(ctx context.Context, n *node) (*node, error) {
	if b.state.nodes.byID[n.parent] == nil && !b.state.nodes.missing[n.parent] {
		if err := b.loadAncestors(ctx, n); err != nil {
			return nil, err
		}
	}
	return b.node(ctx, n.parent)
}
