package readapi

import (
	"cmp"
	"context"

	"strata/domain/hash"
	"strata/domain/transaction"
)

// anchoredSequence stands for the microblock sequence of transactions that were in no microblock: they come after all
// that were.
const anchoredSequence = 1<<31 - 1

// rowKey is the key of a transaction in the table.
type rowKey struct {
	seq   int64 // of the event with the block
	index int32 // in the block's list
}

// transactionRow is a mined transaction with its block as the tables have them. All answers that show transactions are
// made from it: renderTransaction and summarize make the shapes, after complete has read what else they need.
type transactionRow struct {
	rowKey
	execution          int32 // place in the order of execution
	eventCount         int32
	microblockSequence *int32
	bitcoin            bool // it is an operation that came from Bitcoin
	cost               transactionCost
	id                 hash.Hash32
	status             string
	sender             *string
	rawResult, rawTx   []byte
	microblockHash     *hash.Hash32
	vmError            *string
	burnchainOp        *string // JSON of the operation
	canonical          bool
	height             int64
	block, parentBlock hash.Hash32
	indexHash          hash.Hash32 // index block hash
	parentIndexHash    hash.Hash32
	blockTime          *int64
	burnBlockTime      int64
	burnBlockHeight    int64
	parentBurnTime     *int64

	// number is its own in the list of the projection accounts that it was read from, and place that among all canonical
	// transactions; 0 when it was read from no list. What is canonical is the projection's to say then.
	number, place int64

	// tx is the transaction in parts: of one that came from Bitcoin, one that would have done the same. complete sets it.
	tx *transaction.Transaction
}

// transactionCost is what the execution of a transaction cost, in the units of the node's limits.
type transactionCost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"`
	Runtime     int64 `json:"runtime"`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"`
}

// transactionSQL selects what transactionColumns reads: of the transaction t, its block b, and what is canonical, c, if
// its block is.
const transactionSQL = transactionSources + transactionFields

const (
	transactionSources = `array_remove(ARRAY[t.source_seq, c.source_seq], NULL), `
	transactionFields  = `
	t.source_seq, t.tx_index, t.execution_index, t.event_count, t.microblock_sequence, t.type_id IS NULL,
	t.execution_cost_read_count, t.execution_cost_read_length, t.execution_cost_runtime, t.execution_cost_write_count, t.execution_cost_write_length,
	t.txid, t.status, t.sender, t.raw_result, t.raw_tx, t.microblock_hash, t.vm_error, t.burnchain_op,
	c.height IS NOT NULL, b.height, b.block_hash, b.parent_block_hash, b.index_block_hash, b.parent_index_block_hash,
	b.block_time, b.burn_block_time, b.burn_block_height, b.parent_burn_block_time `
)

// transactionBlocksSQL joins the block b of the transaction t, and what is canonical, c.
const transactionBlocksSQL = `
	JOIN {chain}.block b ON b.source_seq = t.source_seq
	LEFT JOIN {chain}.canonical c ON c.block_seq = t.source_seq `

func transactionColumns(r *transactionRow) []any {
	return []any{
		&r.seq, &r.index, &r.execution, &r.eventCount, &r.microblockSequence, &r.bitcoin,
		&r.cost.ReadCount, &r.cost.ReadLength, &r.cost.Runtime, &r.cost.WriteCount, &r.cost.WriteLength,
		&r.id, &r.status, &r.sender, &r.rawResult, &r.rawTx, &r.microblockHash, &r.vmError, &r.burnchainOp,
		&r.canonical, &r.height, &r.block, &r.parentBlock, &r.indexHash, &r.parentIndexHash,
		&r.blockTime, &r.burnBlockTime, &r.burnBlockHeight, &r.parentBurnTime,
	}
}

// queueTransactions adds the query for the transactions with some ids to a batch. Of the copies of one it reads the
// canonical one; where none is, the highest, and of several the one that came last.
func queueTransactions(b *batch, ids []hash.Hash32) *result[transactionRow] {
	return query(b, transactionColumns, `
		SELECT DISTINCT ON (t.txid) `+transactionSQL+`
		FROM {chain}.transaction t`+transactionBlocksSQL+`
		WHERE t.txid = ANY ($1)
		ORDER BY t.txid, c.height IS NOT NULL DESC, b.height DESC, t.source_seq DESC`, ids)
}

// findTransaction reads the transaction with an id, alone in its batch; nil when there is none.
func findTransaction(ctx context.Context, s *snapshot, id hash.Hash32) (*transactionRow, error) {
	if _, ok := s.tip("chain"); !ok {
		return nil, nil
	}
	b := s.batch()
	found := queueTransactions(b, []hash.Hash32{id})
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(found.rows) == 0 {
		return nil, nil
	}
	return &found.rows[0], nil
}

// sequence is the microblock sequence, as positions have it.
func (r *transactionRow) sequence() int32 {
	if r.microblockSequence == nil {
		return anchoredSequence
	}
	return *r.microblockSequence
}

// time is the time of the block in Unix seconds; before Nakamoto that of its Bitcoin block.
func (r *transactionRow) time() int64 {
	if r.blockTime != nil && *r.blockTime != 0 {
		return *r.blockTime
	}
	return r.burnBlockTime
}

// from is who sent it; empty for a refused operation from Bitcoin of which nothing else is known.
func (r *transactionRow) from() string {
	if r.bitcoin || r.sender != nil {
		return valueOf(r.sender)
	}
	return r.tx.Sender().String()
}

func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// rowsOf are the rows of a result, to be completed in place.
func rowsOf(found *result[transactionRow]) []*transactionRow {
	rows := make([]*transactionRow, len(found.rows))
	for i := range found.rows {
		rows[i] = &found.rows[i]
	}
	return rows
}

// compareKeys orders keys as the table has them.
func compareKeys(a, b rowKey) int {
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.index, b.index))
}

// keyColumns are keys as two arguments of a query.
func keyColumns(keys []rowKey) (seqs []int64, indexes []int32) {
	seqs, indexes = make([]int64, len(keys)), make([]int32, len(keys))
	for i, k := range keys {
		seqs[i], indexes[i] = k.seq, k.index
	}
	return seqs, indexes
}
