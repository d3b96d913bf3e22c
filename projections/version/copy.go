package version

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/schema"
	"strata/projections"
	"strata/projections/internal/register"
)

// State is what a version of a projection has folded: what its register says, apart from its rows.
type State struct {
	Name            string `json:"name"`
	Version         int    `json:"version"`
	Rules           int    `json:"rules"`
	Input           string `json:"input"`
	Position        int64  `json:"position"`
	LogSeq          int64  `json:"log_seq"`
	BlockHeight     *int64 `json:"block_height"`
	BurnBlockHeight *int64 `json:"burn_block_height"`
	HistoryFrom     *int64 `json:"history_from"`
	IndexBlockHash  []byte `json:"index_block_hash"`
	BlockHash       []byte `json:"block_hash"`
	Unfinished      bool   `json:"unfinished"`
}

func (s *State) schema() projections.Schema {
	return projections.Schema{Name: s.Name, Version: s.Version}
}

// Part is a part of a table whose rows are copied at once.
type Part struct {
	State *State
	// Table is the name of a table of the version; Quarantine for the register's list of what it could not read.
	Table   string
	Columns []string
	// Number counts the parts of a table from 0.
	Number int
}

// Quarantine is the table of a Part that is about strata.quarantine.
const Quarantine = "quarantine of the register"

// quarantineColumns are those of strata.quarantine.
var quarantineColumns = []string{"name", "version", "seq", "path", "pointer", "reason", "quarantined_at", "subjects"}

// pagesOfPart is the number of pages of a table in a part: half a gigabyte.
const pagesOfPart = 1 << 16

// CopyActive calls each with the rows of the active versions that have caught up, as they are at one moment, leaders first. read writes the
// rows of a part as Postgres' COPY does in its binary format.
func CopyActive(ctx context.Context, pool *pgxpool.Pool, each func(part Part, read func(io.Writer) error) error) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT p.name, p.version, coalesce(p.rules, p.version), p.input, p.position, p.log_seq, p.block_height, p.burn_block_height, p.history_from,
			       p.index_block_hash, p.block_hash, p.unfinished
			FROM strata.projection p JOIN strata.active a USING (name, version) WHERE p.state = 'live' AND p.indexed ORDER BY p.input <> 'log', p.name`)
		states, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[State])
		if err != nil {
			return fmt.Errorf("read what projections have folded: %w", err)
		}
		for _, s := range states {
			if err := copyState(ctx, tx, s, each); err != nil {
				return fmt.Errorf("copy the tables of projection %s: %w", s.schema(), err)
			}
		}
		return nil
	})
}

func copyState(ctx context.Context, tx pgx.Tx, s *State, each func(Part, func(io.Writer) error) error) error {
	tables, err := register.TablesOf(ctx, tx, s.schema())
	if err != nil {
		return err
	}
	read := func(sql string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := tx.Conn().PgConn().CopyTo(ctx, w, `COPY (`+sql+`) TO STDOUT (FORMAT binary)`)
			return err
		}
	}
	for _, table := range tables {
		columns, err := columnsOf(ctx, tx, s.schema(), table)
		if err != nil {
			return err
		}
		var pages int64
		if err := tx.QueryRow(ctx, `SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint`, s.schema().Table(table)).Scan(&pages); err != nil {
			return err
		}
		for number := 0; number == 0 || int64(number)*pagesOfPart < pages; number++ {
			sql := fmt.Sprintf(`SELECT %s FROM %s WHERE ctid >= '(%d,0)' AND ctid < '(%d,0)'`, columnList(columns), s.schema().Table(table), number*pagesOfPart, (number+1)*pagesOfPart)
			if err := each(Part{s, table, columns, number}, read(sql)); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
		}
	}
	sql := fmt.Sprintf(`SELECT %s FROM strata.quarantine WHERE name = '%s' AND version = %d`, columnList(quarantineColumns), s.Name, s.Version)
	return each(Part{s, Quarantine, quarantineColumns, 0}, read(sql))
}

// columnsOf returns the columns of a table that are stored as they are given.
func columnsOf(ctx context.Context, tx pgx.Tx, version projections.Schema, table string) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
		version.Table(table))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func columnList(columns []string) (list string) {
	for i, c := range columns {
		if i > 0 {
			list += `, `
		}
		list += pgx.Identifier{c}.Sanitize()
	}
	return list
}

// ErrOtherTables means that this program can't use the tables of a version: it folds by other rules, or has other tables.
var ErrOtherTables = errors.New("this program has other rules")

// Load registers a version, unless there is one of its projection, and copies its rows in one transaction, unless it has begun to fold. It
// becomes active. A fold goes on from where the rows were copied: the log must have what they were folded from. Leaders are loaded before
// the projections that fold their steps. rows calls load with the rows of each part of a table. It returns ErrOtherTables where
// the program's code would not have made them.
func Load(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, s *State, rows func(load func(part Part, rows io.Reader) error) error) (loaded bool, err error) {
	definition, err := lines.Definition(s.Name)
	if err != nil || definition.Spec.Version != s.Rules {
		return false, fmt.Errorf("projection %s with rules %d: %w", s.Name, s.Rules, ErrOtherTables)
	}
	if leader, err := schema.Parse(s.Input); (definition.Leader == "") != (s.Input == register.Log) || definition.Leader != "" && (err != nil || leader.Name != definition.Leader) {
		return false, fmt.Errorf("projection %s folds %q: %w", s.Name, s.Input, ErrOtherTables)
	}
	err = register.Change(ctx, pool, func(tx pgx.Tx, es register.Entries) error {
		if leads := func(e register.Entry) bool { return e.String() == s.Input && e.Active }; definition.Leader != "" && !es.Has(leads) {
			return fmt.Errorf("its leader %s is not there: %w", s.Input, ErrOtherTables)
		}
		if es.Has(func(e register.Entry) bool { return e.Name == s.Name }) {
			return nil
		}
		return register.Create(ctx, tx, []register.NewVersion{{
			Schema: s.schema(), Definition: definition, Input: s.Input, Active: true, Automatic: true, IndexLast: true,
		}})
	})
	if err == nil {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			loaded, err = load(ctx, tx, definition.Spec.At(s.Version), s, rows)
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("load the tables of projection %s: %w", s.schema(), err)
	}
	return loaded, nil
}

func load(ctx context.Context, tx pgx.Tx, spec projections.Spec, s *State, rows func(func(Part, io.Reader) error) error) (loaded bool, err error) {
	var size, position, leader int64
	err = tx.QueryRow(ctx, `
		SELECT position, (SELECT size FROM log.head), coalesce((SELECT l.position FROM strata.projection l WHERE l.name || '_v' || l.version = projection.input), 1)
		FROM strata.projection WHERE name = $1 AND version = $2 FOR UPDATE OF projection`,
		s.Name, s.Version).Scan(&position, &size, &leader)
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && position > 0: // another version is there, or it folds already
		return false, nil
	case err != nil:
		return false, err
	case leader == 0:
		return false, fmt.Errorf("its leader %s was not loaded: %w", s.Input, ErrOtherTables)
	case s.LogSeq > size:
		return false, fmt.Errorf("its rows are of event %d, and the log has %d", s.LogSeq, size)
	}
	tables, err := register.TablesOf(ctx, tx, s.schema())
	if err != nil {
		return false, err
	}
	restore, err := bare(ctx, tx, s.schema(), tables)
	if err != nil {
		return false, err
	}
	err = rows(func(part Part, rows io.Reader) error {
		into := `strata.quarantine`
		switch {
		case slices.Contains(tables, part.Table):
			into = s.schema().Table(part.Table)
		case part.Table != Quarantine:
			return fmt.Errorf("it has no table %q: %w", part.Table, ErrOtherTables)
		}
		if _, err := tx.Conn().PgConn().CopyFrom(ctx, rows, `COPY `+into+` (`+columnList(part.Columns)+`) FROM STDIN (FORMAT binary)`); err != nil {
			return fmt.Errorf("copy rows into table %s: %w", part.Table, err)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	for _, sql := range restore {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return false, fmt.Errorf("%s: %w", sql, err)
		}
	}
	if err := register.IndexLoaded(ctx, tx, spec); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `
		UPDATE strata.projection
		SET position = $3, log_seq = $4, block_height = $5, burn_block_height = $6, history_from = $7, index_block_hash = $8, block_hash = $9, unfinished = $10,
		    shards_from = $3, changes_from = $3, changes_to = $3, updated_at = now()
		WHERE name = $1 AND version = $2`,
		s.Name, s.Version, s.Position, s.LogSeq, s.BlockHeight, s.BurnBlockHeight, s.HistoryFrom, s.IndexBlockHash, s.BlockHash, s.Unfinished)
	return err == nil, err
}

// bare empties the tables of a version, and takes off what is cheaper to make once the rows are there: keys, indexes, triggers. It returns
// the statements that bring these back.
func bare(ctx context.Context, tx pgx.Tx, version projections.Schema, tables []string) (restore []string, err error) {
	var drop []string
	rows, _ := tx.Query(ctx, `
		SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
		       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
		FROM pg_constraint WHERE connamespace = to_regnamespace($1) AND contype IN ('p', 'u')
		UNION ALL
		SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE c.relnamespace = to_regnamespace($1) AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)`, version.String())
	var dropSQL, restoreSQL string
	if _, err := pgx.ForEachRow(rows, []any{&dropSQL, &restoreSQL}, func() error {
		drop, restore = append(drop, dropSQL), append(restore, restoreSQL)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read its keys and indexes: %w", err)
	}
	for _, table := range tables {
		name := version.Table(table)
		drop = append(drop, `TRUNCATE `+name, `ALTER TABLE `+name+` DISABLE TRIGGER USER`)
		restore = append(restore, `ALTER TABLE `+name+` ENABLE TRIGGER USER`)
	}
	for _, sql := range append(drop, `SET LOCAL maintenance_work_mem = '256MB'`) {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	return restore, nil
}
