package bns

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/projections"
	"strata/projections/internal/want"
)

// Priorities of wants.
const (
	priorityFirst = 2 // the chain changed
	priorityAgain = 3 // an attempt failed
)

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
		var s subject
		var minHeight int64
		_, err := pgx.ForEachRow(rows, []any{&s.agent, &s.fullName, &minHeight}, func() error {
			open[s] = minHeight
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
	queries = &pgx.Batch{}
	for _, n := range needed {
		minHeight, ok := open[subject{n.Agent, n.FullName}]
		delete(open, subject{n.Agent, n.FullName})
		if ok && minHeight >= n.Height && minHeight <= b.tip.Height {
			continue
		}
		w, ok, err := b.wantOf(n)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := b.wants().Raise(queries, want.Raised{
			Want: w, Seq: cause, Height: &n.Height, Priority: priorityFirst, Columns: []string{"agent", "full_name"}, Values: []any{n.Agent, n.FullName},
		}); err != nil {
			return err
		}
	}
	for s := range open {
		queries.Queue(b.sql(`DELETE FROM {schema}.want WHERE agent = $1 AND full_name = $2`), s.agent, s.fullName)
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

// wantOf returns the want of what must be read; false if no registry is on the network of the agent.
func (b *batch) wantOf(n neededRead) (w fetch.Want, ok bool, err error) {
	agent, err := clarity.ParsePrincipal(n.Agent)
	if err != nil {
		return w, false, err
	}
	contract, ok := b.contracts.NamesOn(agent)
	if !ok {
		return w, false, nil
	}
	if n.FullName == "" {
		w, err = bns.PrimaryWant(contract, agent)
	} else {
		w, err = bns.InfoWant(contract, bns.Name{Label: n.Label, Namespace: n.Namespace})
	}
	return w, true, err
}

func (b *batch) wants() want.Table { return want.Table{Tx: b.tx, SQL: b.sql} }

// postpone keeps the want of a report whose block is not canonical.
func (b *batch) postpone(ctx context.Context, step projections.Step, report *fetch.Report) error {
	return b.fail(ctx, step, report, &fetch.Problem{Severity: fetch.Waiting})
}

// askAgain keeps the want of a report that came too late, and asks for the state after the newest block.
func (b *batch) askAgain(ctx context.Context, step projections.Step, report *fetch.Report) error {
	return b.wants().AskAgain(ctx, report.Want, step.SourceSeq, b.tip.Height)
}

// fail keeps the want of a report that brought no answer, and puts it off.
func (b *batch) fail(ctx context.Context, step projections.Step, report *fetch.Report, problem *fetch.Problem) error {
	_, _, err := b.wants().Fail(ctx, report, step.SourceSeq, problem, priorityAgain, priorityFirst)
	return err
}
