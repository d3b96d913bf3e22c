package bench

import (
	"context"
	"encoding/binary"
	"fmt"
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

// MuchMemory lets a connection sort and build indexes in memory.
const MuchMemory = `SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'`

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

// RunOn returns a function that executes queries on one connection. sql fills in their placeholders.
func RunOn(ctx context.Context, conn *pgxpool.Conn, sql func(query string) string) func(queries ...string) error {
	return func(queries ...string) error {
		filled := make([]string, len(queries))
		for i, query := range queries {
			filled[i] = sql(query)
		}
		return ExecAll(ctx, conn, filled...)
	}
}

// DropIndexes drops the indexes of large tables, because rows are written faster without them. It returns the
// statements that restore the indexes.
func DropIndexes(ctx context.Context, conn *pgxpool.Conn, tables []string) (restore []string, err error) {
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

// CopyAccounts makes the table public.name with the addresses of the accounts from 0 on, for queries that fill a world.
func CopyAccounts(ctx context.Context, conn *pgxpool.Conn, count int) error {
	if err := ExecAll(ctx, conn, `CREATE UNLOGGED TABLE public.name (i int, address text)`); err != nil {
		return err
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"public", "name"}, []string{"i", "address"},
		pgx.CopyFromSlice(count, func(i int) ([]any, error) { return []any{i, Account(i)}, nil }))
	if err != nil {
		return fmt.Errorf("write %d addresses: %w", count, err)
	}
	return nil
}

// Account returns the address of account i.
func Account(i int) string {
	address := c32.Address{Version: c32.MainnetSingle}
	binary.BigEndian.PutUint64(address.Hash160[:], uint64(i)+1)
	return address.String()
}
