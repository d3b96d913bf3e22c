package page

import (
	"strings"
)

// Numbered is a list of the projection accounts. The projection numbers the rows of each owner from 1 without gaps,
// oldest first, in the order of transactions.
type Numbered struct {
	Table  string // queries give it the alias r
	Number string // the column with the row's number in the list
	Tx     string // the column with the number of the row's transaction
	// Rows is the SQL condition on r that selects the rows of the list. Its arguments begin at $9.
	Rows string
	// OldestFirst orders pages by ascending number; otherwise the newest row comes first.
	OldestFirst bool
}

// InOrder returns a copy of the list that begins with its oldest or its newest row.
func (l Numbered) InOrder(oldestFirst bool) *Numbered {
	l.OldestFirst = oldestFirst
	return &l
}

// WithOwner returns a copy of the list that takes its owner from the given argument instead of $9.
func (l Numbered) WithOwner(argument string) *Numbered {
	l.Rows = strings.ReplaceAll(l.Rows, "$9", argument)
	return &l
}

// SQL fills in a template: {table}, {number}, {tx} and {rows} stand for the parts of the list, {shown} says that an answer shows
// its row r, and more holds further pairs of placeholder and replacement.
func (l *Numbered) SQL(template string, more ...string) string {
	return strings.NewReplacer(append([]string{"{table}", l.Table, "{number}", "r." + l.Number, "{tx}", "r." + l.Tx, "{rows}", l.Rows, "{shown}", strings.Replace(l.Table, "}", "", 1) + " r}"}, more...)...).Replace(template)
}

// Before returns the SQL expression for how many rows of the list precede a transaction; tx is the SQL expression for
// the number of that transaction.
func (l *Numbered) Before(tx string) string {
	if l.Number == l.Tx { // the list holds every transaction
		return `(` + tx + ` - 1)`
	}
	return Bisection{
		Low:   `0::bigint`,
		High:  l.SQL(`coalesce((SELECT {number} FROM {table} r WHERE {rows} ORDER BY {number} DESC LIMIT 1), 0)::bigint`),
		Probe: l.SQL(`SELECT {number}::bigint AS n, {tx} < {before} AS holds FROM {table} r WHERE {rows} AND {number} = {middle} LIMIT 1`, "{before}", tx),
	}.Last()
}

// PageSQL returns the SQL for the bounds of a page, as a FROM item with the alias page. Its column low is the number of
// rows before the requested range of blocks, high the number of rows up to the end of that range, and start the number
// of the first row of the page. Request.Args supplies the arguments:
//
//	$1, $2      heights of the first and the last block; null for no bound
//	$3          number of the row that the offset is counted from
//	$4, $5, $6  instead of $3, a position in the chain (height, sequence, index): the page begins with the last row
//	            at or before it
//	$7          rows to skip
//	$8          rows of a page
func (l *Numbered) PageSQL() string {
	start := `least(bounds.high, CASE
			WHEN $3::bigint IS NOT NULL THEN $3::bigint
			WHEN $4::bigint IS NOT NULL THEN {opened}
			ELSE bounds.high END) - $7::bigint`
	if l.OldestFirst {
		start = `greatest(bounds.low + 1, $3::bigint) + $7::bigint`
	}
	return l.SQL(`(
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

// allArguments is a condition that always holds. It gives every argument a type in queries that do not use all of them.
const allArguments = `($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint) IS DISTINCT FROM (-1, -1, -1, -1, -1, -1, -1, -1)`

// positionTx is the SQL expression for the number of the last transaction at or before the position $4, $5, $6.
const positionTx = `coalesce((
				SELECT at.n FROM {accounts}.block k
				CROSS JOIN LATERAL (
					SELECT p.n FROM {accounts}.transaction p
					WHERE p.n >= k.first_tx AND p.n <= k.last_tx AND (coalesce(p.microblock_sequence, 2147483647), p.tx_index) <= ($5::bigint, $6::bigint)
					ORDER BY p.n DESC LIMIT 1
				) at
				WHERE k.height = $4
			), (SELECT k.last_tx FROM {accounts}.block k WHERE k.height < $4 ORDER BY k.height DESC LIMIT 1), 0)`

// RowsSQL returns the SQL for the rows r of a page. Each has its number in the list, and as place the number of its
// transaction among all transactions. Callers may append joins; Order keeps the rows in the order of the list.
func (l *Numbered) RowsSQL() string {
	window := `{number} <= page.start AND {number} > page.start - $8::bigint AND {number} > page.low ORDER BY {number} DESC`
	if l.OldestFirst {
		window = `{number} >= page.start AND {number} < page.start + $8::bigint AND {number} <= page.high ORDER BY {number}`
	}
	return l.PageSQL() + l.SQL(`
		CROSS JOIN LATERAL (
			SELECT r.*, {number}::bigint AS number, {tx} AS place FROM {table} r
			WHERE {rows} AND `+window+` LIMIT $8::bigint
		) r `)
}

// Order returns the ORDER BY clause for the rows r of a page.
func (l *Numbered) Order() string { return orderOf(l.OldestFirst) }

// orderOf returns the ORDER BY clause for the rows r of a page.
func orderOf(oldestFirst bool) string {
	if oldestFirst {
		return `ORDER BY r.number`
	}
	return `ORDER BY r.number DESC`
}

func (l *Numbered) neighboursSQL() string {
	return `
		SELECT {}, beside.number, t.height, coalesce(t.microblock_sequence, 2147483647), t.tx_index, k.index_block_hash
		FROM ` + l.PageSQL() + l.SQL(`
		CROSS JOIN LATERAL (VALUES
			(CASE WHEN page.start - $8::bigint > page.low THEN page.start - $8::bigint END),
			(CASE WHEN page.start < page.high AND page.low < page.high THEN least(page.high, greatest(page.start, page.low) + $8::bigint) END)
		) beside (number)
		CROSS JOIN LATERAL (SELECT {tx} AS place FROM {table} r WHERE {rows} AND {number} = beside.number LIMIT 1) r
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction t WHERE t.n = r.place LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.block k WHERE k.height = t.height LIMIT 1) k`)
}

func (l *Numbered) ascends() bool { return l.OldestFirst }

func (l *Numbered) shown() string { return l.SQL(`{shown}`) }
