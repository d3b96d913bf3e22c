package projections

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/schema"
)

// Schema identifies one version of a projection's tables, such as ft_v2.
type Schema = schema.Schema

// Spec describes one version of a projection. A projection's code has the number of its rules as its version. It folds
// into the tables of that version or, where it is Rebuildable, of any other.
type Spec struct {
	Schema
	// Tables is the DDL of the version's tables, with {schema} in place of the schema's name. It runs once, in the
	// transaction that registers the version. Its comments on tables and columns are what SQL users see, too: they may change
	// without the rules. What follows the line ReaderIndexes may wait until the end of the build.
	Tables string
	// Views names the tables that SQL users see in the schema api while this version is active. "ft_token:token" gives
	// the table token the view ft_token; without a colon, view and table have the same name.
	Views []string
	// API is the SQL of the projection's other views in the schema api, which show what SQL users look for in the forms that
	// the field writes: a file views.sql of statements CREATE VIEW api.name AS SELECT …, which read {schema} alone. They, too,
	// follow the active version. A view that has been published keeps its columns; new ones come last. A function api.name_at(bigint)
	// shows what the view shows as of the block at a height.
	API string
	// Records are the kinds of records whose content the projection reads.
	Records []RecordKind
}

// ReaderIndexes is the line of Tables below which there are only indexes that no fold needs. Building them is cheaper
// once the rows are there.
const ReaderIndexes = "-- Indexes for readers: a build makes them at its end."

// DDL returns the SQL that creates the version's schema with its tables and indexes.
func (s Spec) DDL() string { return s.SQL("CREATE SCHEMA {schema};" + s.Tables) }

// SQL replaces {schema} in a query with the name of the version's schema.
func (s Spec) SQL(query string) string {
	return strings.ReplaceAll(query, "{schema}", s.String())
}

// At returns the spec of another version with the same tables.
func (s Spec) At(version int) Spec {
	s.Version = version
	return s
}

// Copy writes rows into a table of the version, if there are any.
func (s Spec) Copy(ctx context.Context, tx pgx.Tx, table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{s.String(), table}, columns, pgx.CopyFromRows(rows)); err != nil {
		return fmt.Errorf("write %d rows of %s: %w", len(rows), table, err)
	}
	return nil
}
