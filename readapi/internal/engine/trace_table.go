package engine

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// tracedTable says how rows of a table are traced: what names one, what it says, and which events it comes from.
type TraceTable struct {
	// projection that the table is of; empty for one of the log's or the register's own.
	Projection string
	// name in the projection's schema; with the schema, where there is no projection.
	Name string
	// join is SQL after the table, which queries call t.
	Join string
	// key and values are columns: a name, which may be followed by a colon and how it is written: "text" for a number that
	// a JSON number may not hold, "hex" for bytes.
	Key, Values string
	Sources     []TraceSource
}

// tracedSource is a column that names an event.
type TraceSource struct {
	Column string
	Sql    string // of the column, where the table itself has none
	// pointers is SQL for the JSON pointers, an array, of what the row says in the body of the event. It may be null.
	Pointers string
	// report says that the event may be a report of the fetcher, which says itself where its answers are.
	Report bool
}

// wholeEvent is the JSON pointer of all of a body.
const WholeEvent = `ARRAY['']`

func (t *TraceTable) from() string {
	if t.Projection == "" {
		return t.Name + " t " + t.Join
	}
	return "{" + t.Projection + "}." + t.Name + " t " + t.Join
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
func (t *TraceTable) sourcesSQL() string {
	terms := make([]string, len(t.Sources))
	for i, source := range t.Sources {
		pointers := source.Pointers
		if pointers == "" {
			pointers = "NULL"
		}
		column := cmp.Or(source.Sql, "t."+source.Column)
		terms[i] = fmt.Sprintf(`json_build_object('column', '%s', 'seq', %s, 'report', %t, 'pointers', %s)`, source.Column, column, source.Report, pointers)
	}
	return "json_build_array(" + strings.Join(terms, ", ") + ")"
}

// lookup finds rows of a table behind an answer.
type Lookup struct {
	// name tells it from the others of its trace: it is part of cursors.
	Name  string
	Table *TraceTable
	// where is a condition on t, with the arguments args.
	Where string
	Args  []any
	// order is what the rows are sorted by; it has to tell all of them apart.
	Order string
	// newestFirst are columns of whole numbers, which the rows are sorted by, the greatest first, instead: a page at any
	// depth is a range of an index then.
	NewestFirst []string
}

// queue adds the query for the first rows after a place to a batch; nil is the beginning.
func (l *Lookup) Queue(b *Batch, after Place, limit int) *Result[LookupRow] {
	args := l.Args[:len(l.Args):len(l.Args)]
	argument := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args)) + "::bigint"
	}
	where, order, skip := l.Where, l.Order, ""
	at := `ARRAY[row_number() OVER (ORDER BY ` + order + `)]`
	if len(l.NewestFirst) > 0 {
		columns := strings.Join(l.NewestFirst, ", ")
		at, order = `ARRAY[`+columns+`]::bigint[]`, strings.Join(l.NewestFirst, " DESC, ")+" DESC"
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
	if l.Table.Values != "" {
		values = object(l.Table.Values) + "::text"
	}
	return Query(b, func(r *LookupRow) []any { return []any{(*[]int64)(&r.Place), &r.Key, &r.Values, &r.Sources} },
		`SELECT ARRAY[]::bigint[], `+at+`, `+object(l.Table.Key)+`::text, `+values+`, `+l.Table.sourcesSQL()+`::text
		FROM `+l.Table.from()+`
		WHERE `+where+` ORDER BY `+order+skip+` LIMIT `+argument(limit), args...)
}

// fits says whether a place can be one of the look-up.
func (l *Lookup) Fits(p Place) bool { return len(p) == max(1, len(l.NewestFirst)) }
