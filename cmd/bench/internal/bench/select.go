package bench

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/load"
)

// selectConnections is the number of database connections of both sides. It is the default of the program.
const selectConnections = 24

// Selecting opens a database for a baseline of bare SELECTs.
func Selecting(ctx context.Context, url string) *pgxpool.Pool {
	config := Must(pgxpool.ParseConfig(url))
	config.MaxConns = selectConnections
	return Must(pgxpool.NewWithConfig(ctx, config))
}

// SelectContender returns a contender that reads random rows in this process.
func SelectContender(read func(random *rand.Rand) error) load.Contender {
	return func(connections int, d time.Duration) (*load.Round, error) {
		return load.InParallel(connections, d, func(i int) (func() error, error) {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			return func() error { return read(random) }, nil
		})
	}
}

// DecodeRows executes a query and decodes all rows.
func DecodeRows(ctx context.Context, pool *pgxpool.Pool, query string, args ...any) error {
	rows, err := pool.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			return err
		}
	}
	return rows.Err()
}
