package readapi

import "strings"

// numbered is a list of the projection accounts: its rows are numbered from 1 on without holes, the oldest first, and in the
// order of transactions.
type numbered struct {
	table  string // which queries call r
	number string // the column with the numbers
	tx     string // the column with the number of the transaction
	// rows is a condition on r: which rows of the table are of the list. Its arguments begin at $9.
	rows string
	// oldestFirst says that pages are in the order of the numbers; else the newest row is the first.
	oldestFirst bool
}

// inOrder is the list with the oldest or the newest row first.
func (l numbered) inOrder(oldestFirst bool) *numbered {
	l.oldestFirst = oldestFirst
	return &l
}

// accountID is the number of the account that is named by the first argument of a list.
const accountID = `(SELECT a.id FROM {accounts}.account a WHERE a.account = $9)`

var (
	allTransactions     = numbered{table: `{accounts}.transaction`, number: "n", tx: "n", rows: `true`}
	accountTransactions = numbered{table: `{accounts}.account_transaction`, number: "n", tx: "tx", rows: `r.account = ` + accountID}
	// Those that call the account.
	accountCalls  = numbered{table: `{accounts}.account_transaction`, number: "calls", tx: "tx", rows: `r.account = ` + accountID + ` AND r.involvement & 8 <> 0`}
	accountEvents = numbered{table: `{accounts}.account_event`, number: "n", tx: "tx", rows: `r.account = ` + accountID}
	// Those that brought it STX.
	inboundEvents = numbered{table: `{accounts}.account_event`, number: "inbound", tx: "tx", rows: `r.account = ` + accountID + ` AND r.transfer_type IS NOT NULL`}
)

// named is the list whose owner is another argument than $9.
func (l numbered) named(argument string) *numbered {
	l.rows = strings.ReplaceAll(l.rows, "$9", argument)
	return &l
}

func (l *numbered) sql(template string, more ...string) string {
	return strings.NewReplacer(append([]string{"{table}", l.table, "{number}", "r." + l.number, "{tx}", "r." + l.tx, "{rows}", l.rows}, more...)...).Replace(template)
}

// before is SQL for how many rows of the list stand before a transaction. It is found by halving.
func (l *numbered) before(tx string) string {
	if l.number == l.tx { // its rows are all transactions
		return `(` + tx + ` - 1)`
	}
	return l.sql(`(
			WITH RECURSIVE halving (low, high) AS (
				SELECT 0::bigint, coalesce((SELECT {number} FROM {table} r WHERE {rows} ORDER BY {number} DESC LIMIT 1), 0)::bigint
				UNION ALL
				SELECT CASE WHEN middle.tx < {before} THEN middle.number ELSE low END, CASE WHEN middle.tx < {before} THEN high ELSE middle.number - 1 END
				FROM halving
				CROSS JOIN LATERAL (
					SELECT {number}::bigint AS number, {tx} AS tx FROM {table} r WHERE {rows} AND {number} = (low + high + 1) / 2 LIMIT 1
				) middle
				WHERE low < high
			)
			SELECT low FROM halving WHERE low = high LIMIT 1
		)`, "{before}", tx)
}

// pageSQL is SQL for where a page of the list is: low and high are how many rows stand before the range of blocks that is
// asked for, and how many do up to its end; the page begins with the row start. Arguments, as asked makes them:
//
//	$1, $2      heights of the first and the last block; null for no bound
//	$3          number of the row that the offset is counted from
//	$4, $5, $6  or a position in the chain: height, sequence, index. It begins with the first row there or before
//	$7          rows before the page
//	$8          rows of a page
func (l *numbered) pageSQL() string {
	start := `least(bounds.high, CASE
			WHEN $3::bigint IS NOT NULL THEN $3::bigint
			WHEN $4::bigint IS NOT NULL THEN {opened}
			ELSE bounds.high END) - $7::bigint`
	if l.oldestFirst {
		start = `greatest(bounds.low + 1, $3::bigint) + $7::bigint`
	}
	return l.sql(`(
		SELECT bounds.low, bounds.high, `+start+` AS start
		FROM (
			SELECT CASE WHEN $1::bigint IS NULL THEN 0 ELSE {low} END AS low,
			       CASE WHEN $2::bigint IS NULL THEN coalesce((SELECT {number} FROM {table} r WHERE {rows} ORDER BY {number} DESC LIMIT 1), 0)::bigint ELSE {high} END AS high
			OFFSET 0
		) bounds
		WHERE `+allArguments+` OFFSET 0
	) page`,
		"{low}", l.before(`(SELECT coalesce((SELECT k.first_tx FROM {accounts}.block k WHERE k.height >= $1 ORDER BY k.height LIMIT 1), 9223372036854775807))`),
		"{high}", l.before(`(SELECT coalesce((SELECT k.last_tx FROM {accounts}.block k WHERE k.height <= $2 ORDER BY k.height DESC LIMIT 1), 0) + 1)`),
		"{opened}", l.before(`(`+positionTx+` + 1)`))
}

// allArguments is true: it is for queries that don't use all of the arguments, which then have a type all the same.
const allArguments = `($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint) IS DISTINCT FROM (-1, -1, -1, -1, -1, -1, -1, -1)`

// positionTx is SQL for the number of the last transaction up to the position $4, $5, $6.
const positionTx = `coalesce((
				SELECT at.n FROM {accounts}.block k
				CROSS JOIN LATERAL (
					SELECT p.n FROM {accounts}.transaction p
					WHERE p.n >= k.first_tx AND p.n <= k.last_tx AND (coalesce(p.microblock_sequence, 2147483647), p.tx_index) <= ($5::bigint, $6::bigint)
					ORDER BY p.n DESC LIMIT 1
				) at
				WHERE k.height = $4
			), (SELECT k.last_tx FROM {accounts}.block k WHERE k.height < $4 ORDER BY k.height DESC LIMIT 1), 0)`

// rowsSQL is SQL for the rows r of a page, in their order, each with its number in the list and the place of its transaction
// among all. Joins may follow.
func (l *numbered) rowsSQL() string {
	of := `{number} <= page.start AND {number} > page.start - $8::bigint AND {number} > page.low ORDER BY {number} DESC`
	if l.oldestFirst {
		of = `{number} >= page.start AND {number} < page.start + $8::bigint AND {number} <= page.high ORDER BY {number}`
	}
	return l.pageSQL() + l.sql(`
		CROSS JOIN LATERAL (
			SELECT r.*, {number}::bigint AS number, {tx} AS place FROM {table} r
			WHERE {rows} AND `+of+` LIMIT $8::bigint
		) r `)
}

func (l *numbered) order() string { return orderOf(l.oldestFirst) }

// orderOf is SQL for the order of rows r of a page.
func orderOf(oldestFirst bool) string {
	if oldestFirst {
		return `ORDER BY r.number`
	}
	return `ORDER BY r.number DESC`
}

func (l *numbered) ascends() bool         { return l.oldestFirst }
func (l typedTransactions) ascends() bool { return l.oldestFirst }

// pagedList is a list that is paged through by numbers.
type pagedList interface {
	pageSQL() string // where a page stands
	rowsSQL() string // and its rows
	order() string   // of rows
	ascends() bool   // the oldest row is the first
}
