package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// shownRows is the first column of a query: the numbers of the events behind a row. In a traced answer it has the rows of
// TraceTables that the row shows instead, as JSON texts [table, key].
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
			if err := s.trace.add(s.Engine, element); err != nil {
				return err
			}
		}
	}
	return nil
}

// shownSQL returns the SQL expression for what stands in braces: "bns.name n, chain.transaction t c.source_seq" are tables
// with aliases, the second one with a further number of an event, which its look-up finds by a join.
func (s *Snapshot) shownSQL(list string) (string, error) {
	var terms []string
	for item := range strings.SplitSeq(list, ",") {
		words := strings.Fields(item)
		if len(words) == 0 {
			continue
		}
		t := s.Engine.traceTables[words[0]]
		if t == nil || len(words) == 1 {
			return "", fmt.Errorf("a query shows rows of %q: want a table of Engine.TraceTables and an alias", item)
		}
		columns := append(t.sourceColumns(words[1]), words[2:]...)
		if s.trace == nil {
			terms = append(terms, columns...)
			continue
		}
		terms = append(terms, fmt.Sprintf(`CASE WHEN %s IS NOT NULL THEN json_build_array('%s', %s)::text END`, columns[0], words[0], keyObject(t.Key, words[1])))
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

// add notes a row as JSON: its table and its key.
func (t *trace) add(e *Engine, row string) error {
	var parts []json.RawMessage
	var name string
	if err := json.Unmarshal([]byte(row), &parts); err != nil {
		return fmt.Errorf("decode the key of a row: %w", err)
	}
	if err := json.Unmarshal(parts[0], &name); err != nil {
		return fmt.Errorf("decode the table of a row: %w", err)
	}
	i := slices.IndexFunc(t.queried, func(r *queriedRows) bool { return r.name == name })
	if i < 0 {
		i = len(t.queried)
		t.queried = append(t.queried, &queriedRows{name: name, table: e.traceTables[name]})
	}
	t.queried[i].keys = append(t.queried[i].keys, string(parts[1]))
	return nil
}

// lookup returns the look-up of the rows.
func (r *queriedRows) lookup() Lookup {
	columns := keyColumns(r.table.Key)
	of := func(alias string) string { return alias + `."` + strings.Join(columns, `", `+alias+`."`) + `"` }
	l := Lookup{
		Name: r.table.Name, Table: r.table, Order: r.table.Order, NewestFirst: r.table.NewestFirst,
		Where: "(" + of("t") + ") IN (SELECT " + of("k") + " FROM json_populate_recordset(NULL::" + r.table.relation() + ", $1::json) k)",
		Args:  []any{"[" + strings.Join(r.keys, ",") + "]"},
	}
	if l.Order == "" && len(l.NewestFirst) == 0 {
		l.Order = of("t")
	}
	return l
}
