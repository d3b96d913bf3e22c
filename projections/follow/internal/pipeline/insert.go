package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copyMin is how many rows are sent with the COPY protocol. It takes round trips of its own and the server sets it up
// anew each time; from there on that costs less than INSERT does.
const copyMin = 128

// insertion returns the INSERT of rows, and its arguments, which follow as many others: the values of one row, or an array
// for each column. The statement is the same for any number of rows, so that the server plans it once. It returns an empty
// text when a column has arrays, which an array of them would mix up.
func (s *statements) insertion(table string, columns []string, types columnTypes, rows [][]any, others int) (sql string, args []any) {
	insert := into{table: table, columns: columns, types: types, others: others, single: len(rows) == 1}
	if insert.single {
		return s.textOf(&insert), rows[0]
	}
	insert.written = make([]bool, len(columns))
	for i, column := range columns {
		if typ := types[column]; typ == "" || strings.HasSuffix(typ, "[]") {
			return "", nil
		}
		var array []any
		array, insert.written[i] = columnOf(rows, i)
		args = append(args, array)
	}
	return s.textOf(&insert), args
}

// into is an INSERT into a table.
type into struct {
	table   string // quoted
	columns []string
	types   columnTypes
	others  int    // arguments before its own
	single  bool   // it is of one row
	written []bool // the values of these columns are texts; nil for one row
}

// textOf returns the text of an INSERT. Those of a projection come again with each block, so they are kept.
func (s *statements) textOf(i *into) string {
	s.key = i.appendKey(s.key[:0])
	text, ok := s.insertions[string(s.key)]
	if !ok {
		text = i.text()
		s.insertions[string(s.key)] = text
	}
	return text
}

// appendKey appends what tells the text from those of other INSERTs.
func (i *into) appendKey(key []byte) []byte {
	key = append(append(key, i.table...), 0)
	for _, column := range i.columns {
		key = append(append(key, column...), 0)
	}
	for _, written := range i.written {
		key = strconv.AppendBool(key, written)
	}
	return strconv.AppendInt(key, int64(i.others), 10)
}

func (i *into) text() string {
	names := make([]string, len(i.columns))
	for n, column := range i.columns {
		names[n] = pgx.Identifier{column}.Sanitize()
	}
	start := "INSERT INTO " + i.table + " (" + strings.Join(names, ", ") + ") "
	if i.single {
		return start + "VALUES (" + listed(i.others, len(i.columns), "$") + ")"
	}
	arrays, values := make([]string, len(i.columns)), make([]string, len(i.columns))
	for n, column := range i.columns {
		typ := i.types[column]
		values[n] = "c" + strconv.Itoa(n+1)
		if i.written[n] && typ != "text" {
			values[n] += "::" + typ
			typ = "text"
		}
		arrays[n] = fmt.Sprintf("$%d::%s[]", i.others+n+1, typ)
	}
	return start + "SELECT " + strings.Join(values, ", ") + " FROM unnest(" + strings.Join(arrays, ", ") + ") AS u (" + listed(0, len(i.columns), "c") + ")"
}

// columnOf returns the values of a column, and reports whether they are texts.
func columnOf(rows [][]any, column int) (values []any, text bool) {
	values = make([]any, len(rows))
	for i, row := range rows {
		values[i] = row[column]
		switch row[column].(type) {
		case string, *string:
			text = true
		}
	}
	return values, text
}

// listed returns n names: prefix1, prefix2 and so on, or what follows as many others.
func listed(others, n int, prefix string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = prefix + strconv.Itoa(others+i+1)
	}
	return strings.Join(all, ", ")
}

// insertions are INSERTs into different tables, one after the other, which become one statement. To start a statement costs
// more than to insert the few rows of a block.
type insertions struct {
	tables []string
	texts  []string
}

// maxInsertions and maxArguments bound a statement.
const (
	maxInsertions = 16
	maxArguments  = 1000
)

// takes reports whether a statement that is queued can have rows of another table as well.
func (r *request) takes(lane int, table string, columns int) bool {
	return r.insertions != nil && r.sql == "" && r.lane == lane && len(r.insertions.texts) < maxInsertions && len(r.args)+columns <= maxArguments &&
		!slices.Contains(r.insertions.tables, table)
}

// text returns the statement.
func (i *insertions) text() string {
	last := len(i.texts) - 1
	if last == 0 {
		return i.texts[0]
	}
	var b strings.Builder
	for n, text := range i.texts[:last] {
		b.WriteString([]string{"WITH i", ", i"}[min(n, 1)])
		b.WriteString(strconv.Itoa(n + 1))
		b.WriteString(" AS (")
		b.WriteString(text)
		b.WriteString(")")
	}
	b.WriteString(" ")
	b.WriteString(i.texts[last])
	return b.String()
}

// insert queues the INSERT of rows, with that of other tables if it comes directly after it. It returns false when the rows
// can't be inserted by one INSERT.
func (t *laneTx) insert(table pgx.Identifier, columns []string, types columnTypes, rows [][]any) bool {
	p, name := t.lane.pipeline, table.Sanitize()
	var with *request
	if n := len(p.queue); n > 0 && p.queue[n-1].takes(t.lane.index, name, len(columns)) {
		with = p.queue[n-1]
	}
	others := 0
	if with != nil {
		others = len(with.args)
	}
	text, args := p.prepared.insertion(name, columns, types, rows, others)
	if text == "" {
		return false
	}
	if with == nil {
		with = &request{lane: t.lane.index, insertions: &insertions{}}
		p.queue = append(p.queue, with)
	}
	with.insertions.tables, with.insertions.texts = append(with.insertions.tables, name), append(with.insertions.texts, text)
	with.args = append(with.args[:others:others], args...)
	return true
}
