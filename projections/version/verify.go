package version

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// verifyPatience bounds how long Verify waits for a version to catch up.
const verifyPatience = 30 * time.Second

// verifyLag is the lag beyond which Verify does not wait for a version that is being built.
const verifyLag = 64

// keysShown is how many keys of wrong rows a finding names.
const keysShown = 5

// ErrRules is returned for a version that other code has built: this program can't tell what is right in it.
var ErrRules = errors.New("it has other rules than this program")

// Verification is the result of Verify.
type Verification struct {
	projections.Schema
	Findings []Finding `json:"findings"`
}

// OK reports whether nothing is wrong.
func (v Verification) OK() bool { return len(v.Findings) == 0 }

// Finding is something wrong with a version.
type Finding struct {
	Check  string   `json:"check"`
	Detail string   `json:"detail"`
	Keys   []string `json:"keys"` // of some of the rows concerned
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
	return fmt.Sprintf("projection %s is not fit for readers: %s", e.Schema, strings.Join(findings, " | "))
}

// Verify checks whether a version is fit for readers: it has caught up and has not failed, it could read at least the
// events that the active version could read, it has its indexes, each row names an event of the log, and the checks of
// its code hold. It reads all tables of the version. Each check is one statement with a snapshot of its own, and no finding
// depends on two of them: a snapshot of all would keep Postgres from removing old rows for as long as the largest build
// takes to read, also those of tables that every event updates. ErrRules for a version that other code has built.
func Verify(ctx context.Context, pool *pgxpool.Pool, definition projections.Definition, version projections.Schema) (Verification, error) {
	v := Verification{Schema: version}
	if err := v.checkRules(ctx, pool, definition); err != nil {
		return v, fmt.Errorf("verify projection %s: %w", version, err)
	}
	caughtUp, err := v.waitForHead(ctx, pool)
	if err != nil || !caughtUp {
		return v, err
	}
	for _, check := range []func(context.Context, register.Querier, projections.Definition) error{v.checkQuarantine, v.checkIndexes, v.checkSources, v.checkRows} {
		if err := check(ctx, pool, definition); err != nil {
			return v, fmt.Errorf("verify projection %s: %w", version, err)
		}
	}
	return v, nil
}

func (v *Verification) add(check, detail string, keys ...string) {
	v.Findings = append(v.Findings, Finding{Check: check, Detail: detail, Keys: keys})
}

func (v *Verification) checkRules(ctx context.Context, pool *pgxpool.Pool, definition projections.Definition) error {
	es, err := register.Read(ctx, pool)
	if err != nil {
		return err
	}
	e, err := es.Get(v.Schema)
	if err != nil {
		return err
	}
	if e.Name != definition.Spec.Name || e.Rules != definition.Spec.Version {
		return fmt.Errorf("%w: number %d, here is number %d", ErrRules, e.Rules, definition.Spec.Version)
	}
	return nil
}

// waitForHead waits until there is nothing left to fold. It adds a finding when it is not worth waiting.
func (v *Verification) waitForHead(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	for deadline := time.Now().Add(verifyPatience); ; pause.For(ctx, 50*time.Millisecond) {
		s, err := readStatus(ctx, pool, v.Schema)
		switch {
		case err != nil:
			return false, err
		case s.State == StateFailed:
			v.add("it runs", fmt.Sprintf("it stopped at position %d: %s", *s.ErrorPosition, *s.Error))
			return false, nil
		case s.Lag() <= verifyLag && s.State == StateLive && s.Indexed: // it follows; a switch waits for the rest
			return true, nil
		case s.Lag() == 0 && s.Head == 0:
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case s.Lag() > verifyLag && s.State == StateBuilding || time.Now().After(deadline):
			v.add("it has caught up", fmt.Sprintf("it is %s at position %d of %d", s.State, s.Position, s.Head))
			return false, nil
		}
	}
}

// checkQuarantine expects that the version could read the events that the active version could read. Events that the active
// version has not come to say nothing: nobody knows whether it could read them.
func (v *Verification) checkQuarantine(ctx context.Context, q register.Querier, _ projections.Definition) error {
	keys, err := readKeys(ctx, q, `
		SELECT seq FROM strata.quarantine
		WHERE name = $1 AND version = $2 AND seq <= (SELECT p.log_seq FROM strata.projection p JOIN strata.active a USING (name, version) WHERE p.name = $1)
		EXCEPT SELECT q.seq FROM strata.quarantine q JOIN strata.active a USING (name, version) WHERE q.name = $1
		ORDER BY seq`, v.Name, v.Version)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		v.add("it could read the events that the active version could read", "some are in quarantine", keys...)
	}
	return nil
}

// checkIndexes expects the indexes that the DDL names, all of them valid.
func (v *Verification) checkIndexes(ctx context.Context, q register.Querier, definition projections.Definition) error {
	keys, err := readKeys(ctx, q, `
		SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE NOT i.indisvalid AND c.relnamespace = to_regnamespace($1)`, v.Quoted())
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		v.add("its indexes are valid", "", keys...)
	}
	keys, err = readKeys(ctx, q, `
		SELECT name FROM unnest($2::text[]) AS name
		EXCEPT SELECT relname FROM pg_class WHERE relkind = 'i' AND relnamespace = to_regnamespace($1)`,
		v.Quoted(), register.IndexNames(definition.Spec.Tables))
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		v.add("it has its indexes", "some are missing", keys...)
	}
	return nil
}

// checkSources expects that each row names an event of the log.
func (v *Verification) checkSources(ctx context.Context, q register.Querier, _ projections.Definition) error {
	tables, err := readKeys(ctx, q, `
		SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = $1 AND column_name = 'source_seq' AND table_type = 'BASE TABLE' ORDER BY table_name`, v.String())
	if err != nil {
		return err
	}
	for _, table := range tables {
		keys, err := readKeys(ctx, q, `
			SELECT DISTINCT source_seq FROM `+v.Table(table)+` WHERE source_seq NOT BETWEEN 1 AND (SELECT size FROM log.head) LIMIT `+fmt.Sprint(keysShown))
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			v.add("each row of "+table+" names an event of the log", "", keys...)
		}
	}
	return nil
}

// checkRows runs the checks of the projection's code.
func (v *Verification) checkRows(ctx context.Context, q register.Querier, definition projections.Definition) error {
	spec := definition.Spec.At(v.Version)
	for _, check := range definition.Checks {
		keys, err := readKeys(ctx, q, spec.SQL(`SELECT row_to_json(wrong)::text FROM (`+check.SQL+`) wrong LIMIT `+fmt.Sprint(keysShown)))
		if err != nil {
			return fmt.Errorf("check that %s: %w", check.Name, err)
		}
		if len(keys) > 0 {
			v.add(check.Name, "", keys...)
		}
	}
	return nil
}

// CheckBuildDependent runs the checks of a version that are about its build-dependent tables. Such tables can't be compared
// with those of another version, only with the other tables of their own.
func CheckBuildDependent(ctx context.Context, pool *pgxpool.Pool, definition projections.Definition, version projections.Schema) ([]Finding, error) {
	v := Verification{Schema: version}
	definition.Checks = slices.DeleteFunc(slices.Clone(definition.Checks), func(c projections.Check) bool {
		return !slices.ContainsFunc(definition.BuildDependent, c.IsAbout)
	})
	if err := v.checkRows(ctx, pool, definition); err != nil {
		return nil, fmt.Errorf("check projection %s: %w", version, err)
	}
	return v.Findings, nil
}

// readKeys returns the values of a query of one column, as text.
func readKeys(ctx context.Context, q register.Querier, query string, args ...any) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT t.k::text FROM (`+query+`) AS t (k)`, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
