package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/c32"
)

// EmptyTables creates a database with the tables of all projections, without rows, and a pool on it. A server that runs
// for a moment creates the tables.
func (b *Bench) EmptyTables(ctx context.Context, name string) (url string, pool *pgxpool.Pool, err error) {
	if url, pool, err = b.Database(ctx, name); err != nil {
		return "", nil, err
	}
	server, err := b.Serve(ctx, url)
	if err != nil {
		pool.Close()
		return "", nil, err
	}
	server.Stop()
	return url, pool, nil
}

// Tip is the position at which the projections of a filled world claim to be.
type Tip struct {
	Path                         string // of the only event in the log
	Position, Height, BurnHeight int
	IndexText, BlockText         string // the hashes of the tip are those of these texts
}

// TipAt returns the tip of a world whose positions and heights are the same, and whose hashes are those of the number.
func TipAt(height int) Tip {
	text := strconv.Itoa(height)
	return Tip{Path: "/bench", Position: height, Height: height, BurnHeight: height, IndexText: text, BlockText: text}
}

// Write sets the position of all projections, so that a server serves the tables and has nothing to fold.
func (t Tip) Write(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `INSERT INTO log.event SELECT 1, now(), 0, NULL, sha256(''), 'bench', $1, '', NULL, ''`, t.Path)
	if err == nil {
		_, err = pool.Exec(ctx, `
			UPDATE strata.projection SET position = $1, log_seq = $1, block_height = $2, burn_block_height = $3,
			       index_block_hash = sha256($4::bytea), block_hash = sha256($5::bytea)`,
			t.Position, t.Height, t.BurnHeight, []byte(t.IndexText), []byte(t.BlockText))
	}
	if err != nil {
		return fmt.Errorf("set the position of the projections: %w", err)
	}
	return nil
}

// World is a database whose tables are filled by SQL, because to fold as much takes too long.
type World struct {
	Database string
	Tip      Tip
	SQL      func(query string) string // fills in the placeholders of all queries
	Accounts int                       // rows of public.name, which the queries may read: numbers, hashes and addresses of accounts
	Sources  []string                  // queries that make more tables to read
	Large    []string                  // tables whose indexes are made when all rows are there
	Rows     []string                  // queries that insert the rows
	Last     []string                  // queries that need the indexes
}

// Create creates a database with a world.
func (b *Bench) Create(ctx context.Context, w World) (url string, err error) {
	url, pool, err := b.EmptyTables(ctx, w.Database)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	if err := w.Write(ctx, pool); err != nil {
		return "", err
	}
	return url, w.Tip.Write(ctx, pool)
}

// Write fills the tables.
func (w World) Write(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := ExecAll(ctx, conn, `SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'`); err != nil { // to sort and build indexes
		return err
	}
	if err := copyAccounts(ctx, conn, w.Accounts); err != nil {
		return err
	}
	if err := ExecAll(ctx, conn, w.filled(w.Sources)...); err != nil {
		return err
	}
	indexes, err := dropIndexes(ctx, conn, w.filled(w.Large))
	if err != nil {
		return err
	}
	return ExecAll(ctx, conn, slices.Concat(w.filled(w.Rows), indexes, w.filled(w.Last), []string{`DROP TABLE public.name`, `VACUUM (ANALYZE)`})...)
}

func (w World) filled(queries []string) []string {
	filled := make([]string, len(queries))
	for i, query := range queries {
		filled[i] = w.SQL(query)
	}
	return filled
}

// executor is a pool or a connection.
type executor interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
}

// ExecAll executes queries one after the other.
func ExecAll(ctx context.Context, on executor, queries ...string) error {
	for _, query := range queries {
		if _, err := on.Exec(ctx, query); err != nil {
			return fmt.Errorf("%.60s…: %w", strings.TrimSpace(query), err)
		}
	}
	return nil
}

// dropIndexes drops the indexes of large tables, because rows are written faster without them. It returns the
// statements that restore the indexes.
func dropIndexes(ctx context.Context, conn *pgxpool.Conn, tables []string) (restore []string, err error) {
	rows, err := conn.Query(ctx, `
		SELECT CASE WHEN c.oid IS NULL THEN 'DROP INDEX ' || i.indexrelid::regclass ELSE 'ALTER TABLE ' || i.indrelid::regclass || ' DROP CONSTRAINT ' || c.conname END,
		       CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid) ELSE 'ALTER TABLE ' || i.indrelid::regclass || ' ADD CONSTRAINT ' || c.conname || ' ' || pg_get_constraintdef(c.oid) END
		FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
		WHERE i.indrelid = ANY ($1::text[]::regclass[])
		ORDER BY i.indexrelid`, tables)
	if err != nil {
		return nil, err
	}
	var drop, create string
	var drops []string
	if _, err := pgx.ForEachRow(rows, []any{&drop, &create}, func() error {
		drops, restore = append(drops, drop), append(restore, create)
		return nil
	}); err != nil {
		return nil, err
	}
	for _, drop := range drops {
		if _, err := conn.Exec(ctx, drop); err != nil {
			return nil, err
		}
	}
	return restore, nil
}

// copyAccounts makes the table public.name of the accounts from 0 on.
func copyAccounts(ctx context.Context, conn *pgxpool.Conn, count int) error {
	if err := ExecAll(ctx, conn, `CREATE UNLOGGED TABLE public.name (i int, hash160 bytea, address text)`); err != nil {
		return err
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"public", "name"}, []string{"i", "hash160", "address"},
		pgx.CopyFromSlice(count, func(i int) ([]any, error) {
			address := address(i)
			return []any{i, address.Hash160[:], address.String()}, nil
		}))
	if err != nil {
		return fmt.Errorf("write %d addresses: %w", count, err)
	}
	return nil
}

// Account returns the address of account i.
func Account(i int) string { return address(i).String() }

func address(i int) c32.Address {
	address := c32.Address{Version: c32.MainnetSingle}
	binary.BigEndian.PutUint64(address.Hash160[:], uint64(i)+1)
	return address
}
