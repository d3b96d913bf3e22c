package projections

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// States of a version.
const (
	StateBuilding = "building"
	StateLive     = "live"
	StateFailed   = "failed"
)

// ErrNotRegistered is returned for a version that the database does not have.
var ErrNotRegistered = errors.New("no such version of this projection")

// registerChannel is where runners are told that the register has changed.
const registerChannel = "strata_register"

// querier is a pool or a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// registered is the entry of an instance in the register, but for where it stands.
type registered struct {
	Instance
	rules    int
	reads    string // "log", or the schema whose steps it folds
	epoch    [16]byte
	indexed  bool
	active   bool
	previous bool // it is what a rollback returns to
	viewed   bool // the views show it
}

// input is the instance whose steps it folds; the zero Instance for the log.
func (r registered) input() Instance {
	at := strings.LastIndex(r.reads, "_v")
	if at < 0 {
		return Instance{}
	}
	version, err := strconv.Atoi(r.reads[at+len("_v"):])
	if err != nil {
		return Instance{}
	}
	return Instance{r.reads[:at], version}
}

// entries are those of a register.
type entries []registered

// readRegister reads all entries, by name and version.
func readRegister(ctx context.Context, q querier) (entries, error) {
	rows, err := q.Query(ctx, `
		SELECT p.name, p.version, coalesce(p.rules, p.version), p.input, p.epoch, p.indexed,
		       coalesce(a.version = p.version, false), coalesce(a.previous = p.version, false), coalesce(a.viewed = p.version, false)
		FROM strata.projection p LEFT JOIN strata.active a USING (name)
		WHERE NOT p.scratch
		ORDER BY p.name, p.version`)
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (registered, error) {
		var r registered
		return r, row.Scan(&r.Name, &r.Version, &r.rules, &r.reads, &r.epoch, &r.indexed, &r.active, &r.previous, &r.viewed)
	})
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	return all, nil
}

// get is the entry of an instance.
func (es entries) get(i Instance) (registered, error) {
	for _, e := range es {
		if e.Instance == i {
			return e, nil
		}
	}
	return registered{}, fmt.Errorf("projection %s: %w", i, ErrNotRegistered)
}

// active is the active instance of a projection, if any.
func (es entries) active(name string) (registered, bool) {
	return es.find(func(e registered) bool { return e.Name == name && e.active })
}

// find is the last entry that a condition holds for.
func (es entries) find(condition func(registered) bool) (found registered, ok bool) {
	for _, e := range es {
		if condition(e) {
			found, ok = e, true
		}
	}
	return found, ok
}

// has says whether a condition holds for any entry.
func (es entries) has(condition func(registered) bool) bool {
	_, ok := es.find(condition)
	return ok
}

// changeRegister lets change alter the register in a transaction, while nobody else does. It is a row's lock that orders
// them, one that no reader and no follower takes.
func changeRegister(ctx context.Context, pool *pgxpool.Pool, change func(tx pgx.Tx, es entries) error) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM strata.archive FOR NO KEY UPDATE`); err != nil {
			return fmt.Errorf("wait for others that change the register of projections: %w", err)
		}
		es, err := readRegister(ctx, tx)
		if err != nil {
			return err
		}
		return change(tx, es)
	})
	if err == nil {
		// Polling finds what a lost notification would have told.
		_, _ = pool.Exec(ctx, `SELECT pg_notify($1, ''), pg_notify($2, '')`, registerChannel, Channel)
	}
	return err
}

// place is where a version stands.
type place struct {
	position int64
	state    string
	indexed  bool
}

func readPlace(ctx context.Context, pool *pgxpool.Pool, spec Spec, epoch [16]byte) (place, error) {
	var p place
	err := pool.QueryRow(ctx, `SELECT position, state, indexed FROM strata.projection WHERE name = $1 AND version = $2 AND epoch = $3`,
		spec.Name, spec.Version, epoch).Scan(&p.position, &p.state, &p.indexed)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fmt.Errorf("projection %s: %w", spec, ErrNotRegistered)
	}
	if err != nil {
		return p, fmt.Errorf("read where projection %s stands: %w", spec, err)
	}
	return p, nil
}

func writeState(ctx context.Context, pool *pgxpool.Pool, spec Spec, state string) error {
	_, err := pool.Exec(ctx, `UPDATE strata.projection SET state = $3, updated_at = now() WHERE name = $1 AND version = $2 AND state <> $3`,
		spec.Name, spec.Version, state)
	if err != nil {
		return fmt.Errorf("note that projection %s is %s: %w", spec, state, err)
	}
	return nil
}

func writeFailure(ctx context.Context, pool *pgxpool.Pool, spec Spec, position int64, cause error) error {
	_, err := pool.Exec(ctx, `
		UPDATE strata.projection
		SET state = 'failed', error = $3, error_position = $4, error_at = now(), updated_at = now()
		WHERE name = $1 AND version = $2`, spec.Name, spec.Version, Text(cause.Error()), position)
	if err != nil {
		return fmt.Errorf("note that projection %s failed: %w", spec, err)
	}
	return nil
}
