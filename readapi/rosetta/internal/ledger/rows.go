package ledger

import (
	"cmp"

	"strata/domain/nodeevent"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// entry is a row of the ledger: a change of a balance in a block.
type entry struct {
	seq     int64
	n       int64 // among the changes of the account's balance of the asset
	account string
	asset   term
	delta   string
	cause   term
	source  source
}

func entryColumns(r *entry) []any {
	return []any{&r.seq, &r.n, &r.account, &r.asset, &r.delta, &r.cause, &r.source}
}

// entrySQL selects entries of the ledger l.
const entrySQL = `SELECT NULL::bigint[], l.source_seq, l.n, l.account, l.asset, l.delta::text, l.cause, l.pointer `

// compare orders entries by what they come from.
func (e *entry) compare(seq int64, from source) int {
	return cmp.Or(cmp.Compare(e.seq, seq), e.source.compare(from))
}

const (
	causeFee    = "fee"
	causeReward = "miner_reward"
	assetSTX    = "stx"
	topicPrint  = "print"
)

// event is an event of a transaction.
type event struct {
	seq         int64
	tx          int32
	index       int32 // in the array of events of the block's event
	kind        term
	contract    text
	topic       term
	from        text // sender
	value, memo []byte
}

func eventColumns(r *event) []any {
	return []any{&r.seq, &r.tx, &r.index, &r.kind, &r.contract, &r.topic, &r.from, &r.value, &r.memo}
}

const eventSQL = `SELECT NULL::bigint[], e.source_seq, e.tx_index, e.pointer, e.type, e.contract_identifier, e.topic, e.sender, e.value, e.memo `

// movesAsset reports whether an event of the kind has rows in the ledger.
func movesAsset(kind term) bool {
	switch kind {
	case nodeevent.TypeSTXTransfer, nodeevent.TypeSTXMint, nodeevent.TypeSTXBurn,
		nodeevent.TypeFTTransfer, nodeevent.TypeFTMint, nodeevent.TypeFTBurn,
		nodeevent.TypeNFTTransfer, nodeevent.TypeNFTMint, nodeevent.TypeNFTBurn:
		return true
	}
	return false
}

// chunkEvents is the number of events of a chunk, and the maximum that a transaction of the first block may have in the
// block itself.
const chunkEvents = 1000

// queueEntries adds the query for the changes of balances at some heights to a batch. With keys, it reads those of these
// transactions and of no transaction. It leaves out what transactions with many events did in the first block. About
// expected rows are to come.
func queueEntries(b *engine.Batch, frame *Frame, heights []int64, keys []view.RowKey, expected int) *engine.Result[entry] {
	condition, arguments := `true`, []any{heights, frame.Genesis.Index, chunkEvents}
	if keys != nil {
		seqs, indexes := view.KeyColumns(keys)
		condition, arguments = `(l.tx_index IS NULL OR (l.source_seq, l.tx_index) IN (SELECT * FROM unnest($4::bigint[], $5::int[])))`, append(arguments, seqs, indexes)
	}
	return engine.QueryMany(b, expected, entryColumns, entrySQL+`
		FROM {balances}.ledger l
		WHERE l.height = ANY ($1) AND `+condition+`
		  AND (l.height > $2 OR l.tx_index IS NULL OR l.cause = 'fee' OR (l.source_seq, l.tx_index) NOT IN (
			SELECT t.source_seq, t.tx_index FROM {balances}.block c JOIN {chain}.transaction t ON t.source_seq = c.source_seq
			WHERE c.height = ANY ($1) AND c.height <= $2 AND t.event_count > $3))`, arguments...)
}

// queueEvents adds the query for the events of transactions to a batch: of all transactions of the blocks with the
// events seqs, or of those with keys. It leaves out transactions with many events in the first block. About expected rows
// are to come.
func queueEvents(b *engine.Batch, frame *Frame, seqs []int64, keys []view.RowKey, expected int) *engine.Result[event] {
	from, arguments := `FROM {chain}.event e WHERE e.source_seq = ANY ($3::bigint[])`, []any{frame.Genesis.Index, chunkEvents, seqs}
	if keys != nil {
		keySeqs, indexes := view.KeyColumns(keys)
		from = `FROM unnest($3::bigint[], $4::int[]) AS k (seq, index) JOIN {chain}.event e ON e.source_seq = k.seq AND e.tx_index = k.index WHERE true`
		arguments = []any{frame.Genesis.Index, chunkEvents, keySeqs, indexes}
	}
	return engine.QueryMany(b, expected, eventColumns, eventSQL+from+`
		  AND (e.source_seq, e.tx_index) NOT IN (
			SELECT t.source_seq, t.tx_index FROM {balances}.block c JOIN {chain}.transaction t ON t.source_seq = c.source_seq
			WHERE c.height <= $1 AND t.event_count > $2)
		ORDER BY e.source_seq, e.tx_index, e.event_index`, arguments...)
}
