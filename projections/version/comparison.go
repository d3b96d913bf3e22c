package version

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// comparison is of one table of two versions: of the columns that both have.
type comparison struct {
	a, b    projections.Schema
	table   string
	key     []string // columns of the primary key; all columns when keyless
	keyless bool     // there is no primary key, or not the same in both
	rest    []string // the other columns
	seqs    bool     // rows name their event
}

func readComparison(ctx context.Context, tx pgx.Tx, a, b projections.Schema, table string) (*comparison, error) {
	c := &comparison{a: a, b: b, table: table}
	columns := map[projections.Schema][]string{}
	keys := map[projections.Schema][]string{}
	for _, v := range []projections.Schema{a, b} {
		rows, err := tx.Query(ctx, `
			SELECT a.attname, coalesce(array_position(k.indkey::int2[], a.attnum), -1)
			FROM pg_attribute a LEFT JOIN pg_index k ON k.indrelid = a.attrelid AND k.indisprimary
			WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
			ORDER BY a.attnum`, v.Table(table))
		if err != nil {
			return nil, fmt.Errorf("read the columns of %s: %w", v.Table(table), err)
		}
		var name string
		var place int
		places := map[string]int{}
		_, err = pgx.ForEachRow(rows, []any{&name, &place}, func() error {
			columns[v] = append(columns[v], name)
			if place >= 0 {
				keys[v] = append(keys[v], name)
				places[name] = place
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the columns of %s: %w", v.Table(table), err)
		}
		slices.SortFunc(keys[v], func(x, y string) int { return places[x] - places[y] })
	}
	both := slices.DeleteFunc(slices.Clone(columns[a]), func(name string) bool { return !slices.Contains(columns[b], name) })
	c.seqs = slices.Contains(both, "source_seq")
	c.key = keys[a]
	if c.keyless = len(c.key) == 0 || !slices.Equal(keys[a], keys[b]); c.keyless {
		c.key = both
		return c, nil
	}
	c.rest = slices.DeleteFunc(both, func(name string) bool { return slices.Contains(c.key, name) })
	return c, nil
}

// sql returns the query that joins the two tables by their keys and keeps the rows that differ. Without a primary key,
// equal rows are numbered, so that each has a key of its own.
func (c *comparison) sql() string {
	quoted := func(prefix, name string) string { return prefix + pgx.Identifier{name}.Sanitize() }
	list := func(names []string, format func(string) string) string {
		all := make([]string, len(names))
		for i, name := range names {
			all[i] = format(name)
		}
		return strings.Join(all, ", ")
	}
	from := func(v projections.Schema) string {
		if !c.keyless {
			return `(SELECT true AS "is here", * FROM ` + v.Table(c.table) + `)`
		}
		columns := list(c.key, func(name string) string { return quoted("", name) })
		return `(SELECT true AS "is here", row(` + columns + `)::text AS "as text", row_number() OVER (PARTITION BY ` + columns + `) AS "of these", ` +
			columns + ` FROM ` + v.Table(c.table) + `)`
	}
	var join, order string
	if c.keyless {
		join = `a."as text" = b."as text" AND a."of these" = b."of these"`
		order = `coalesce(a."as text", b."as text"), coalesce(a."of these", b."of these")`
	} else {
		join = strings.ReplaceAll(list(c.key, func(name string) string { return quoted("a.", name) + ` = ` + quoted("b.", name) }), ", ", " AND ")
		order = list(c.key, func(name string) string { return `coalesce(` + quoted("a.", name) + `, ` + quoted("b.", name) + `)` })
	}
	unlike := ""
	if len(c.rest) > 0 {
		row := func(prefix string) string {
			return `row(` + list(c.rest, func(name string) string { return quoted(prefix, name) }) + `)`
		}
		unlike = ` OR ` + row("a.") + ` IS DISTINCT FROM ` + row("b.")
	}
	seqs := `NULL, NULL`
	if c.seqs {
		seqs = `a.source_seq::text, b.source_seq::text`
	}
	columns := []string{`(b."is here" IS NULL)::text`, `(a."is here" IS NULL)::text`, seqs}
	for _, name := range c.key {
		columns = append(columns, `coalesce(`+quoted("a.", name)+`, `+quoted("b.", name)+`)::text`)
	}
	for _, name := range c.rest {
		columns = append(columns, quoted("a.", name)+`::text`, quoted("b.", name)+`::text`)
	}
	return `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + from(c.a) + ` a FULL JOIN ` + from(c.b) + ` b ON ` + join + `
		WHERE a."is here" IS NULL OR b."is here" IS NULL` + unlike + ` ORDER BY ` + order
}

// comparisonFetch is how many differences are fetched at once.
const comparisonFetch = 500

// run calls each for every row that differs. It returns errEnough when each returns false.
func (c *comparison) run(ctx context.Context, tx pgx.Tx, each func(Difference) bool) error {
	if _, err := tx.Exec(ctx, `DECLARE difference NO SCROLL CURSOR FOR `+c.sql()); err != nil {
		return err
	}
	for {
		// The statement must be described each time: its text is the same for all tables, its columns are not.
		rows, err := tx.Query(ctx, `FETCH `+strconv.Itoa(comparisonFetch)+` FROM difference`, pgx.QueryExecModeDescribeExec)
		if err != nil {
			return err
		}
		differences, err := pgx.CollectRows(rows, c.scan)
		if err != nil {
			return err
		}
		enough := slices.ContainsFunc(differences, func(d Difference) bool { return !each(d) })
		if !enough && len(differences) == comparisonFetch {
			continue
		}
		if _, err := tx.Exec(ctx, `CLOSE difference`); err != nil {
			return err
		}
		if enough {
			return errEnough
		}
		return nil
	}
}

func (c *comparison) scan(row pgx.CollectableRow) (Difference, error) {
	d := Difference{Table: c.table}
	texts := make([]*string, 4+len(c.key)+2*len(c.rest))
	into := make([]any, len(texts))
	for i := range texts {
		into[i] = &texts[i]
	}
	if err := row.Scan(into...); err != nil {
		return d, err
	}
	d.Missing, d.Extra = *texts[0] == "true", *texts[1] == "true"
	d.OldSeq, d.NewSeq = parseNumber(texts[2]), parseNumber(texts[3])
	texts = texts[4:]
	for i, name := range c.key {
		d.Key = append(d.Key, Value{name, texts[i]})
	}
	if d.Missing || d.Extra {
		return d, nil
	}
	texts = texts[len(c.key):]
	for i, name := range c.rest {
		old, now := texts[2*i], texts[2*i+1]
		if (old == nil) != (now == nil) || old != nil && *old != *now {
			d.Columns = append(d.Columns, ColumnDifference{name, old, now})
		}
	}
	return d, nil
}

// parseNumber parses a number that may be null.
func parseNumber(text *string) *int64 {
	if text == nil {
		return nil
	}
	n, err := strconv.ParseInt(*text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}
