package account

import (
	"strconv"

	"strata/domain/activity"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// transactionPlacesSQL returns SQL for a table, at, of the canonical transactions whose ids are in the array argument
// ids. at.n is the number of a transaction in the chain.
func transactionPlacesSQL(ids string) string {
	return `(
			SELECT p.n, p.height, p.source_seq, p.tx_index, p.microblock_sequence, wanted.txid
			FROM unnest(` + ids + `::bytea[]) wanted (txid)
			CROSS JOIN LATERAL (SELECT t.source_seq, t.tx_index, t.execution_index FROM {chain}.transaction t WHERE t.txid = wanted.txid OFFSET 0) t
			CROSS JOIN LATERAL (SELECT b.height FROM {chain}.block b WHERE b.source_seq = t.source_seq LIMIT 1) b
			CROSS JOIN LATERAL (SELECT k.first_tx FROM {accounts}.block k WHERE k.height = b.height AND k.source_seq = t.source_seq LIMIT 1) k
			CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = k.first_tx + t.execution_index AND p.tx_index = t.tx_index LIMIT 1) p
		) at `
}

// The lists of the account $1.
var (
	ownTransactions = view.AccountTransactions.WithOwner("$1")
	ownEvents       = view.AccountEvents.WithOwner("$1")
)

// memberOfPlace is a condition on {accounts}.account_transaction r, with a limit: the row of the transaction at of
// transactionPlacesSQL in the list of the account $1.
var memberOfPlace = ownTransactions.Rows + ` AND r.n = ` + ownTransactions.Before("(at.n + 1)") + ` AND r.tx = at.n LIMIT 1`

// eventsOfPlace is the FROM item bounds: low and high bound the numbers of the events of the transaction at in the list
// of the account $1.
var eventsOfPlace = `(SELECT ` + ownEvents.Before("at.n") + ` AS low, ` + ownEvents.Before("(at.n + 1)") + ` AS high OFFSET 0) bounds`

// isMove is a condition on {accounts}.account_event r: in the list of the account $1, between bounds, and no lock, which
// moves nothing.
var isMove = ownEvents.Rows + ` AND r.n > bounds.low AND r.n <= bounds.high AND r.kind <> ` + strconv.Itoa(int(activity.STXLock))

// movesSQL selects the events that queueMoves reads.
var movesSQL = `
		SELECT r.shown || ` + placedEventSQL + `
		FROM (SELECT ` + ownEvents.Before("$2::bigint") + ` AS low, ` + ownEvents.Before("($3::bigint + 1)") + ` AS high OFFSET 0) bounds
		CROSS JOIN LATERAL (
			SELECT * FROM (
				SELECT {accounts.account_event r} AS shown, r.event_index, r.n::bigint AS number, r.tx AS place, row_number() OVER (PARTITION BY r.tx ORDER BY r.n) AS nth
				FROM {accounts}.account_event r WHERE ` + isMove + `
			) moves WHERE nth <= $4
		) r ` + placedEventJoin + `ORDER BY r.number`

// queueMoves adds to the batch the query for the events that moved assets of an account in the transactions from place
// from through place to. It reads one range of the account's list, and keeps the first view.TransfersMax events of each
// transaction.
func queueMoves(b *engine.Batch, account string, from, to int64) *engine.Result[listedEvent] {
	return engine.Query(b, listedEventColumns, movesSQL, account, from, to, int64(view.TransfersMax))
}
