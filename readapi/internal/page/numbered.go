package page

import (
	"strings"
)

// numbered is a list of the projection accounts: its rows are numbered from 1 on without holes, the oldest first, and in the
// order of transactions.
type Numbered struct {
	Table  string // which queries call r
	Number string // the column with the numbers
	Tx     string // the column with the number of the transaction
	// rows is a condition on r: which rows of the table are of the list. Its arguments begin at $9.
	Rows string
	// oldestFirst says that pages are in the order of the numbers; else the newest row is the first.
	OldestFirst bool
}

// inOrder is the list with the oldest or the newest row first.
func (l Numbered) InOrder(oldestFirst bool) *Numbered {
	l.OldestFirst = oldestFirst
	return &l
}

// named is the list whose owner is another argument than $9.
func (l Numbered) WithOwner(argument string) *Numbered {
	l.Rows = strings.ReplaceAll(l.Rows, "$9", argument)
	return &l
}

func (l *Numbered) Sql(template string, more ...string) string {
	return strings.NewReplacer(append([]string{"{table}", l.Table, "{number}", "r." + l.Number, "{tx}", "r." + l.Tx, "{rows}", l.Rows}, more...)...).Replace(template)
}

// before is SQL for how many rows of the list stand before a transaction. It is found by halving.
func (l *Numbered) Before(tx string) string {
	if l.Number == l.Tx { // its rows are all transactions
		return `(` + tx + ` - 1)`
	}
	return l.Sql(`(
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
func (l *Numbered) PageSQL() string {
	start := `least(bounds.high, CASE
			WHEN $3::bigint IS NOT NULL THEN $3::bigint
			WHEN $4::bigint IS NOT NULL THEN {opened}
			ELSE bounds.high END) - $7::bigint`
	if l.OldestFirst {
		start = `greatest(bounds.low + 1, $3::bigint) + $7::bigint`
	}
	return l.Sql(`(
		SELECT bounds.low, bounds.high, `+start+` AS start
		FROM (
			SELECT CASE WHEN $1::bigint IS NULL THEN 0 ELSE {low} END AS low,
			       CASE WHEN $2::bigint IS NULL THEN coalesce((SELECT {number} FROM {table} r WHERE {rows} ORDER BY {number} DESC LIMIT 1), 0)::bigint ELSE {high} END AS high
			OFFSET 0
		) bounds
		WHERE `+allArguments+` OFFSET 0
	) page`,
		"{low}", l.Before(`(SELECT coalesce((SELECT k.first_tx FROM {accounts}.block k WHERE k.height >= $1 ORDER BY k.height LIMIT 1), 9223372036854775807))`),
		"{high}", l.Before(`(SELECT coalesce((SELECT k.last_tx FROM {accounts}.block k WHERE k.height <= $2 ORDER BY k.height DESC LIMIT 1), 0) + 1)`),
		"{opened}", l.Before(`(`+positionTx+` + 1)`))
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
func (l *Numbered) RowsSQL() string {
	of := `{number} <= page.start AND {number} > page.start - $8::bigint AND {number} > page.low ORDER BY {number} DESC`
	if l.OldestFirst {
		of = `{number} >= page.start AND {number} < page.start + $8::bigint AND {number} <= page.high ORDER BY {number}`
	}
	return l.PageSQL() + l.Sql(`
		CROSS JOIN LATERAL (
			SELECT r.*, {number}::bigint AS number, {tx} AS place FROM {table} r
			WHERE {rows} AND `+of+` LIMIT $8::bigint
		) r `)
}

func (l *Numbered) Order() string { return orderOf(l.OldestFirst) }

// orderOf is SQL for the order of rows r of a page.
func orderOf(oldestFirst bool) string {
	if oldestFirst {
		return `ORDER BY r.number`
	}
	return `ORDER BY r.number DESC`
}

func (l *Numbered) ascends() bool { return l.OldestFirst }

func (l Typed) ascends() bool { return l.OldestFirst }

// pagedList is a list that is paged through by numbers.
type List interface {
	PageSQL() string // where a page stands
	RowsSQL() string // and its rows
	Order() string   // of rows
	ascends() bool   // the oldest row is the first
}
