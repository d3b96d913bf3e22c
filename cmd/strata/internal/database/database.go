// Package database opens the database of the log and the read tables: one that the user names, or a private Postgres.
package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/postgres"
	"strata/internal/tracing"
	"strata/migrations"
)

// Flags locate the database of the log and the read tables.
type Flags struct {
	DatabaseURL         string `env:"STRATA_DATABASE_URL" placeholder:"URL" help:"Postgres database to use (empty = a private Postgres in the data directory)."`
	DatabaseConnections int    `default:"0" env:"STRATA_DATABASE_CONNECTIONS" help:"Maximum number of connections to the database, and as many for the API's reads (0 = as the database has room). That is pool_max_conns of the URL, or a fifth of what the database has, and at most 24, of commands besides serve 9."`
	// Server says that a server opens the database, which needs more connections than a command beside it.
	Server bool `kong:"-"`
	// Tracer traces what the connections are used for; nil for none.
	Tracer  *tracing.Tracer `kong:"-"`
	DataDir string          `default:"./.strata" env:"STRATA_DATA_DIR" type:"path" help:"Directory for the private Postgres, spooled large bodies and the key of the log."`
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
// It creates neither a database nor a log: where there is none, it says so.
func (f *Flags) Open(ctx context.Context, logger *slog.Logger) (*DB, error) {
	return f.open(ctx, logger, toRead)
}

// Create is Open for commands that fill a log: where there is none, it creates one and says where.
func (f *Flags) Create(ctx context.Context, logger *slog.Logger) (*DB, error) {
	return f.open(ctx, logger, toFill)
}

// Look is Open for commands that tell what is there, which may be nothing, and change nothing: it does not migrate. It returns a
// *NoneError if there is no private Postgres yet.
func (f *Flags) Look(ctx context.Context, logger *slog.Logger) (*DB, error) {
	return f.open(ctx, logger, toLook)
}

// purpose is what a database is opened for.
type purpose int

const (
	toRead purpose = iota // needs a log
	toFill                // creates what is missing
	toLook                // needs nothing, and changes nothing
)

// NoneError means that the data directory has no database.
type NoneError struct{ DataDir string }

func (e *NoneError) Error() string {
	return fmt.Sprintf("there is no database in %s (--data-dir); %s", e.DataDir, creators)
}

// creators is the end of errors about a log that is not there.
const creators = "strata serve and strata import create one"

func (f *Flags) open(ctx context.Context, logger *slog.Logger, why purpose) (_ *DB, err error) {
	db := &DB{}
	defer func() {
		if err != nil {
			db.Close(logger)
		}
	}()
	url := f.DatabaseURL
	if url == "" {
		exists, err := postgres.Exists(f.DataDir)
		if err != nil {
			return nil, err
		}
		if !exists && why != toFill {
			return nil, &NoneError{f.DataDir}
		}
		db.cluster, err = postgres.Start(ctx, postgres.Config{DataDir: f.DataDir, Log: logger})
		if err != nil {
			return nil, err
		}
		url, db.DataDir = db.cluster.URL(), f.DataDir
		db.leave = db.keep(ctx)
	}
	e, err := find(ctx, url)
	if err != nil {
		return nil, err
	}
	if e.pooled {
		logger.LogAttrs(ctx, slog.LevelInfo, "the database is behind a pooler of connections: its changes are noticed by polling, once per second")
	}
	if why == toLook {
		return db, f.connect(ctx, db, e, logger)
	}
	if err := f.migrate(ctx, e.url, why == toFill, logger); err != nil {
		var unreachable *pgconn.ConnectError
		if f.DatabaseURL != "" && errors.As(err, &unreachable) {
			return nil, fmt.Errorf("%w\nis Postgres running, and is --database-url right?", unreachable)
		}
		return nil, err
	}
	return db, f.connect(ctx, db, e, logger)
}

// connect opens the pool and the log of a database.
func (f *Flags) connect(ctx context.Context, db *DB, e endpoint, logger *slog.Logger) (err error) {
	db.URL = e.url
	most := commandConnections
	if f.Server {
		most = serverConnections
	}
	if db.Pool, err = e.connect(ctx, f.DatabaseConnections, most, func(config *pgxpool.Config) { f.Tracer.Connections(config.ConnConfig) }); err != nil {
		return err
	}
	db.Log = eventstore.Open(db.Pool, eventstore.Config{Logger: logger, Tracer: f.Tracer})
	return nil
}

// migrate applies the migrations to the database at url. Without create, it refuses a database that has no log.
func (f *Flags) migrate(ctx context.Context, url string, create bool, logger *slog.Logger) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("parse database url: %w", err)
	}
	exists, err := migrations.Exists(ctx, url)
	if err != nil {
		return err
	}
	where := fmt.Sprintf("%s (--data-dir)", f.DataDir)
	if f.DatabaseURL != "" {
		where = fmt.Sprintf("database %q at %s (--database-url)", config.Database, config.Host)
	}
	if !exists && !create {
		return fmt.Errorf("there is no log of Strata in %s; %s", where, creators)
	}
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	if !exists {
		logger.LogAttrs(ctx, slog.LevelInfo, "created a new, empty log", slog.String("in", where))
	}
	return nil
}

// Admin connects to the same database as who may make roles: the superuser of the private Postgres, or the role of the URL that
// the user names.
func (db *DB) Admin(ctx context.Context) (*pgx.Conn, error) {
	if db.cluster == nil {
		return pgx.ConnectConfig(ctx, db.Pool.Config().ConnConfig.Copy())
	}
	return pgx.Connect(ctx, db.cluster.AdminURL())
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

// Connect opens a pool of a server whose connections have an empty search_path, so that a query that omits the schema fails
// rather than read another table of the same name. It has at most this many connections; 0 for what the URL says, or else a
// share of what the database has. prepare, unless it is nil, may change the pool's configuration further.
func Connect(ctx context.Context, url string, connections int, prepare func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	e, err := find(ctx, url)
	if err != nil {
		return nil, err
	}
	return e.connect(ctx, connections, serverConnections, prepare)
}

// connect is Connect, with the largest maximum of connections that nobody has asked for.
func (e endpoint) connect(ctx context.Context, connections, most int, prepare func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	config, err := poolConfig(e.url, connections, e.share(most))
	if err != nil {
		return nil, err
	}
	settings(config.ConnConfig)
	if prepare != nil {
		prepare(config)
	}
	if e.pooled {
		throughPooler(config.ConnConfig)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return pool, nil
}

// Maximums of connections that nobody has asked for. A server has two such pools, one of them for reads, and a few connections
// more; a command beside it has one.
const (
	serverConnections  = 24
	commandConnections = 9
	// Of a database with few connections, a pool takes a fifth, so that a server and two commands fit.
	shares = 5
	// least is what a pool needs: a few transactions at a time, and room beside them.
	least = 4
)

// share returns the maximum of connections of a pool that may have most.
func (e endpoint) share(most int) int {
	if e.clients == 0 {
		return most
	}
	return min(max(e.clients/shares, least), most)
}

// poolConfig returns the configuration of a pool of at most this many connections; 0 for what the URL says, or else share.
func poolConfig(url string, connections, share int) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	switch {
	case connections > 0:
		config.MaxConns = int32(min(connections, math.MaxInt32))
	case !strings.Contains(url, "pool_max_conns"):
		config.MaxConns = int32(share)
	}
	// What a burst has opened is closed soon: each connection costs the server some megabytes.
	config.MaxConnIdleTime = min(config.MaxConnIdleTime, 30*time.Second)
	config.HealthCheckPeriod = min(config.HealthCheckPeriod, 15*time.Second)
	config.ShouldPing = func(_ context.Context, conn pgxpool.ShouldPingParams) bool { return conn.IdleDuration > pingAfter }
	return config, nil
}

// pingAfter is how long a connection is idle before it is asked whether it lives, when it is needed again. It is longer than
// the second after which a server at rest looks again: each question is a transaction.
const pingAfter = 1500 * time.Millisecond

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
