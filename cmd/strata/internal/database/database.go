// Package database opens the database of the log and the read tables: one that the user names, or a private Postgres.
package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/postgres"
	"strata/migrations"
)

// Flags locate the database of the log and the read tables.
type Flags struct {
	DatabaseURL string `env:"STRATA_DATABASE_URL" placeholder:"URL" help:"Postgres database to use (empty = a private Postgres in the data directory)."`
	DataDir     string `default:"./.strata" env:"STRATA_DATA_DIR" type:"path" help:"Directory for the private Postgres, spooled large bodies and the key of the log."`
}

// DB is an open, migrated database.
type DB struct {
	URL  string
	Pool *pgxpool.Pool
	Log  *eventstore.Log
	// DataDir is the data directory if the private Postgres keeps its data there; else it is empty.
	DataDir string

	cluster *postgres.Cluster // the private Postgres; nil with --database-url
	leave   func()            // ends the watch of the private Postgres
}

// Open connects to the database and applies the migrations. Without --database-url it starts the private Postgres first.
func (f *Flags) Open(ctx context.Context, logger *slog.Logger) (_ *DB, err error) {
	db := &DB{}
	defer func() {
		if err != nil {
			db.Close(logger)
		}
	}()
	url := f.DatabaseURL
	if url == "" {
		db.cluster, err = postgres.Start(ctx, postgres.Config{DataDir: f.DataDir, Log: logger})
		if err != nil {
			return nil, err
		}
		url, db.DataDir = db.cluster.URL(), f.DataDir
		db.leave = db.keep(ctx)
	}
	if err := migrations.Up(ctx, url); err != nil {
		var unreachable *pgconn.ConnectError
		if f.DatabaseURL != "" && errors.As(err, &unreachable) {
			return nil, fmt.Errorf("%w\nis Postgres running, and is --database-url right?", unreachable)
		}
		return nil, err
	}
	db.URL = url
	if db.Pool, err = Connect(ctx, url, func(*pgxpool.Config) {}); err != nil {
		return nil, err
	}
	db.Log = eventstore.Open(db.Pool, eventstore.Config{Logger: logger})
	return db, nil
}

// keep starts the private Postgres again whenever it ends, until the returned function is called.
func (db *DB) keep(ctx context.Context) (leave func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // as long as the database is open
	var keeping sync.WaitGroup
	keeping.Go(func() { db.cluster.Keep(ctx) })
	return func() {
		cancel()
		keeping.Wait()
	}
}

// Connect opens a pool whose connections have an empty search_path, so that a query that omits the schema fails rather
// than read another table of the same name. prepare may change the pool's configuration further.
func Connect(ctx context.Context, url string, prepare func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	config.ConnConfig.RuntimeParams["search_path"] = ""
	config.ConnConfig.RuntimeParams["application_name"] = "strata"
	config.MaxConns = max(config.MaxConns, 24)
	// What a burst has opened is closed soon: each connection costs the server some megabytes.
	config.MaxConnIdleTime = min(config.MaxConnIdleTime, 30*time.Second)
	config.HealthCheckPeriod = min(config.HealthCheckPeriod, 15*time.Second)
	prepare(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return pool, nil
}

// Close closes all connections. The private Postgres stops if no other process uses it.
func (db *DB) Close(logger *slog.Logger) {
	if db.Log != nil {
		db.Log.Close()
	}
	if db.Pool != nil {
		db.Pool.Close()
	}
	if db.cluster == nil {
		return
	}
	if db.leave != nil {
		db.leave()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := db.cluster.Stop(ctx); err != nil {
		logger.LogAttrs(ctx, slog.LevelWarn, "the private Postgres did not stop in time", slog.Any("error", err))
	}
}
