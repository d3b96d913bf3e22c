package view

import (
	"cmp"
	"context"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// RowKey is the key of a transaction in its table.
type RowKey struct {
	Seq   int64 // number of the event that brought the block
	Index int32 // index of the transaction in the block's list
}

// TransactionRow is a mined transaction with its block, as the tables hold it. Every answer that shows transactions is
// rendered from it, by RenderTransaction, Summarize or RenderTransactionV3, after Complete has read what else they
// need.
type TransactionRow struct {
	RowKey
	Execution          int32 // place in the order of execution
	EventCount         int32
	microblockSequence *int32
	bitcoin            bool // whether it is an operation from Bitcoin
	cost               transactionCost
	ID                 hash.Hash32
	Status             string
	sender             *string
	rawResult, RawTx   []byte
	microblockHash     *hash.Hash32
	vmError            *string
	burnchainOp        *string // JSON of the operation
	Canonical          bool
	Height             int64
	Block, parentBlock hash.Hash32
	IndexHash          hash.Hash32 // index block hash
	parentIndexHash    hash.Hash32
	blockTime          *int64
	BurnBlockTime      int64
	BurnBlockHeight    int64
	parentBurnTime     *int64

	// Number is the row's number in the list of the projection accounts that it was read from, and Place its number
	// among all canonical transactions. Both are 0 when the row was read from no list. When it was, the projection
	// accounts decides what is canonical.
	Number, Place int64

	// Tx is the decoded transaction; for an operation from Bitcoin, a transaction that would have done the same.
	// Complete sets it.
	Tx *transaction.Transaction
}

// transactionCost is the execution cost of a transaction, in the units of the node's limits.
type transactionCost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"`
	Runtime     int64 `json:"runtime"`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"`
}

// TransactionSQL selects the source events and what TransactionColumns reads of the transaction t, its block b, and the
// row c that makes the block canonical, if it is.
const TransactionSQL = TransactionSources + TransactionFields

const (
	// TransactionSources selects the events that a transaction t and the canonical row c of its block come from.
	TransactionSources = `{chain.transaction t, c.source_seq}, `
	// TransactionFields selects what TransactionColumns reads.
	TransactionFields = `
	t.source_seq, t.tx_index, t.execution_index, t.event_count, t.microblock_sequence, t.type_id IS NULL,
	t.execution_cost_read_count, t.execution_cost_read_length, t.execution_cost_runtime, t.execution_cost_write_count, t.execution_cost_write_length,
	t.txid, t.status, t.sender, t.raw_result, t.raw_tx, t.microblock_hash, t.vm_error, t.burnchain_op,
	c.height IS NOT NULL, b.height, b.block_hash, b.parent_block_hash, b.index_block_hash, b.parent_index_block_hash,
	b.block_time, b.burn_block_time, b.burn_block_height, b.parent_burn_block_time `
)

// TransactionBlocksSQL joins the block b of the transaction t, and the row c that makes the block canonical, if it is.
const TransactionBlocksSQL = `
	JOIN {chain}.block b ON b.source_seq = t.source_seq
	LEFT JOIN {chain}.canonical c ON c.block_seq = t.source_seq `

// TransactionColumns returns the scan destinations for TransactionSQL, except the source events.
func TransactionColumns(r *TransactionRow) []any {
	return []any{
		&r.Seq, &r.Index, &r.Execution, &r.EventCount, &r.microblockSequence, &r.bitcoin,
		&r.cost.ReadCount, &r.cost.ReadLength, &r.cost.Runtime, &r.cost.WriteCount, &r.cost.WriteLength,
		&r.ID, &r.Status, &r.sender, &r.rawResult, &r.RawTx, &r.microblockHash, &r.vmError, &r.burnchainOp,
		&r.Canonical, &r.Height, &r.Block, &r.parentBlock, &r.IndexHash, &r.parentIndexHash,
		&r.blockTime, &r.BurnBlockTime, &r.BurnBlockHeight, &r.parentBurnTime,
	}
}

// QueueTransactions adds the query for the transactions with the given ids to a batch. Of several copies of a
// transaction it reads the canonical one; without a canonical copy, the highest; of several at that height, the one
// that arrived last.
func QueueTransactions(b *engine.Batch, ids []hash.Hash32) *engine.Result[TransactionRow] {
	return engine.Query(b, TransactionColumns, `
		SELECT DISTINCT ON (t.txid) `+TransactionSQL+`
		FROM {chain}.transaction t`+TransactionBlocksSQL+`
		WHERE t.txid = ANY ($1)
		ORDER BY t.txid, c.height IS NOT NULL DESC, b.height DESC, t.source_seq DESC`, ids)
}

// FindTransaction reads the transaction with an id in a batch of its own; nil when there is none.
func FindTransaction(ctx context.Context, s *engine.Snapshot, id hash.Hash32) (*TransactionRow, error) {
	if _, ok := s.Tip("chain"); !ok {
		return nil, nil
	}
	b := s.Batch()
	found := QueueTransactions(b, []hash.Hash32{id})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(found.Rows) == 0 {
		return nil, nil
	}
	return &found.Rows[0], nil
}

// Sequence returns the microblock sequence, or page.AnchoredSequence for a transaction that was in no microblock.
func (r *TransactionRow) Sequence() int32 {
	if r.microblockSequence == nil {
		return page.AnchoredSequence
	}
	return *r.microblockSequence
}

// time returns the time of the block in Unix seconds; before Nakamoto, that of its Bitcoin block.
func (r *TransactionRow) time() int64 {
	if r.blockTime != nil && *r.blockTime != 0 {
		return *r.blockTime
	}
	return r.BurnBlockTime
}

// from returns the sender; empty for a refused operation from Bitcoin whose sender is not known.
func (r *TransactionRow) from() string {
	if r.bitcoin || r.sender != nil {
		return ValueOf(r.sender)
	}
	return r.Tx.Sender().String()
}

// ValueOf returns the value that p points to, or the zero value for nil.
func ValueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// RowsOf returns pointers to the rows of a result, so that Complete can fill them in.
func RowsOf(found *engine.Result[TransactionRow]) []*TransactionRow {
	rows := make([]*TransactionRow, len(found.Rows))
	for i := range found.Rows {
		rows[i] = &found.Rows[i]
	}
	return rows
}

// CompareKeys compares keys in the order of the table's primary key.
func CompareKeys(a, b RowKey) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Index, b.Index))
}

// KeyColumns returns keys as two array arguments of a query.
func KeyColumns(keys []RowKey) (seqs []int64, indexes []int32) {
	seqs, indexes = make([]int64, len(keys)), make([]int32, len(keys))
	for i, k := range keys {
		seqs[i], indexes[i] = k.Seq, k.Index
	}
	return seqs, indexes
}
