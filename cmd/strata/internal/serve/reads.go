package serve

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/internal/replica"
	"strata/readapi"
)

// readFlags say which databases the API reads.
type readFlags struct {
	DatabaseReadURL []string `sep:";" env:"STRATA_DATABASE_READ_URL" placeholder:"URL;..." help:"Postgres replicas for the API to read from, separated by semicolons (empty = the main database). A process reads one of them at a time, and the main database while none is good."`
}

// primaryConnections is the maximum of connections for requests that ask for a position that the replica has not reached.
const primaryConnections = 4

// reads are the connections of the API: those of most reads, and those to the main database where others are read.
type reads struct {
	pool    *pgxpool.Pool
	primary *pgxpool.Pool // nil if pool is of the main database
	shown   atomic.Pointer[readapi.API]
}

// openReads connects to what the API reads.
func (c *Command) openReads(ctx context.Context, group *errgroup.Group, db *database.DB, logger *slog.Logger, registry prometheus.Registerer) (r *reads, err error) {
	r = &reads{}
	prepare := func(config *pgxpool.Config) {
		readapi.Prepare(config, 0)
		c.tracer.Connections(config.ConnConfig)
	}
	if len(c.DatabaseReadURL) == 0 {
		r.pool, err = database.Connect(ctx, database.ForReading(db.URL), c.Database.DatabaseConnections, prepare)
		return r, err
	}
	// Processes with the same settings begin at different replicas.
	urls := slices.Clone(c.DatabaseReadURL)
	rand.Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
	config := replica.Config{Shown: r.position, Logger: logger, Registry: registry}
	var choice *replica.Choice
	if r.pool, choice, err = database.ConnectReplicas(ctx, db, urls, c.Database.DatabaseConnections, config, prepare); err != nil {
		return nil, err
	}
	if r.primary, err = database.Connect(ctx, database.ForReading(db.URL), primaryConnections, prepare); err != nil {
		r.pool.Close()
		return nil, err
	}
	runIn(ctx, group, choice.Run)
	choice.Chosen(ctx)
	logger.LogAttrs(ctx, slog.LevelInfo, "reading a database of several", slog.String("now", choice.Current()))
	return r, nil
}

// position is the position that answers have shown.
func (r *reads) position() int64 {
	if api := r.shown.Load(); api != nil {
		return api.Position()
	}
	return 0
}

func (r *reads) close() {
	r.pool.Close()
	if r.primary != nil {
		r.primary.Close()
	}
}
