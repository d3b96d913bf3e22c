package database

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/replica"
)

// ConnectReplicas opens a pool for reads of replicas of a database, of which it uses one at a time, or of the database itself while
// none of them is good. The choice must run for as long as the pool is used. The other parameters are those of Connect.
func ConnectReplicas(ctx context.Context, db *DB, urls []string, connections int, config replica.Config, prepare func(*pgxpool.Config)) (*pgxpool.Pool, *replica.Choice, error) {
	var err error
	if config.Primary, err = connConfig(ForReading(db.URL)); err != nil {
		return nil, nil, err
	}
	var first endpoint
	for i, url := range urls {
		to, err := connConfig(url)
		if err != nil {
			return nil, nil, fmt.Errorf("--database-read-url: %w", err)
		}
		config.Replicas = append(config.Replicas, to)
		e, err := find(ctx, url)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 || first.clients == 0 {
			first = e
		}
	}
	choice := replica.New(config)
	pool, err := first.connect(ctx, connections, serverConnections, func(config *pgxpool.Config) {
		prepare(config)
		choice.Prepare(config)
	})
	return pool, choice, err
}

// ForReading returns a URL of the server that can be written to, for sessions that only read: they can't be told from those of a
// replica by whether they can write.
func ForReading(url string) string {
	return strings.Replace(url, "target_session_attrs=read-write", "target_session_attrs=primary", 1)
}

// connConfig is how to connect to a server alone.
func connConfig(url string) (*pgx.ConnConfig, error) {
	config, err := pgxpool.ParseConfig(url) // which knows the settings of pools
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	settings(config.ConnConfig)
	return config.ConnConfig, nil
}
