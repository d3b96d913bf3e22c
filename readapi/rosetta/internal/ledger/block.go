// Package ledger reads blocks, transactions and balances for the operations of the standard.
//
// Every change of a balance is a row of the ledger of the projection balances, or a row of its locks together with the
// Bitcoin heights of blocks. Operations take their amounts from these rows and from nothing else, and so do balances.
// So the operations of a block add up to the change of each balance.
//
// The projection balances decides which blocks are canonical. What else is shown of them is in the tables of chain.
package ledger

import (
	"context"
	"errors"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/operation"
)

// Errors of look-ups.
var (
	ErrNoBlock       = errors.New("no such block")
	ErrOtherBlock    = errors.New("the index and the hash are of different blocks")
	ErrNoTransaction = errors.New("no such transaction")
)

// GenesisIndex is the index of the first block of a whole chain. It has the transactions of height 0, too.
const GenesisIndex = 1

// ID identifies a block.
type ID struct {
	Index           int64
	Hash, IndexHash hash.Hash32
}

// Frame is the extent of the chain.
type Frame struct {
	Root    int64 // the lowest height
	Genesis ID
	Tip     ID
}

// heights returns the heights whose transactions the block of an index has.
func (f *Frame) heights(index int64) []int64 {
	if index == f.Genesis.Index && f.Root < index {
		return []int64{f.Root, index}
	}
	return []int64{index}
}

// contains reports whether there is a block with the index.
func (f *Frame) contains(index int64) bool { return index >= f.Genesis.Index && index <= f.Tip.Index }

// Block is a block with some or all of its transactions.
type Block struct {
	ID
	Parent       ID // the block itself for the first one
	Seq          int64
	Time         int64 // Unix milliseconds
	BurnHeight   int64
	TxCount      int32 // including those of height 0 in the first block
	Cost         Cost
	Transactions []Transaction
	// Others are transactions with too many operations to be in the block.
	Others []string

	seqs    []int64 // events with the blocks of its heights
	events  int64   // number of events of its transactions
	carrier *int32  // index of the coinbase in the list of its last height; nil for none
}

// Cost is the total execution cost of a block.
type Cost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"`
	Runtime     int64 `json:"runtime"`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"`
}

// Transaction is a transaction with its operations.
type Transaction struct {
	Hash       string               // with 0x
	Row        *view.TransactionRow // nil for one that carries what no transaction did
	Memo       *string
	Operations []operation.Operation
}

// Ref names a block by its index, its hash (of either kind) or both; the newest block without either.
type Ref struct {
	Index *int64
	Hash  *hash.Hash32
}

func idColumns(id *ID) []any { return []any{&id.Index, &id.Hash, &id.IndexHash} }

// ReadFrame reads the extent of the chain and the block that ref names. It fails with ErrNoBlock or ErrOtherBlock.
func ReadFrame(ctx context.Context, s *engine.Snapshot, ref Ref) (frame Frame, id ID, err error) {
	if _, ok := s.Tip("balances"); !ok {
		return frame, id, ErrNoBlock
	}
	b := s.Batch()
	const columns = `SELECT ARRAY[source_seq], height, block_hash, index_block_hash FROM {balances}.block `
	lowest := engine.Query(b, idColumns, columns+`ORDER BY height LIMIT 2`)
	highest := engine.Query(b, idColumns, columns+`ORDER BY height DESC LIMIT 1`)
	named := &engine.Result[ID]{}
	switch {
	case ref.Index != nil:
		named = engine.Query(b, idColumns, columns+`WHERE height = $1`, *ref.Index)
	case ref.Hash != nil:
		named = engine.Query(b, idColumns, columns+`WHERE block_hash = $1
			UNION `+columns+`WHERE index_block_hash = $1 ORDER BY height DESC LIMIT 1`, *ref.Hash)
	}
	if err := b.Run(ctx); err != nil {
		return frame, id, err
	}
	if len(lowest.Rows) == 0 || len(highest.Rows) == 0 {
		return frame, id, ErrNoBlock
	}
	frame.Root, frame.Genesis, frame.Tip = lowest.Rows[0].Index, lowest.Rows[0], highest.Rows[0]
	if frame.Root < GenesisIndex && len(lowest.Rows) > 1 {
		frame.Genesis = lowest.Rows[1]
	}
	if ref.Index == nil && ref.Hash == nil {
		return frame, frame.Tip, nil
	}
	id, ok := named.First()
	if !ok || !frame.contains(id.Index) {
		return frame, id, ErrNoBlock
	}
	if ref.Hash != nil && *ref.Hash != id.Hash && *ref.Hash != id.IndexHash {
		return frame, id, ErrOtherBlock
	}
	return frame, id, nil
}

// blockRow is a block as its table has it.
type blockRow struct {
	ID
	seq, burnHeight, burnTime int64
	blockTime                 *int64
	nakamoto                  bool
	txCount, eventCount       int32
	cost                      Cost
	carrier                   *int32 // index of the coinbase in the block's list
}

func blockColumns(r *blockRow) []any {
	return []any{
		&r.Index, &r.Hash, &r.IndexHash, &r.seq, &r.burnHeight, &r.burnTime, &r.blockTime, &r.nakamoto, &r.txCount, &r.eventCount,
		&r.cost.ReadCount, &r.cost.ReadLength, &r.cost.Runtime, &r.cost.WriteCount, &r.cost.WriteLength, &r.carrier,
	}
}

const blockSQL = `
	SELECT ARRAY[c.source_seq], b.height, b.block_hash, b.index_block_hash, c.source_seq, c.burn_block_height, c.burn_block_time, c.block_time, c.nakamoto, c.tx_count, c.event_count,
	       c.execution_cost_read_count, c.execution_cost_read_length, c.execution_cost_runtime, c.execution_cost_write_count, c.execution_cost_write_length,
	       (SELECT t.tx_index FROM {chain}.transaction t WHERE t.source_seq = c.source_seq AND t.type_id IN (4, 5, 8) ORDER BY t.execution_index LIMIT 1)
	FROM {balances}.block b
	JOIN {chain}.block c ON c.source_seq = b.source_seq
	WHERE b.height = ANY ($1)
	ORDER BY b.height`

// time returns the time of the block in Unix milliseconds: its own since Nakamoto, before that of its Bitcoin block.
func (r *blockRow) time() int64 {
	if r.nakamoto && r.blockTime != nil {
		return *r.blockTime * 1000
	}
	return r.burnTime * 1000
}

// readBlocks reads blocks without their transactions.
func readBlocks(ctx context.Context, s *engine.Snapshot, frame *Frame, ids []ID) ([]*Block, error) {
	var heights, parents []int64
	for i := range ids {
		heights = append(heights, frame.heights(ids[i].Index)...)
		if ids[i].Index > frame.Genesis.Index {
			parents = append(parents, ids[i].Index-1)
		}
	}
	b := s.Batch()
	found := engine.Query(b, blockColumns, blockSQL, heights)
	above := engine.Query(b, idColumns, `SELECT ARRAY[source_seq], height, block_hash, index_block_hash FROM {balances}.block WHERE height = ANY ($1)`, parents)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows, parentOf := map[int64]*blockRow{}, map[int64]ID{}
	for i := range found.Rows {
		rows[found.Rows[i].Index] = &found.Rows[i]
	}
	for _, parent := range above.Rows {
		parentOf[parent.Index] = parent
	}
	blocks := make([]*Block, len(ids))
	for i, id := range ids {
		row := rows[id.Index]
		if row == nil {
			return nil, ErrNoBlock
		}
		block := &Block{ID: id, Parent: id, Seq: row.seq, Time: row.time(), BurnHeight: row.burnHeight, Cost: row.cost, carrier: row.carrier}
		if parent, ok := parentOf[id.Index-1]; ok && id.Index > frame.Genesis.Index {
			block.Parent = parent
		}
		for _, height := range frame.heights(id.Index) {
			if rows[height] == nil {
				return nil, ErrNoBlock
			}
			block.TxCount += rows[height].txCount
			block.events += int64(rows[height].eventCount)
			block.seqs = append(block.seqs, rows[height].seq)
		}
		blocks[i] = block
	}
	return blocks, nil
}

// ReadBlockInfo reads a block without its transactions.
func ReadBlockInfo(ctx context.Context, s *engine.Snapshot, frame *Frame, id ID) (*Block, error) {
	blocks, err := readBlocks(ctx, s, frame, []ID{id})
	if err != nil {
		return nil, err
	}
	return blocks[0], nil
}
