package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// scratchFirst is the first number of instances that are built to be compared and dropped, above all that anybody uses.
const scratchFirst = 1 << 30

// scratch makes an instance that nobody else follows or looks at. It is there while conn holds its leadership; what is left of
// one whose process is gone, the next one takes away.
func scratch(ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn, d Definition, reads string) (made registered, err error) {
	err = changeRegister(ctx, pool, func(tx pgx.Tx, _ entries) error {
		made = registered{Instance: Instance{Name: d.Spec.Name}, rules: d.Spec.Version, reads: reads}
		err := tx.QueryRow(ctx, `SELECT coalesce(max(version), $2 - 1) + 1 FROM strata.projection WHERE name = $1 AND version >= $2`,
			made.Name, scratchFirst).Scan(&made.Version)
		if err != nil {
			return err
		}
		// Before the commit shows it to those who look for what was left.
		leading, err := tryLead(ctx, conn, made.Instance)
		if err != nil {
			return err
		}
		if !leading {
			return fmt.Errorf("somebody else leads %s", made.Instance)
		}
		if err := create(ctx, tx, []wanted{{Instance: made.Instance, definition: d, reads: reads, scratch: true, late: true}}); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT epoch FROM strata.projection WHERE name = $1 AND version = $2`, made.Name, made.Version).Scan(&made.epoch)
	})
	if err != nil {
		return made, fmt.Errorf("make tables to build projection %s in: %w", d.Spec.Name, err)
	}
	return made, nil
}

// removal bounds how long it takes to drop what was built.
const removal = time.Minute

// dropScratch takes instances away, those that fold the steps of others first, also when ctx has ended.
func dropScratch(ctx context.Context, pool *pgxpool.Pool, all []Instance) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer cancel()
	var errs []error
	for _, i := range all {
		err := changeRegister(ctx, pool, func(tx pgx.Tx, _ entries) error { return takeAway(ctx, tx, i) })
		if err != nil {
			errs = append(errs, fmt.Errorf("drop %s: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// dropLeftovers takes away what processes have left that are gone.
func dropLeftovers(ctx context.Context, pool *pgxpool.Pool, conn *pgx.Conn) error {
	rows, err := pool.Query(ctx, `SELECT name, version FROM strata.projection WHERE scratch ORDER BY input = 'log', name, version`)
	if err != nil {
		return fmt.Errorf("look for what an earlier verification has left: %w", err)
	}
	left, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Instance])
	if err != nil {
		return fmt.Errorf("look for what an earlier verification has left: %w", err)
	}
	var abandoned []Instance
	for _, i := range left {
		leading, err := tryLead(ctx, conn, i)
		if err != nil {
			return fmt.Errorf("see whether %s is still built: %w", i, err)
		}
		if leading {
			abandoned = append(abandoned, i)
		}
	}
	return dropScratch(ctx, pool, abandoned)
}
