// Package scratch makes versions that are built only to be compared with others, and dropped.
package scratch

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

// first is the first number of scratch versions. It is above all numbers that anybody uses.
const first = 1 << 30

// tries is the maximum number of numbers to try for a scratch version.
const tries = 16

// Create creates a scratch version, which nobody else follows or looks at. It is in use while conn leads it; what a process that is
// gone has left, DropAbandoned removes.
func Create(
	ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn, d projections.Definition, input string,
) (created register.Entry, err error) {
	err = register.Change(ctx, pool, func(tx pgx.Tx, _ register.Entries) error {
		created = register.Entry{Schema: projections.Schema{Name: d.Spec.Name}, Rules: d.Spec.Version, Input: input}
		err := tx.QueryRow(ctx, `SELECT coalesce(max(version), $2 - 1) + 1 FROM strata.projection WHERE name = $1 AND version >= $2`,
			created.Name, first).Scan(&created.Version)
		if err != nil {
			return err
		}
		// It must be led before the commit shows it to DropAbandoned of other processes. The session of a verification that has
		// just ended may still lead a number that is free again.
		leading := false
		for range tries {
			if leading, err = register.TryLead(ctx, conn, created.Schema); err != nil {
				return err
			}
			if leading {
				break
			}
			created.Version++
		}
		if !leading {
			return fmt.Errorf("other processes lead %d versions before %s: end verifications that hang", tries, created.Schema)
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

// dropTimeout bounds how long Drop takes.
const dropTimeout = time.Minute

// Drop drops scratch versions, also when ctx has ended. Versions that fold the steps of others must come before these.
func Drop(ctx context.Context, pool *pgxpool.Pool, versions []projections.Schema) error {
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

// DropAbandoned drops the scratch versions of processes that are gone.
func DropAbandoned(ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn) error {
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
	return Drop(ctx, pool, abandoned)
}
