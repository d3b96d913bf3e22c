package ledger

import (
	"strconv"

	"strata/domain/nodeevent"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// entry is a row of the ledger: a change of a balance in a block.
type entry struct {
	seq            int64
	tx             *int32 // nil for a reward
	account, asset string
	delta          string
	cause, pointer string
}

func entryColumns(r *entry) []any {
	return []any{&r.seq, &r.tx, &r.account, &r.asset, &r.delta, &r.cause, &r.pointer}
}

const (
	causeFee    = "fee"
	causeReward = "miner_reward"
	assetSTX    = "stx"
)

// event is an event of a transaction.
type event struct {
	seq             int64
	tx, number      int32
	pointer         int32
	kind            string
	contract, topic *string
	from, to        *string // sender and recipient
	value, memo     []byte
	unlockHeight    *int64
}

func eventColumns(r *event) []any {
	return []any{&r.seq, &r.tx, &r.number, &r.pointer, &r.kind, &r.contract, &r.topic, &r.from, &r.to, &r.value, &r.memo, &r.unlockHeight}
}

const eventSQL = `SELECT ARRAY[e.source_seq], e.source_seq, e.tx_index, e.event_index, e.pointer, e.type, e.contract_identifier, e.topic, e.sender, e.recipient, e.value, e.memo, e.unlock_height `

// movesAsset reports whether an event of the kind has rows in the ledger.
func movesAsset(kind string) bool {
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
// transactions and of no transaction. It leaves out what transactions with many events did in the first block.
func queueEntries(b *engine.Batch, frame *Frame, heights []int64, keys []view.RowKey) *engine.Result[entry] {
	condition, arguments := `true`, []any{heights, frame.Genesis.Index, chunkEvents}
	if keys != nil {
		seqs, indexes := view.KeyColumns(keys)
		condition, arguments = `(l.tx_index IS NULL OR (l.source_seq, l.tx_index) IN (SELECT * FROM unnest($4::bigint[], $5::int[])))`, append(arguments, seqs, indexes)
	}
	return engine.Query(b, entryColumns, `
		SELECT ARRAY[l.source_seq], l.source_seq, l.tx_index, l.account, l.asset, l.delta::text, l.cause, l.pointer
		FROM {balances}.ledger l
		WHERE l.height = ANY ($1) AND `+condition+`
		  AND (l.height > $2 OR l.tx_index IS NULL OR l.cause = 'fee' OR (l.source_seq, l.tx_index) NOT IN (
			SELECT t.source_seq, t.tx_index FROM {balances}.block c JOIN {chain}.transaction t ON t.source_seq = c.source_seq
			WHERE c.height = ANY ($1) AND c.height <= $2 AND t.event_count > $3))
		ORDER BY l.height, l.n`, arguments...)
}

// queueEvents adds the query for the events of transactions to a batch: of all transactions of the blocks with the
// events seqs, or of those with keys. It leaves out transactions with many events in the first block.
func queueEvents(b *engine.Batch, frame *Frame, seqs []int64, keys []view.RowKey) *engine.Result[event] {
	from, arguments := `FROM {chain}.event e WHERE e.source_seq = ANY ($3::bigint[])`, []any{frame.Genesis.Index, chunkEvents, seqs}
	if keys != nil {
		keySeqs, indexes := view.KeyColumns(keys)
		from = `FROM unnest($3::bigint[], $4::int[]) AS k (seq, index) JOIN {chain}.event e ON e.source_seq = k.seq AND e.tx_index = k.index WHERE true`
		arguments = []any{frame.Genesis.Index, chunkEvents, keySeqs, indexes}
	}
	return engine.Query(b, eventColumns, eventSQL+from+`
		  AND (e.source_seq, e.tx_index) NOT IN (
			SELECT t.source_seq, t.tx_index FROM {balances}.block c JOIN {chain}.transaction t ON t.source_seq = c.source_seq
			WHERE c.height <= $1 AND t.event_count > $2)
		ORDER BY e.source_seq, e.tx_index, e.event_index`, arguments...)
}

// eventPointer returns the JSON pointer of an event in the body of its block's event.
func eventPointer(n int32) string { return "/events/" + strconv.Itoa(int(n)) }
