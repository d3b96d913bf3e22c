package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// verifyPatience is how long Verify waits for a version to catch up.
const verifyPatience = 30 * time.Second

// keysShown is how many keys of wrong rows a finding names.
const keysShown = 5

// Verification is what Verify has found.
type Verification struct {
	Instance
	Findings []Finding `json:"findings"`
}

// OK says that nothing is wrong.
func (v Verification) OK() bool { return len(v.Findings) == 0 }

// Finding is something wrong with a version.
type Finding struct {
	Check  string   `json:"check"`
	Detail string   `json:"detail"`
	Keys   []string `json:"keys"` // of some rows that it is about
}

func (f Finding) String() string {
	text := f.Check
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	if len(f.Keys) > 0 {
		text += ", such as " + strings.Join(f.Keys, "; ")
	}
	return text
}

// VerifyError is returned for a version with findings.
type VerifyError struct{ Verification }

func (e *VerifyError) Error() string {
	findings := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		findings[i] = f.String()
	}
	return fmt.Sprintf("projection %s is not fit for readers: %s", e.Instance, strings.Join(findings, " | "))
}

// Verify looks whether a version is fit for readers: it has caught up and not failed, could read at least as many events as
// the active one, has its indexes, each row names an event of the log, and what its code says of its rows holds. It reads all
// of its tables, in one snapshot.
func Verify(ctx context.Context, pool *pgxpool.Pool, definition Definition, instance Instance) (Verification, error) {
	v := Verification{Instance: instance}
	if err := v.rules(ctx, pool, definition); err != nil {
		return v, fmt.Errorf("verify projection %s: %w", instance, err)
	}
	caughtUp, err := v.waitForHead(ctx, pool)
	if err != nil || !caughtUp {
		return v, err
	}
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, look := range []func(context.Context, pgx.Tx, Definition) error{v.quarantine, v.indexes, v.sources, v.checks} {
			if err := look(ctx, tx, definition); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return v, fmt.Errorf("verify projection %s: %w", instance, err)
	}
	return v, nil
}

func (v *Verification) find(check, detail string, keys ...string) {
	v.Findings = append(v.Findings, Finding{Check: check, Detail: detail, Keys: keys})
}

// ErrRules is returned for a version that other code has built: this program can't tell what is right in it.
var ErrRules = errors.New("it has other rules than this program")

func (v *Verification) rules(ctx context.Context, pool *pgxpool.Pool, definition Definition) error {
	es, err := readRegister(ctx, pool)
	if err != nil {
		return err
	}
	e, err := es.get(v.Instance)
	if err != nil {
		return err
	}
	if e.Name != definition.Spec.Name || e.rules != definition.Spec.Version {
		return fmt.Errorf("%w: number %d, here is number %d", ErrRules, e.rules, definition.Spec.Version)
	}
	return nil
}

// waitForHead waits until there is nothing left to fold.
func (v *Verification) waitForHead(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	for deadline := time.Now().Add(verifyPatience); ; sleep(ctx, 50*time.Millisecond) {
		s, err := statusOf(ctx, pool, v.Instance)
		switch {
		case err != nil:
			return false, err
		case s.State == StateFailed:
			v.find("it runs", fmt.Sprintf("it stopped at position %d: %s", *s.ErrorPosition, *s.Error))
			return false, nil
		case s.Lag() == 0 && s.State == StateLive && s.Indexed:
			return true, nil
		case s.Lag() == 0 && s.Head == 0:
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case s.Lag() > bulkLag && s.State == StateBuilding || time.Now().After(deadline):
			v.find("it has caught up", fmt.Sprintf("it is %s at position %d of %d", s.State, s.Position, s.Head))
			return false, nil
		}
	}
}

// statusOf reads the status of one instance.
func statusOf(ctx context.Context, q querier, instance Instance) (Status, error) {
	statuses, err := readStatuses(ctx, q)
	if err != nil {
		return Status{}, err
	}
	for _, s := range statuses {
		if s.Instance() == instance {
			return s, nil
		}
	}
	return Status{}, fmt.Errorf("projection %s: %w", instance, ErrNotRegistered)
}

// quarantine expects that it could read what the active version could.
func (v *Verification) quarantine(ctx context.Context, tx pgx.Tx, _ Definition) error {
	keys, err := keysOf(ctx, tx, `
		SELECT seq FROM strata.quarantine WHERE name = $1 AND version = $2
		EXCEPT SELECT q.seq FROM strata.quarantine q JOIN strata.active a USING (name, version) WHERE q.name = $1
		ORDER BY seq`, v.Name, v.Version)
	if err != nil {
		return err
	}
	var active bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM strata.active WHERE name = $1)`, v.Name).Scan(&active); err != nil {
		return err
	}
	if active && len(keys) > 0 {
		v.find("it could read the events that the active version could read", "some are in quarantine", keys...)
	}
	return nil
}

// indexes expects those that its DDL names, and that they can be used.
func (v *Verification) indexes(ctx context.Context, tx pgx.Tx, definition Definition) error {
	keys, err := keysOf(ctx, tx, `
		SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE NOT i.indisvalid AND c.relnamespace = to_regnamespace($1)`, v.String())
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		v.find("its indexes are valid", "", keys...)
	}
	keys, err = keysOf(ctx, tx, `
		SELECT name FROM unnest($2::text[]) AS name
		EXCEPT SELECT relname FROM pg_class WHERE relkind = 'i' AND relnamespace = to_regnamespace($1)`, v.String(), indexNames(definition.Spec.Tables))
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		v.find("it has its indexes", "some are missing", keys...)
	}
	return nil
}

// indexNames are those of the indexes that DDL makes.
func indexNames(ddl string) (names []string) {
	for _, statement := range statementsOf(ddl) {
		words := strings.Fields(statement)
		for i := 0; i+2 < len(words) && i < 2; i++ { // CREATE INDEX name, or CREATE UNIQUE INDEX name
			if words[i] == "CREATE" && words[i+1] == "INDEX" || words[i] == "UNIQUE" && words[i+1] == "INDEX" {
				names = append(names, words[i+2])
			}
		}
	}
	return names
}

// sources expects that each row names an event of the log.
func (v *Verification) sources(ctx context.Context, tx pgx.Tx, _ Definition) error {
	tables, err := keysOf(ctx, tx, `
		SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = $1 AND column_name = 'source_seq' AND table_type = 'BASE TABLE' ORDER BY table_name`, v.String())
	if err != nil {
		return err
	}
	for _, table := range tables {
		keys, err := keysOf(ctx, tx, `
			SELECT DISTINCT source_seq FROM `+v.table(table)+` WHERE source_seq NOT BETWEEN 1 AND (SELECT size FROM log.head) LIMIT `+fmt.Sprint(keysShown))
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			v.find("each row of "+table+" names an event of the log", "", keys...)
		}
	}
	return nil
}

// checks expects what the code says of its rows.
func (v *Verification) checks(ctx context.Context, tx pgx.Tx, definition Definition) error {
	for _, check := range definition.Checks {
		keys, err := keysOf(ctx, tx, definition.Spec.at(v.Version).SQL(`SELECT row_to_json(wrong)::text FROM (`+check.SQL+`) wrong LIMIT `+fmt.Sprint(keysShown)))
		if err != nil {
			return fmt.Errorf("check that %s: %w", check.Name, err)
		}
		if len(keys) > 0 {
			v.find(check.Name, "", keys...)
		}
	}
	return nil
}

// keysOf reads a query of one column as text.
func keysOf(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT t.k::text FROM (`+query+`) AS t (k)`, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
