// Package want is what folds that have wants share. Each has a table want of its own, with columns of its own beside those
// that the role metadata reads, and decides what answers a want.
package want

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
)

// AtOnce is a due time that has passed.
var AtOnce = time.Unix(0, 0).UTC()

// KeyHash returns the hash by which the table knows a want.
func KeyHash(w fetch.Want) [sha256.Size]byte { return sha256.Sum256([]byte(w.Key())) }

// Attempts are the failures of a want since it was raised.
type Attempts struct {
	Attempts, Waits int32 // Waits are failures that are not the want's, since the last that was
}

// Fail counts a failure, and returns when to try again.
func (a *Attempts) Fail(at time.Time, problem *fetch.Problem) (due time.Time) {
	failed := &a.Waits
	if problem.Severity != fetch.Waiting {
		failed, a.Waits = &a.Attempts, 0
	}
	*failed++
	return at.Add(problem.Delay(int(*failed)))
}

// Table is the table want of a version.
type Table struct {
	Tx  pgx.Tx
	SQL func(statement string) string // puts the name of the schema into a statement
}

// Raised is a want that is due at once, whatever failed before.
type Raised struct {
	Want     fetch.Want
	Seq      int64  // of the event that raises it
	Height   *int64 // only a read at this block or above answers it; nil for any
	Priority int16
	Columns  []string // further ones of the table
	Values   []any
}

// Raise queues the statement that raises a want.
func (t Table) Raise(queries *pgx.Batch, r Raised) error {
	text, err := json.Marshal(r.Want)
	if err != nil {
		return fmt.Errorf("write the want %s: %w", r.Want.Key(), err)
	}
	key := KeyHash(r.Want)
	var columns, parameters, assignments strings.Builder
	for i, name := range r.Columns {
		columns.WriteString(", " + name)
		_, _ = fmt.Fprintf(&parameters, ", $%d", i+8)
		assignments.WriteString(", " + name + " = excluded." + name)
	}
	queries.Queue(t.SQL(`
		INSERT INTO {schema}.want (source_seq, due_at, min_height, attempts, waits, priority, reason, severity, key_hash, kind, want`+columns.String()+`)
		VALUES ($1, $2, $3, 0, 0, $4, 0, 0, $5, $6, $7`+parameters.String()+`)
		ON CONFLICT (key_hash) DO UPDATE SET
			source_seq = excluded.source_seq, due_at = excluded.due_at, min_height = excluded.min_height, attempts = 0, waits = 0,
			priority = excluded.priority, reason = 0, severity = 0`+assignments.String()),
		append([]any{r.Seq, AtOnce, r.Height, r.Priority, key[:], string(r.Want.Kind), string(text)}, r.Values...)...)
	return nil
}

// AskAgain keeps the want of a report that came too late: only a read at this block or above answers it.
func (t Table) AskAgain(ctx context.Context, w fetch.Want, seq, height int64) error {
	key := KeyHash(w)
	if _, err := t.Tx.Exec(ctx, t.SQL(`UPDATE {schema}.want SET source_seq = $2, due_at = $3, min_height = $4 WHERE key_hash = $1`), key[:], seq, AtOnce, height); err != nil {
		return fmt.Errorf("ask again for %s: %w", w.Key(), err)
	}
	return nil
}

// Fail keeps the want of a report that brought no answer, and puts it off. It gets the priority for what failed, or the other
// one if the failure is not the want's; 0 leaves it as it is. open is false if there is no such want.
func (t Table) Fail(ctx context.Context, report *fetch.Report, seq int64, problem *fetch.Problem, failed, waiting int16) (a Attempts, open bool, err error) {
	key := KeyHash(report.Want)
	err = t.Tx.QueryRow(ctx, t.SQL(`SELECT attempts, waits FROM {schema}.want WHERE key_hash = $1`), key[:]).Scan(&a.Attempts, &a.Waits)
	if errors.Is(err, pgx.ErrNoRows) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("look for the want %s: %w", report.Want.Key(), err)
	}
	due := a.Fail(report.FinishedAt, problem)
	if problem.Severity == fetch.Waiting {
		failed = waiting
	}
	if _, err := t.Tx.Exec(ctx, t.SQL(`
		UPDATE {schema}.want SET source_seq = $2, due_at = $3, attempts = $4, waits = $5, priority = coalesce(nullif($6::smallint, 0), priority), reason = $7, severity = $8
		WHERE key_hash = $1`), key[:], seq, due, a.Attempts, a.Waits, failed, int16(problem.Reason), int16(problem.Severity)); err != nil {
		return a, false, fmt.Errorf("put the want %s off: %w", report.Want.Key(), err)
	}
	return a, true, nil
}

// Retry lets wants be fetched now whose last attempt failed, as if it had not, because a person has asked.
func (t Table) Retry(ctx context.Context, seq int64, r *fetch.Refresh) error {
	if _, err := t.Tx.Exec(ctx, t.SQL(`
		UPDATE {schema}.want SET source_seq = $1, due_at = least(due_at, $2), priority = 1, attempts = 0, waits = 0, reason = 0, severity = 0
		WHERE attempts > 0 AND ($3 = '' OR kind = $3)`), seq, r.RequestedAt, string(r.Kind)); err != nil {
		return fmt.Errorf("let what failed be tried again: %w", err)
	}
	return nil
}
