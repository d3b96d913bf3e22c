package jobqueue

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"strata/internal/locks"
)

// Schema is the Postgres schema of River's tables, and of the table spent. Everything in them can be restored from the
// log and the wants, except for what is spent of the day's budgets.
const Schema = "river"

// dropUnusedSQL drops the indexes on the kind and the arguments of jobs. Only people who search for jobs need them,
// there is only one kind, and maintaining these indexes takes longer than everything else that a job costs the
// database.
const dropUnusedSQL = `
	DROP INDEX IF EXISTS ` + Schema + `.river_job_args_index, ` + Schema + `.river_job_metadata_index, ` + Schema + `.river_job_kind`

// spentSQL creates the table of what contracts have spent of their budgets.
const spentSQL = `
	CREATE TABLE IF NOT EXISTS ` + Schema + `.spent (
		day         date    NOT NULL, -- UTC
		fetches     bigint  NOT NULL, -- reports
		bytes       bigint  NOT NULL, -- of their events
		rested      boolean NOT NULL, -- the log has the event that lets the contract rest until the day ends
		contract_id text    NOT NULL,
		CONSTRAINT spent_pkey PRIMARY KEY (day, contract_id)
	)`

// Dispatch is an empty table. Who dispatches wants locks it.
const Dispatch = Schema + ".dispatch"

// Migrate creates River's tables or brings them up to date. Several processes may call it at the same time.
func Migrate(ctx context.Context, pool *pgxpool.Pool, logger *slog.Logger) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: Schema, Logger: Logger(logger)})
	if err != nil {
		return fmt.Errorf("prepare the migration of the job queue: %w", err)
	}
	// The transaction only holds the lock: some of River's migrations can't run in a transaction with others.
	err = locks.Hold(ctx, pool, 0, func(tx pgx.Tx) error {
		if err := locks.Table(ctx, tx, `public.strata_migration`); err != nil {
			return err
		}
		defer locks.KeepAlive(ctx, 0, func(ctx context.Context) error {
			_, err := tx.Exec(ctx, `SELECT`)
			return err
		})()
		if _, err := pool.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+Schema); err != nil {
			return err
		}
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
		if _, err := pool.Exec(ctx, dropUnusedSQL); err != nil {
			return err
		}
		_, err := pool.Exec(ctx, spentSQL+`; CREATE TABLE IF NOT EXISTS `+Dispatch+` ()`)
		return err
	})
	if err != nil {
		return fmt.Errorf("migrate the job queue in schema %s: %w", Schema, err)
	}
	return nil
}
