package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Why a version is not dropped.
var (
	ErrActive   = errors.New("it is the active version")
	ErrFollowed = errors.New("other versions fold its steps: drop these first")
	ErrViewed   = errors.New("a view shows it")
)

// dropPatience is how long Drop waits for those who still read what it drops.
const dropPatience = 15 * time.Second

// Drop takes away a version with its tables. It waits for a while for those who still read them. It refuses the active version
// (ErrActive), one whose steps others fold (ErrFollowed), and one that views show (ErrViewed): those in schema api soon no
// longer do after a switch, and others are for those who made them to drop.
func Drop(ctx context.Context, pool *pgxpool.Pool, instance Instance) error {
	for deadline := time.Now().Add(dropPatience); ; sleep(ctx, 200*time.Millisecond) {
		err := changeRegister(ctx, pool, func(tx pgx.Tx, es entries) error {
			e, err := es.get(instance)
			switch {
			case err != nil:
				return err
			case e.active:
				return ErrActive
			case es.has(func(other registered) bool { return other.input() == instance }):
				return ErrFollowed
			}
			views, err := viewsOf(ctx, tx, instance.Name)
			if err != nil {
				return err
			}
			if at := slices.IndexFunc(views, func(v view) bool { return v.shows == instance.String() }); at >= 0 {
				return fmt.Errorf("%w: %s", ErrViewed, views[at])
			}
			return takeAway(ctx, tx, instance)
		})
		var refused *pgconn.PgError
		passing := errors.Is(err, ErrViewed) || errors.As(err, &refused) && refused.Code == "55P03" // lock_not_available
		if err == nil {
			return nil
		}
		if !passing || time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("drop projection %s: %w", instance, err)
		}
	}
}

// takeAway deletes all that there is of an instance. Its follower finds its row gone and ends.
func takeAway(ctx context.Context, tx pgx.Tx, i Instance) error {
	for _, table := range []string{"projection", "shard", "quarantine"} {
		if _, err := tx.Exec(ctx, `DELETE FROM strata.`+table+` WHERE name = $1 AND version = $2`, i.Name, i.Version); err != nil {
			return fmt.Errorf("delete it from strata.%s: %w", table, err)
		}
	}
	if _, err := tx.Exec(ctx, `UPDATE strata.active SET previous = NULL WHERE name = $1 AND previous = $2`, i.Name, i.Version); err != nil {
		return fmt.Errorf("forget that it was active: %w", err)
	}
	_, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+viewTimeout+`'; DROP SCHEMA IF EXISTS `+pgx.Identifier{i.String()}.Sanitize()+` CASCADE`)
	if err != nil {
		return fmt.Errorf("drop its tables: %w", err)
	}
	return nil
}
