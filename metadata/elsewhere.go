package metadata

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Elsewhere is a database with projections whose wants are fetched, besides that of the log. It has a copy of the log, so what is
// fetched arrives there, too.
type Elsewhere struct {
	Name string // in metrics and log lines
	Pool *pgxpool.Pool
}

const (
	// elsewhereTimeout bounds the questions of one pass to such a database. The wants of all others wait meanwhile.
	elsewhereTimeout = 2 * time.Second
	// elsewherePause is the time for which a database that could not be read is left out.
	elsewherePause = 10 * time.Second
)

// places are the databases with wants: that of the log, and those elsewhere.
func (c Config) places() []querier {
	places := []querier{c.Log.Pool()}
	for _, e := range c.Elsewhere {
		places = append(places, e.Pool)
	}
	return places
}

// absences tells which databases elsewhere could not be read.
type absences map[int]time.Time // until when each is left out

// wanting returns the active versions with wants that are close to the head of the log, in all databases that can be read.
func (d *dispatcher) wanting(ctx context.Context, tx pgx.Tx) (near []version, err error) {
	active, err := activeVersions(ctx, tx)
	if err != nil {
		return nil, err
	}
	if near, err = nearVersions(ctx, tx, active); err != nil {
		return nil, err
	}
	for i, e := range d.config.Elsewhere {
		if time.Now().Before(d.absent[i]) {
			continue
		}
		all, these, err := wantingElsewhere(ctx, tx, e, i+1)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			d.config.Logger.LogAttrs(ctx, slog.LevelWarn, "a database with wants can't be read; it is left out for a while",
				slog.String("database", e.Name), slog.Any("error", err))
			d.absent[i] = time.Now().Add(elsewherePause)
			continue
		}
		active, near = append(active, all...), append(near, these...)
	}
	d.memory.keepVersions(active) // a version that is behind for the moment keeps its memory
	return near, nil
}

// wantingElsewhere returns the active versions in a database elsewhere, and which of them are close to the head of the log: their
// copy of it is, and they are to that of the copy. tx is a transaction in the database of the log.
func wantingElsewhere(ctx context.Context, tx pgx.Tx, e Elsewhere, place int) (active, near []version, err error) {
	limited, cancel := context.WithTimeout(ctx, elsewhereTimeout)
	defer cancel()
	if active, err = activeVersions(limited, e.Pool); err != nil {
		return nil, nil, err
	}
	for i := range active {
		active[i].place, active[i].database = place, e.Name
	}
	var size int64
	if err := e.Pool.QueryRow(limited, `SELECT size FROM log.head`).Scan(&size); err != nil {
		return nil, nil, fmt.Errorf("read the size of the copy of the log: %w", err)
	}
	if ok, err := isNear(ctx, tx, version{schema: "the copy of the log", input: "log", position: size}); err != nil || !ok {
		return active, nil, err
	}
	near, err = nearVersions(limited, e.Pool, active)
	return active, near, err
}

// nearVersions returns the versions that are close to the head of the log of their database.
func nearVersions(ctx context.Context, q querier, versions []version) (near []version, err error) {
	for _, v := range versions {
		ok, err := isNear(ctx, q, v)
		if err != nil {
			return nil, err
		}
		if ok {
			near = append(near, v)
		}
	}
	return near, nil
}

// asked returns what questions about wants at a place are put to.
func (d *dispatcher) asked(tx pgx.Tx, place int) querier {
	if place == 0 {
		return tx
	}
	return d.config.Elsewhere[place-1].Pool
}
