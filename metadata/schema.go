package metadata

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// schema is where River's tables stand. They hold nothing that the log and the wants would not bring back.
const schema = "river"

// lockMigrate lets one process at a time bring River's tables up to date.
const lockMigrate = 0x7374726174610001

// dropUnusedSQL drops the indexes that let people search for jobs by kind, of which there is one, and by what they were told.
// Nobody does, and to keep them up to date takes longer than all the rest of a job.
const dropUnusedSQL = `
	DROP INDEX IF EXISTS ` + schema + `.river_job_args_index, ` + schema + `.river_job_metadata_index, ` + schema + `.river_job_kind`

// migrate makes River's tables, or brings them up to date. Any number of processes may do so at once.
func migrate(ctx context.Context, pool *pgxpool.Pool, config Config) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema, Logger: config.Logger})
	if err != nil {
		return fmt.Errorf("prepare the tables of the job queue: %w", err)
	}
	// The transaction only holds the lock: some of River's steps can't share one with others.
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockMigrate)); err != nil {
			return err
		}
		if _, err := pool.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+schema); err != nil {
			return err
		}
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
		_, err := pool.Exec(ctx, dropUnusedSQL)
		return err
	})
	if err != nil {
		return fmt.Errorf("make the tables of the job queue in schema %s: %w", schema, err)
	}
	return nil
}
