package bns

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/projections"
)

// Priorities of wants.
const (
	priorityFirst = 2 // the chain changed
	priorityAgain = 3 // an attempt failed
)

// atOnce is a due time that has passed.
var atOnce = time.Unix(0, 0).UTC()

// neededSQL selects what must be read, of the agents that agentSQL selects: the primary name of an agent that has names
// and may have chosen one since it was read, and each name that had lapsed when its owner may have renewed it. That is
// one read for an agent's act, however many names it has, and none for a contract that has no names.
func neededSQL(agentSQL string) string {
	return `
		SELECT g.agent, '' AS full_name, '' AS label, '' AS namespace, a.height
		FROM (` + agentSQL + `) g
		CROSS JOIN LATERAL (SELECT height FROM {schema}.act a WHERE a.agent = g.agent AND a.sets ORDER BY height DESC LIMIT 1) a
		WHERE EXISTS (SELECT FROM {schema}.name n WHERE n.owner = g.agent AND n.until_height IS NULL)
		  AND NOT EXISTS (SELECT FROM {schema}.reading r WHERE r.agent = g.agent AND r.full_name = '' AND r.height >= a.height)
		UNION ALL
		SELECT g.agent, n.full_name, n.label, n.namespace, a.height
		FROM (` + agentSQL + `) g
		CROSS JOIN LATERAL (SELECT height FROM {schema}.act a WHERE a.agent = g.agent AND a.renews ORDER BY height DESC LIMIT 1) a
		JOIN {schema}.block b ON b.height = a.height
		JOIN {schema}.name n ON n.owner = g.agent AND n.until_height IS NULL AND NOT n.valid AND n.expires_at + ` + fmt.Sprint(bns.Grace) + ` <= b.burn_height
		WHERE NOT EXISTS (SELECT FROM {schema}.reading r WHERE r.agent = g.agent AND r.full_name = n.full_name AND r.height >= a.height)`
}

// openWant is a row of the table want.
type openWant struct {
	agent, fullName string
	minHeight       int64
}

// raise raises the wants of the unsettled agents, and drops those that are over. cause is the event of the last step.
func (b *batch) raise(ctx context.Context, cause int64) error {
	if len(b.unsettled) == 0 {
		return nil
	}
	agents := slices.Sorted(maps.Keys(b.unsettled))
	type subject struct{ agent, fullName string }
	open := map[subject]int64{}
	var needed []neededRead
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`SELECT agent, full_name, min_height FROM {schema}.want WHERE agent = ANY ($1)`), agents).Query(func(rows pgx.Rows) error {
		var w openWant
		_, err := pgx.ForEachRow(rows, []any{&w.agent, &w.fullName, &w.minHeight}, func() error {
			open[subject{w.agent, w.fullName}] = w.minHeight
			return nil
		})
		return err
	})
	queries.Queue(b.sql(neededSQL(`SELECT unnest($1::text[]) AS agent`)), agents).Query(func(rows pgx.Rows) (err error) {
		needed, err = pgx.CollectRows(rows, pgx.RowToStructByPos[neededRead])
		return err
	})
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("look for what to read of %d contracts: %w", len(agents), err)
	}
	var rows [][]any
	for _, n := range needed {
		minHeight, ok := open[subject{n.Agent, n.FullName}]
		delete(open, subject{n.Agent, n.FullName})
		if ok && minHeight >= n.Height && minHeight <= b.tip.Height {
			continue
		}
		want, ok, err := b.wantOf(n)
		if err != nil {
			return err
		}
		if ok {
			rows = append(rows, want.row(n, cause))
		}
	}
	queries = &pgx.Batch{}
	for s := range open {
		queries.Queue(b.sql(`DELETE FROM {schema}.want WHERE agent = $1 AND full_name = $2`), s.agent, s.fullName)
	}
	for _, row := range rows {
		queries.Queue(b.sql(`
			INSERT INTO {schema}.want (source_seq, due_at, min_height, attempts, waits, priority, reason, severity, key_hash, kind, want, agent, full_name)
			VALUES ($1, $2, $3, 0, 0, $4, 0, 0, $5, $6, $7, $8, $9)
			ON CONFLICT (key_hash) DO UPDATE SET
				source_seq = excluded.source_seq, due_at = excluded.due_at, min_height = excluded.min_height, attempts = 0, waits = 0,
				priority = excluded.priority, reason = 0, severity = 0, agent = excluded.agent`), row...)
	}
	if queries.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("raise the wants of %d contracts: %w", len(agents), err)
	}
	return nil
}

// neededRead is a row of neededSQL.
type neededRead struct {
	Agent, FullName, Label, Namespace string
	Height                            int64
}

// want is a want to raise.
type want struct{ fetch.Want }

// wantOf returns the want of what must be read; false if no registry is on the network of the agent.
func (b *batch) wantOf(n neededRead) (want, bool, error) {
	agent, err := clarity.ParsePrincipal(n.Agent)
	if err != nil {
		return want{}, false, err
	}
	contract, ok := b.contracts.NamesOn(agent)
	if !ok {
		return want{}, false, nil
	}
	var w fetch.Want
	if n.FullName == "" {
		w, err = bns.PrimaryWant(contract, agent)
	} else {
		w, err = bns.InfoWant(contract, bns.Name{Label: n.Label, Namespace: n.Namespace})
	}
	return want{w}, true, err
}

func (w want) row(n neededRead, cause int64) []any {
	key := keyHash(w.Want)
	text, err := json.Marshal(w.Want)
	if err != nil {
		panic(err) // it consists of texts
	}
	return []any{cause, atOnce, n.Height, int16(priorityFirst), key[:], string(w.Kind), string(text), n.Agent, n.FullName}
}

func keyHash(w fetch.Want) [sha256.Size]byte { return sha256.Sum256([]byte(w.Key())) }

// postpone keeps the want of a report whose block is not canonical.
func (b *batch) postpone(ctx context.Context, step projections.Step, report *fetch.Report) error {
	return b.fail(ctx, step, report, &fetch.Problem{Severity: fetch.Waiting})
}

// askAgain keeps the want of a report that came too late, and asks for the state after the newest block.
func (b *batch) askAgain(ctx context.Context, step projections.Step, report *fetch.Report) error {
	key := keyHash(report.Want)
	if _, err := b.tx.Exec(ctx, b.sql(`UPDATE {schema}.want SET source_seq = $2, due_at = $3, min_height = $4 WHERE key_hash = $1`),
		key[:], step.SourceSeq, atOnce, b.tip.Height); err != nil {
		return fmt.Errorf("ask again: %w", err)
	}
	return nil
}

// fail keeps the want of a report that brought no answer, and puts it off.
func (b *batch) fail(ctx context.Context, step projections.Step, report *fetch.Report, problem *fetch.Problem) error {
	key := keyHash(report.Want)
	var attempts, waits int32
	rows, err := b.tx.Query(ctx, b.sql(`SELECT attempts, waits FROM {schema}.want WHERE key_hash = $1`), key[:])
	if err != nil {
		return fmt.Errorf("look for a want: %w", err)
	}
	if tag, err := pgx.ForEachRow(rows, []any{&attempts, &waits}, func() error { return nil }); err != nil || tag.RowsAffected() == 0 {
		return err
	}
	failed, priority := &waits, priorityFirst
	if problem.Severity != fetch.Waiting {
		failed, priority, waits = &attempts, priorityAgain, 0
	}
	*failed++
	if _, err := b.tx.Exec(ctx, b.sql(`
		UPDATE {schema}.want SET source_seq = $2, due_at = $3, attempts = $4, waits = $5, priority = $6, reason = $7, severity = $8 WHERE key_hash = $1`),
		key[:], step.SourceSeq, report.FinishedAt.Add(problem.Delay(int(*failed))), attempts, waits, int16(priority), int16(problem.Reason), int16(problem.Severity)); err != nil {
		return fmt.Errorf("put a want off: %w", err)
	}
	return nil
}
