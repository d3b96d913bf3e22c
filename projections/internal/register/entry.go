package register

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/schema"
	"strata/internal/locks"
	"strata/projections"
)

// ErrNotRegistered is returned for a version that the database does not have.
var ErrNotRegistered = errors.New("no such version of this projection")

// Channels of Postgres' NOTIFY.
const (
	// ChangeChannel tells runners that the register has changed.
	ChangeChannel = "strata_register"
	// CommitChannel tells readers of the tables that a projection has committed, or that the register has changed.
	CommitChannel = "strata_projection"
)

// Log is the input of a version that folds the log itself.
const Log = "log"

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Entry is a version in the register, without its position.
type Entry struct {
	projections.Schema
	// Rules is the number of the code that builds it.
	Rules int
	// Input is Log, or the schema whose steps it folds.
	Input string
	// Epoch tells it from an earlier version of the same name and number.
	Epoch [16]byte
	// Indexed says that it has the indexes that only readers need.
	Indexed bool
	// Active says that readers see it, Previous that a rollback returns to it.
	Active, Previous bool
	// Viewed says that the views in the schema api show it.
	Viewed bool
	// Views says from what these were made: see ShowsViewsOf. Empty if nobody noted it.
	Views string
	// Comments is the digest of the comments on its tables; empty if it has none.
	Comments string
	// Automatic says that a server made it by itself.
	Automatic bool
	// ActivatedAt is when it last became active; nil: never.
	ActivatedAt *time.Time
}

// Leader returns the version whose steps it folds; the zero Schema when it folds the log.
func (e Entry) Leader() projections.Schema {
	leader, err := schema.Parse(e.Input)
	if err != nil { // it is Log
		return projections.Schema{}
	}
	return leader
}

// Entries are those of a register, by name and version.
type Entries []Entry

// Read reads all entries but the scratch versions.
func Read(ctx context.Context, q Querier) (Entries, error) {
	rows, err := q.Query(ctx, `
		SELECT p.name, p.version, coalesce(p.rules, p.version), p.input, p.epoch, p.indexed,
		       coalesce(a.version = p.version, false), coalesce(a.previous = p.version, false), coalesce(a.viewed = p.version, false),
		       coalesce(a.views, ''), p.automatic, t.activated_at,
		       coalesce(substring(obj_description(to_regnamespace(quote_ident(p.name || '_v' || p.version)), 'pg_namespace') FROM 'Comments: (\w+)$'), '')
		FROM strata.projection p LEFT JOIN strata.active a USING (name) LEFT JOIN strata.activation t USING (epoch)
		WHERE NOT p.scratch
		ORDER BY p.name, p.version`)
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) {
		var e Entry
		return e, row.Scan(&e.Name, &e.Version, &e.Rules, &e.Input, &e.Epoch, &e.Indexed, &e.Active, &e.Previous, &e.Viewed, &e.Views, &e.Automatic, &e.ActivatedAt, &e.Comments)
	})
	if err != nil {
		return nil, fmt.Errorf("read the register of projections: %w", err)
	}
	return all, nil
}

// Get returns the entry of a version; ErrNotRegistered when there is none.
func (es Entries) Get(version projections.Schema) (Entry, error) {
	for _, e := range es {
		if e.Schema == version {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("projection %s: %w", version, ErrNotRegistered)
}

// Active returns the active version of a projection, if any.
func (es Entries) Active(name string) (Entry, bool) {
	return es.Find(func(e Entry) bool { return e.Name == name && e.Active })
}

// Of returns the versions that this program's code of a projection follows: those with the same rules.
func (es Entries) Of(d projections.Definition) (own Entries) {
	for _, e := range es {
		if e.Name == d.Spec.Name && e.Rules == d.Spec.Version {
			own = append(own, e)
		}
	}
	return own
}

// Find returns the last entry that meets a condition: the newest one, where the condition names a projection.
func (es Entries) Find(condition func(Entry) bool) (found Entry, ok bool) {
	for _, e := range es {
		if condition(e) {
			found, ok = e, true
		}
	}
	return found, ok
}

// Has reports whether any entry meets a condition.
func (es Entries) Has(condition func(Entry) bool) bool {
	_, ok := es.Find(condition)
	return ok
}

// Change lets change alter the register in a transaction, while nobody else does. The lock that orders such
// transactions is that of a row that neither readers nor followers lock.
func Change(ctx context.Context, pool *pgxpool.Pool, change func(tx pgx.Tx, es Entries) error) error {
	err := locks.Hold(ctx, pool, 0, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM strata.archive FOR NO KEY UPDATE`); err != nil {
			return fmt.Errorf("wait for others that change the register of projections: %w", err)
		}
		es, err := Read(ctx, tx)
		if err != nil {
			return err
		}
		return change(tx, es)
	})
	if err == nil {
		// A lost notification costs one polling interval.
		_, _ = pool.Exec(ctx, `SELECT pg_notify($1, ''), pg_notify($2, '')`, ChangeChannel, CommitChannel)
	}
	return err
}
