package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
	"strata/projections/internal/register"
)

// scratchFirst is the first number of scratch versions, which are built to be compared and dropped. It is above all
// numbers that anybody uses.
const scratchFirst = 1 << 30

// scratchTries is the maximum number of numbers to try for a scratch version.
const scratchTries = 16

// createScratch creates a scratch version, which nobody else follows or looks at. It is in use while conn leads it;
// what a process that is gone has left, dropAbandoned removes.
func createScratch(
	ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn, d projections.Definition, input string,
) (created register.Entry, err error) {
	err = register.Change(ctx, pool, func(tx pgx.Tx, _ register.Entries) error {
		created = register.Entry{Schema: projections.Schema{Name: d.Spec.Name}, Rules: d.Spec.Version, Input: input}
		err := tx.QueryRow(ctx, `SELECT coalesce(max(version), $2 - 1) + 1 FROM strata.projection WHERE name = $1 AND version >= $2`,
			created.Name, scratchFirst).Scan(&created.Version)
		if err != nil {
			return err
		}
		// It must be led before the commit shows it to dropAbandoned of other processes. The session of a verification that has
		// just ended may still lead a number that is free again.
		leading := false
		for range scratchTries {
			if leading, err = register.TryLead(ctx, conn, created.Schema); err != nil {
				return err
			}
			if leading {
				break
			}
			created.Version++
		}
		if !leading {
			return fmt.Errorf("other processes lead %d versions before %s: end verifications that hang", scratchTries, created.Schema)
		}
		err = register.Create(ctx, tx, []register.NewVersion{{Schema: created.Schema, Definition: d, Input: input, Scratch: true, IndexLast: true}})
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT epoch FROM strata.projection WHERE name = $1 AND version = $2`, created.Name, created.Version).Scan(&created.Epoch)
	})
	if err != nil {
		return created, fmt.Errorf("make tables to build projection %s in: %w", d.Spec.Name, err)
	}
	return created, nil
}

// dropTimeout bounds how long dropping scratch versions takes.
const dropTimeout = time.Minute

// dropScratch drops scratch versions, also when ctx has ended. Versions that fold the steps of others must come before
// these.
func dropScratch(ctx context.Context, pool *pgxpool.Pool, versions []projections.Schema) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTimeout)
	defer cancel()
	var errs []error
	for _, v := range versions {
		err := register.Change(ctx, pool, func(tx pgx.Tx, _ register.Entries) error { return register.Remove(ctx, tx, v) })
		if err != nil {
			errs = append(errs, fmt.Errorf("drop %s: %w", v, err))
		}
	}
	return errors.Join(errs...)
}

// dropAbandoned drops the scratch versions of processes that are gone.
func dropAbandoned(ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn) error {
	rows, err := pool.Query(ctx, `SELECT name, version FROM strata.projection WHERE scratch ORDER BY input = 'log', name, version`)
	if err != nil {
		return fmt.Errorf("look for what an earlier verification has left: %w", err)
	}
	versions, err := pgx.CollectRows(rows, pgx.RowToStructByPos[projections.Schema])
	if err != nil {
		return fmt.Errorf("look for what an earlier verification has left: %w", err)
	}
	var abandoned []projections.Schema
	for _, v := range versions {
		leading, err := register.TryLead(ctx, conn, v)
		if err != nil {
			return fmt.Errorf("see whether %s is still being built: %w", v, err)
		}
		if leading {
			abandoned = append(abandoned, v)
		}
	}
	return dropScratch(ctx, pool, abandoned)
}
