package readapi

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// tracedTable says how rows of a table are traced: what names one, what it says, and which events it comes from.
type tracedTable struct {
	// projection that the table is of; empty for one of the log's or the register's own.
	projection string
	// name in the projection's schema; with the schema, where there is no projection.
	name string
	// join is SQL after the table, which queries call t.
	join string
	// key and values are columns: a name, which may be followed by a colon and how it is written: "text" for a number that
	// a JSON number may not hold, "hex" for bytes.
	key, values string
	sources     []tracedSource
}

// tracedSource is a column that names an event.
type tracedSource struct {
	column string
	sql    string // of the column, where the table itself has none
	// pointers is SQL for the JSON pointers, an array, of what the row says in the body of the event. It may be null.
	pointers string
	// report says that the event may be a report of the fetcher, which says itself where its answers are.
	report bool
}

// wholeEvent is the JSON pointer of all of a body.
const wholeEvent = `ARRAY['']`

func (t *tracedTable) from() string {
	if t.projection == "" {
		return t.name + " t " + t.join
	}
	return "{" + t.projection + "}." + t.name + " t " + t.join
}

// object is SQL for columns as a JSON object, in their order.
func object(columns string) string {
	var terms []string
	for column := range strings.FieldsSeq(columns) {
		name, form, _ := strings.Cut(column, ":")
		value := `t."` + name + `"`
		switch form {
		case "text":
			value += "::text"
		case "hex":
			value = "'0x' || encode(" + value + ", 'hex')"
		}
		terms = append(terms, "'"+name+"', "+value)
	}
	return "json_build_object(" + strings.Join(terms, ", ") + ")"
}

// sourcesSQL is SQL for the events as a JSON array, those that are null included.
func (t *tracedTable) sourcesSQL() string {
	terms := make([]string, len(t.sources))
	for i, source := range t.sources {
		pointers := source.pointers
		if pointers == "" {
			pointers = "NULL"
		}
		column := cmp.Or(source.sql, "t."+source.column)
		terms[i] = fmt.Sprintf(`json_build_object('column', '%s', 'seq', %s, 'report', %t, 'pointers', %s)`, source.column, column, source.report, pointers)
	}
	return "json_build_array(" + strings.Join(terms, ", ") + ")"
}

// lookup finds rows of a table behind an answer.
type lookup struct {
	// name tells it from the others of its trace: it is part of cursors.
	name  string
	table *tracedTable
	// where is a condition on t, with the arguments args.
	where string
	args  []any
	// order is what the rows are sorted by; it has to tell all of them apart.
	order string
	// newestFirst are columns of whole numbers, which the rows are sorted by, the greatest first, instead: a page at any
	// depth is a range of an index then.
	newestFirst []string
}

// place is where a page of a look-up begins: after the row with these numbers in the columns newestFirst, or after so many
// rows.
type place []int64

func (p place) String() string {
	parts := make([]string, len(p))
	for i, n := range p {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// tracedRow is a row of a look-up as it is read.
type tracedRow struct {
	place                place
	key, values, sources string
}

// queue adds the query for the first rows after a place to a batch; nil is the beginning.
func (l *lookup) queue(b *batch, after place, limit int) *result[tracedRow] {
	args := l.args[:len(l.args):len(l.args)]
	argument := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args)) + "::bigint"
	}
	where, order, skip := l.where, l.order, ""
	at := `ARRAY[row_number() OVER (ORDER BY ` + order + `)]`
	if len(l.newestFirst) > 0 {
		columns := strings.Join(l.newestFirst, ", ")
		at, order = `ARRAY[`+columns+`]::bigint[]`, strings.Join(l.newestFirst, " DESC, ")+" DESC"
		if len(after) > 0 {
			bounds := make([]string, len(after))
			for i, n := range after {
				bounds[i] = argument(n)
			}
			where = "(" + where + ") AND (" + columns + ") < (" + strings.Join(bounds, ", ") + ")"
		}
	} else if len(after) > 0 {
		skip = " OFFSET " + argument(after[0])
	}
	values := "'{}'"
	if l.table.values != "" {
		values = object(l.table.values) + "::text"
	}
	return query(b, func(r *tracedRow) []any { return []any{(*[]int64)(&r.place), &r.key, &r.values, &r.sources} },
		`SELECT ARRAY[]::bigint[], `+at+`, `+object(l.table.key)+`::text, `+values+`, `+l.table.sourcesSQL()+`::text
		FROM `+l.table.from()+`
		WHERE `+where+` ORDER BY `+order+skip+` LIMIT `+argument(limit), args...)
}

// fits says whether a place can be one of the look-up.
func (l *lookup) fits(p place) bool { return len(p) == max(1, len(l.newestFirst)) }
