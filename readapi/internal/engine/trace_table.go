package engine

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// TraceTable describes how the rows of a table are traced: the columns that identify a row, those that hold its values,
// and the events that it comes from.
type TraceTable struct {
	// Projection is the projection that owns the table; empty for a table of the log or of the register.
	Projection string
	// Name is the table's name in the projection's schema; without a projection it includes the schema.
	Name string
	// Join is SQL that follows the table, whose alias is t.
	Join string
	// Key and Values are lists of columns, separated by spaces. A column's name may be followed by a colon and its form:
	// "text" for a number that a JSON number may not hold, "hex" for bytes.
	Key, Values string
	Sources     []TraceSource
	// Order and NewestFirst are those of look-ups (see Lookup) of rows that queries show; without either they are sorted by Key.
	Order       string
	NewestFirst []string
}

// TraceSource is a column that holds the number of an event.
type TraceSource struct {
	Column string
	SQL    string // an expression for the column, if the table itself doesn't have it
	// Pointers is an SQL expression for an array of JSON pointers: the places in the event's body that the row was read
	// from. It may be null.
	Pointers string
	// Report is set if the event may be a report of the metadata fetcher. Such a report itself says where its answers are.
	Report bool
}

// WholeEvent is the TraceSource.Pointers of a row that comes from the whole body of an event.
const WholeEvent = `ARRAY['']`

// relation returns the table's name with its schema, before its expansion by Query.
func (t *TraceTable) relation() string {
	if t.Projection == "" {
		return t.Name
	}
	return "{" + t.Projection + "}." + t.Name
}

// object returns an SQL expression for columns as a JSON object, in their order.
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

// sourcesSQL returns an SQL expression for a row's events as a JSON array, including those that are null.
func (t *TraceTable) sourcesSQL() string {
	terms := make([]string, len(t.Sources))
	for i, source := range t.Sources {
		pointers := source.Pointers
		if pointers == "" {
			pointers = "NULL"
		}
		column := cmp.Or(source.SQL, "t."+source.Column)
		terms[i] = fmt.Sprintf(`json_build_object('column', '%s', 'seq', %s, 'report', %t, 'pointers', %s)`,
			source.Column, column, source.Report, pointers)
	}
	return "json_build_array(" + strings.Join(terms, ", ") + ")"
}

// Lookup finds the rows of a table that are behind an answer.
type Lookup struct {
	// Name is unique within the trace, and part of cursors.
	Name  string
	Table *TraceTable
	// Where is a condition on t with the arguments Args.
	Where string
	Args  []any
	// Order lists the columns to sort by. The order has to be total.
	Order string
	// NewestFirst lists integer columns to sort by, in descending order, instead of Order. A page at any depth is then a
	// range of an index.
	NewestFirst []string
}

// Queue adds to a batch the query for the first rows after a place; a nil place is the beginning.
func (l *Lookup) Queue(b *Batch, after Place, limit int) *Result[LookupRow] {
	args := l.Args[:len(l.Args):len(l.Args)]
	argument := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args)) + "::bigint"
	}
	where, order, skip := l.Where, l.Order, ""
	place := `ARRAY[row_number() OVER (ORDER BY ` + order + `)]`
	if len(l.NewestFirst) > 0 {
		columns := strings.Join(l.NewestFirst, ", ")
		place, order = `ARRAY[`+columns+`]::bigint[]`, strings.Join(l.NewestFirst, " DESC, ")+" DESC"
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
		`SELECT {}, `+place+`, `+object(l.Table.Key)+`::text, `+values+`, `+l.Table.sourcesSQL()+`::text
		FROM `+l.Table.relation()+` t `+l.Table.Join+`
		WHERE `+where+` ORDER BY `+order+skip+` LIMIT `+argument(limit), args...)
}

// Fits reports whether a place can be one of this look-up.
func (l *Lookup) Fits(p Place) bool { return len(p) == max(1, len(l.NewestFirst)) }

// Place is where a page of a look-up begins: after the row with these values in the columns Lookup.NewestFirst, or
// without such columns after this number of rows.
type Place []int64

func (p Place) String() string {
	parts := make([]string, len(p))
	for i, n := range p {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// LookupRow is a row of a look-up. Key, Values and Sources are JSON.
type LookupRow struct {
	Place                Place
	Key, Values, Sources string
}
