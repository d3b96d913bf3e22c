package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// shownRows is the first column of a query: the numbers of the events behind a row. In a traced answer it has the rows of
// TraceTables that the row shows instead, as JSON texts [table, key, numbers].
type shownRows struct {
	sources []int64
	traced  any
}

// destination returns the scan destination of the column.
func (r *shownRows) destination(s *Snapshot) any {
	if s.trace != nil {
		return &r.traced
	}
	return &r.sources
}

// show notes that the answer shows what a row shows.
func (s *Snapshot) show(r *shownRows) error {
	s.Provenance.Sources = append(s.Provenance.Sources, r.sources...)
	if s.trace == nil {
		return nil
	}
	elements, _ := r.traced.([]any)
	for _, element := range elements {
		switch element := element.(type) {
		case int64:
			s.Provenance.Sources = append(s.Provenance.Sources, element)
		case string:
			sources, err := s.trace.add(s.Engine, element)
			if err != nil {
				return err
			}
			s.Provenance.Sources = append(s.Provenance.Sources, sources...)
		}
	}
	return nil
}

// shownSQL returns the SQL expression for what stands in braces: tables with aliases, such as "bns.name n, chain.block b", and
// columns with numbers of events, such as "c.source_seq", which the look-up of another row finds by a join.
func (s *Snapshot) shownSQL(list string) (string, error) {
	var terms []string
	for item := range strings.SplitSeq(list, ",") {
		name, alias, isTable := strings.Cut(strings.TrimSpace(item), " ")
		t := s.Engine.traceTables[name]
		switch {
		case !isTable && s.trace == nil && name != "":
			terms = append(terms, name)
		case !isTable:
		case t == nil:
			return "", fmt.Errorf("a query shows rows of %q, which is no table of Engine.TraceTables", name)
		case s.trace == nil:
			terms = append(terms, t.sourceColumns(alias)...)
		default:
			// A row of an outer join that is not there has no key. A row that is there may have no event.
			terms = append(terms, fmt.Sprintf(`CASE WHEN %s."%s" IS NOT NULL THEN json_build_array('%s', %s, json_build_array(%s))::text END`,
				alias, keyColumns(t.Key)[0], name, keyObject(t.Key, alias), strings.Join(t.sourceColumns(alias), ", ")))
		}
	}
	form := "bigint"
	if s.trace != nil {
		form = "text"
	}
	if len(terms) == 0 {
		return "NULL::" + form + "[]", nil
	}
	return "array_remove(ARRAY[" + strings.Join(terms, ", ") + "], NULL::" + form + ")", nil
}

// sourceColumns returns the table's own columns that hold numbers of events.
func (t *TraceTable) sourceColumns(alias string) (columns []string) {
	for _, source := range t.Sources {
		if source.SQL == "" {
			columns = append(columns, alias+"."+source.Column)
		}
	}
	return columns
}

// keyObject returns an SQL expression for the key columns of a row as a JSON object, in Postgres' own forms.
func keyObject(key, alias string) string {
	terms := keyColumns(key)
	for i, name := range terms {
		terms[i] = "'" + name + "', " + alias + `."` + name + `"`
	}
	return "json_build_object(" + strings.Join(terms, ", ") + ")"
}

// keyColumns returns the names of columns without their forms.
func keyColumns(key string) []string {
	names := strings.Fields(key)
	for i := range names {
		names[i], _, _ = strings.Cut(names[i], ":")
	}
	return names
}

// queriedRows are rows of a table that the queries of an answer show.
type queriedRows struct {
	name  string
	table *TraceTable
	keys  []string // JSON objects
}

// add notes a row, given as JSON, and returns the numbers of its events.
func (t *trace) add(e *Engine, row string) ([]int64, error) {
	var name string
	var key json.RawMessage
	var sources []*int64
	if err := json.Unmarshal([]byte(row), &[3]any{&name, &key, &sources}); err != nil {
		return nil, fmt.Errorf("decode what a query shows: %w", err)
	}
	i := slices.IndexFunc(t.queried, func(r *queriedRows) bool { return r.name == name })
	if i < 0 {
		i = len(t.queried)
		t.queried = append(t.queried, &queriedRows{name: name, table: e.traceTables[name]})
	}
	t.queried[i].keys = append(t.queried[i].keys, string(key))
	numbers := make([]int64, 0, len(sources))
	for _, seq := range sources {
		if seq != nil {
			numbers = append(numbers, *seq)
		}
	}
	return numbers, nil
}

// lookup returns the look-up of the rows.
func (r *queriedRows) lookup() Lookup {
	l := Lookup{Name: r.name, Table: r.table, Order: r.table.Order, NewestFirst: r.table.NewestFirst}
	l.Where = r.condition("IN", &l)
	if l.Order == "" && len(l.NewestFirst) == 0 {
		l.Order = `t."` + strings.Join(keyColumns(r.table.Key), `", t."`) + `"`
	}
	return l
}

// exclude removes the rows from another look-up, so that no row comes twice.
func (r *queriedRows) exclude(l *Lookup) {
	if l.Table == r.table {
		l.Where = "(" + l.Where + ") AND " + r.condition("NOT IN", l)
	}
}

// condition returns an SQL condition on the key of t, and adds its argument to a look-up.
func (r *queriedRows) condition(operator string, l *Lookup) string {
	columns := strings.Join(keyColumns(r.table.Key), `", {}."`)
	of := func(alias string) string { return strings.ReplaceAll(`{}."`+columns+`"`, "{}", alias) }
	l.Args = append(l.Args[:len(l.Args):len(l.Args)], "["+strings.Join(r.keys, ",")+"]")
	return fmt.Sprintf("(%s) %s (SELECT %s FROM json_populate_recordset(NULL::%s, $%d::json) k)", of("t"), operator, of("k"), r.table.relation(), len(l.Args))
}
