package version

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// meetPatience bounds how long two versions that are followed may take to stand at the same place.
const meetPatience = 30 * time.Second

// meet calls f in a snapshot in which two versions reflect the same of the log. If they don't get there by themselves,
// the follower of the one that is ahead is held for a moment.
func meet(ctx context.Context, pool *pgxpool.Pool, a, b projections.Schema, f func(tx pgx.Tx) error) error {
	for deadline := time.Now().Add(meetPatience); ; pause.For(ctx, 20*time.Millisecond) {
		var s, t Status
		met := false
		err := register.InSnapshot(ctx, pool, func(tx pgx.Tx) (err error) {
			if s, err = readStatus(ctx, tx, a); err != nil {
				return err
			}
			if t, err = readStatus(ctx, tx, b); err != nil {
				return err
			}
			if met = level(s, t); !met {
				return nil
			}
			return f(tx)
		})
		if err != nil || met {
			return err
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("projections %s and %s do not stand at the same place: event %d and event %d of the log", a, b, s.LogSeq, t.LogSeq)
		}
		if s.Input != t.Input {
			continue // they meet at the head
		}
		if s.Position < t.Position {
			s, t = t, s
		}
		met, err = meetHolding(ctx, pool, s.Schema(), t.Schema(), f)
		if err != nil || met {
			return err
		}
	}
}

// level reports whether two versions reflect the same of the log.
func level(s, t Status) bool {
	if s.Input == t.Input {
		return s.Position == t.Position
	}
	return s.LogSeq == t.LogSeq && s.Lag() == 0 && t.Lag() == 0
}

// meetHolding holds the follower of ahead until behind stands at the same place, and calls f then. met is false when
// behind did not get there in time, or has gone past it.
func meetHolding(ctx context.Context, pool *pgxpool.Pool, ahead, behind projections.Schema, f func(tx pgx.Tx) error) (met bool, err error) {
	err = register.InSnapshotAfter(ctx, pool, func(lock pgx.Tx) (bool, error) {
		want, err := register.Hold(ctx, lock, ahead)
		if err != nil {
			return false, err
		}
		for deadline := time.Now().Add(holdPatience); time.Now().Before(deadline) && ctx.Err() == nil; pause.For(ctx, 2*time.Millisecond) {
			position, err := register.ReadPosition(ctx, lock, behind)
			if err != nil {
				return false, err
			}
			if position >= want {
				return true, nil
			}
		}
		return false, nil
	}, func(tx pgx.Tx) error {
		s, err := readStatus(ctx, tx, ahead)
		if err != nil {
			return err
		}
		t, err := readStatus(ctx, tx, behind)
		if err != nil {
			return err
		}
		if met = level(s, t); !met {
			return nil
		}
		return f(tx)
	})
	return met, err
}
