package tablefile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/schema"
)

// kind is how a column is exported.
type kind int

const (
	text    kind = iota // also numbers beyond 64 bits, as decimals
	integer             // up to 64 bits
	boolean
	instant // microseconds
	binary
	list // JSON
)

// column is a column of a view or a table.
type column struct {
	name, postgres string
	kind           kind
}

// expression returns the SQL that selects the column in the form in which it is exported.
func (c column) expression() string {
	name := `exported.` + pgx.Identifier{c.name}.Sanitize()
	switch {
	case c.kind == list && c.postgres == "bytea[]":
		return `(SELECT json_agg('0x' || encode(x, 'hex') ORDER BY i) FROM unnest(` + name + `) WITH ORDINALITY AS u (x, i))::text`
	case c.kind == list: // numbers as text: readers of JSON round large ones
		return `array_to_json(` + name + `::text[])::text`
	case c.kind == integer:
		return name + `::bigint`
	case c.kind == text:
		return name + `::text`
	}
	return name
}

// source is what is exported.
type source struct {
	relation string // as the user knows it
	from     string // in SQL
	columns  []column
	facts    map[string]string // of the snapshot: what the metadata of a Parquet file has
}

// find looks up a view of schema api, or a table of the active version of a projection.
func find(ctx context.Context, tx pgx.Tx, options Options) (s source, err error) {
	name, at := options.Name, ""
	projection, table, ofProjection := strings.Cut(name, ".")
	var owner schema.Schema
	switch {
	case projection == "api":
		name, ofProjection = table, false
		fallthrough
	case !ofProjection:
		s.relation, s.from = "api."+name, pgx.Identifier{"api", name}.Sanitize()
		owner, err = ownerOf(ctx, tx, name)
	default:
		owner.Name = projection
		err = tx.QueryRow(ctx, `SELECT version FROM strata.active WHERE name = $1`, projection).Scan(&owner.Version)
		if errors.Is(err, pgx.ErrNoRows) {
			return s, fmt.Errorf("there is no active version of a projection %q; strata projections status lists them", projection)
		}
		s.relation, s.from = name, owner.Table(table)
	}
	if err != nil {
		return s, err
	}
	relation := s.from
	if options.At != nil {
		if at, err = history(ctx, tx, name, ofProjection); err != nil {
			return s, err
		}
		s.from = fmt.Sprintf(`%s(%d)`, at, *options.At)
	}
	if err := s.describe(ctx, tx, relation, at); err != nil {
		return s, err
	}
	if h := options.Heights; h != nil {
		if err := s.restrictToHeights(*h); err != nil {
			return s, err
		}
	}
	return s, s.readSnapshotFacts(ctx, tx, owner, options.At)
}

// restrictToHeights selects the rows of some heights, by an index that the table has for that.
func (s *source) restrictToHeights(h Heights) error {
	if !slices.ContainsFunc(s.columns, func(c column) bool { return c.name == "height" }) {
		return fmt.Errorf("%s has no column height", s.relation)
	}
	order := `height`
	for _, name := range []string{"tx_index", "event_index", "account", "asset", "n"} {
		if slices.ContainsFunc(s.columns, func(c column) bool { return c.name == name }) {
			order += `, ` + name
		}
	}
	s.from = fmt.Sprintf(`(SELECT * FROM %s WHERE height BETWEEN %d AND %d ORDER BY %s)`, s.from, h.First, h.Last, order)
	return nil
}

// ownerOf returns the version whose tables a view of schema api shows.
func ownerOf(ctx context.Context, tx pgx.Tx, view string) (owner schema.Schema, err error) {
	var shown string
	err = tx.QueryRow(ctx, `
		SELECT n.nspname
		FROM pg_rewrite r
		JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
		JOIN pg_class t ON t.oid = d.refobjid
		JOIN pg_namespace n ON n.oid = t.relnamespace
		JOIN strata.projection p ON n.nspname = p.name || '_v' || p.version
		WHERE r.ev_class = to_regclass($1) LIMIT 1`, pgx.Identifier{"api", view}.Sanitize()).Scan(&shown)
	if errors.Is(err, pgx.ErrNoRows) {
		return owner, fmt.Errorf("schema api has no view %q; docs/sql.md lists them, and projection.table names a table as it is", view)
	}
	if err != nil {
		return owner, fmt.Errorf("look up what view api.%s shows: %w", view, err)
	}
	return schema.Parse(shown)
}

// history returns the function that shows earlier states of a view.
func history(ctx context.Context, tx pgx.Tx, view string, ofProjection bool) (function string, err error) {
	rows, _ := tx.Query(ctx, `SELECT left(proname, -3)::text FROM pg_proc WHERE pronamespace = 'api'::regnamespace AND proname LIKE '%\_at' ORDER BY 1`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("read which views have a history: %w", err)
	}
	for _, name := range names {
		if name == view && !ofProjection {
			return pgx.Identifier{"api", name + "_at"}.Sanitize(), nil
		}
	}
	return "", fmt.Errorf("%s has no earlier states to export with --at; these have: %s", view, strings.Join(names, ", "))
}

// describe reads the columns: those of the relation or, if there is one, of the function's result.
func (s *source) describe(ctx context.Context, tx pgx.Tx, relation, function string) error {
	query, argument := `SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, relation
	if function != "" {
		query, argument = `
			SELECT a.name, format_type(a.type, NULL)
			FROM pg_proc p, unnest(p.proargnames, p.proallargtypes, p.proargmodes) WITH ORDINALITY AS a (name, type, mode, n)
			WHERE p.oid = to_regproc($1) AND a.mode = 't' ORDER BY a.n`, function
	}
	rows, _ := tx.Query(ctx, query, argument)
	var c column
	if _, err := pgx.ForEachRow(rows, []any{&c.name, &c.postgres}, func() error {
		c.kind = kindOf(c.postgres)
		s.columns = append(s.columns, c)
		return nil
	}); err != nil {
		return fmt.Errorf("read the columns of %s: %w", s.relation, err)
	}
	if len(s.columns) == 0 {
		return fmt.Errorf("there is no table %s", s.relation)
	}
	return nil
}

func kindOf(postgres string) kind {
	switch {
	case strings.HasSuffix(postgres, "[]"):
		return list
	case postgres == "smallint" || postgres == "integer" || postgres == "bigint":
		return integer
	case postgres == "boolean":
		return boolean
	case postgres == "timestamp with time zone":
		return instant
	case postgres == "bytea":
		return binary
	}
	return text
}

// readSnapshotFacts reads what the snapshot reflects, and refuses a height above it.
func (s *source) readSnapshotFacts(ctx context.Context, tx pgx.Tx, owner schema.Schema, at *int64) error {
	var seq, height int64
	var rules int
	var hash []byte
	err := tx.QueryRow(ctx, `
		SELECT coalesce(rules, version), log_seq, coalesce(block_height, -1), index_block_hash FROM strata.projection WHERE name = $1 AND version = $2`,
		owner.Name, owner.Version).Scan(&rules, &seq, &height, &hash)
	if err != nil {
		return fmt.Errorf("read where projection %s stands: %w", owner, err)
	}
	s.facts = map[string]string{
		"strata.relation": s.relation, "strata.projection": owner.String(), "strata.rules": strconv.Itoa(rules),
		"strata.log_seq": strconv.FormatInt(seq, 10),
	}
	if height >= 0 {
		s.facts["strata.block_height"] = strconv.FormatInt(height, 10)
		s.facts["strata.index_block_hash"] = fmt.Sprintf("0x%x", hash)
	}
	if at == nil {
		return nil
	}
	if *at < 0 || *at > height {
		return fmt.Errorf("there is no block at height %d yet; the newest one is at %d", *at, height)
	}
	s.facts["strata.at_height"] = strconv.FormatInt(*at, 10)
	return nil
}
