package names

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/names"
	"strata/projections"
	"strata/projections/internal/want"
)

// neededSQL selects what the registry must be asked about, of the subjects that subjectSQL selects: what a contract may have
// changed since it was read. A name that is revoked, that never expires, or whose lease is known to have begun as late is not
// asked for. Needed are also the properties of a namespace of which only names are known; owner has one of theirs then.
func neededSQL(subjectSQL string) string {
	return `
		SELECT q.subject, a.height, a.source_seq, a.registry, NULL AS owner
		FROM (` + subjectSQL + `) q
		CROSS JOIN LATERAL (SELECT * FROM {schema}.act a WHERE a.subject = q.subject ORDER BY a.height DESC LIMIT 1) a
		LEFT JOIN LATERAL (SELECT * FROM {schema}.operation o WHERE o.name = q.subject ORDER BY o.n DESC LIMIT 1) o ON true
		LEFT JOIN LATERAL (
			SELECT * FROM {schema}.namespace s WHERE o.name IS NOT NULL AND s.namespace = split_part(q.subject, '.', 2) COLLATE "C" ORDER BY s.n DESC LIMIT 1
		) s ON true
		WHERE NOT EXISTS (SELECT FROM {schema}.reading r WHERE r.subject = a.subject AND r.height >= a.height)
		  AND (o.name IS NULL OR o.operation <> 6 AND coalesce(o.registered_at, -1) < a.clock AND coalesce(s.lifetime, 1) > 0)
		UNION ALL
		SELECT q.subject, o.height, o.source_seq, '', o.owner
		FROM (` + subjectSQL + `) q CROSS JOIN LATERAL (` + witnessSQL(`q.subject`) + `) o
		WHERE NOT EXISTS (SELECT FROM {schema}.act a WHERE a.subject = q.subject)`
}

// witnessSQL selects the first operation of a name that proves that a namespace is launched, if its launch is not in the log.
// Names are imported before the launch, so one whose first operation is an import is of a namespace that is not launched yet,
// and so are all others of that namespace.
func witnessSQL(namespace string) string {
	return `
		SELECT o.* FROM (
			SELECT w.name FROM {schema}.name w WHERE w.listed AND w.namespace = ` + namespace + ` COLLATE "C" ORDER BY w.a, w.b, w.c, w.name LIMIT 1
		) w
		CROSS JOIN LATERAL (SELECT * FROM {schema}.operation o WHERE o.name = w.name ORDER BY o.n LIMIT 1) o
		WHERE o.operation <> 2 AND NOT EXISTS (SELECT FROM {schema}.namespace s WHERE s.namespace = ` + namespace + `)`
}

// neededRead is a row of neededSQL.
type neededRead struct {
	Subject     string
	Height, Seq int64
	Registry    string
	Owner       *string // of a name on the same network as the registry; null if the registry is known
}

// raise raises the wants of what the steps may have changed, and drops those that are over.
func (b *batch) raise(ctx context.Context) error {
	for name := range b.names {
		_, namespace, _ := strings.Cut(name, ".")
		b.unsettled[name], b.unsettled[namespace] = true, true
	}
	for namespace := range b.namespaces {
		b.unsettled[namespace] = true
	}
	if len(b.unsettled) == 0 {
		return nil
	}
	subjects := slices.Sorted(maps.Keys(b.unsettled))
	open := map[string]int64{}
	var needed []neededRead
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`SELECT subject, min_height FROM {schema}.want WHERE subject = ANY ($1)`), subjects).Query(func(rows pgx.Rows) error {
		var subject string
		var height int64
		_, err := pgx.ForEachRow(rows, []any{&subject, &height}, func() error {
			open[subject] = height
			return nil
		})
		return err
	})
	queries.Queue(b.sql(neededSQL(`SELECT unnest($1::text[]) AS subject`)), subjects).Query(func(rows pgx.Rows) (err error) {
		needed, err = pgx.CollectRows(rows, pgx.RowToStructByPos[neededRead])
		return err
	})
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("look for what to ask the registry about: %w", err)
	}
	queries = &pgx.Batch{}
	for _, n := range needed {
		height, ok := open[n.Subject]
		delete(open, n.Subject)
		if ok && height >= n.Height && b.tip != nil && height <= b.tip.Height {
			continue
		}
		if err := b.ask(queries, n); err != nil {
			return err
		}
	}
	if len(open) > 0 {
		queries.Queue(b.sql(`DELETE FROM {schema}.want WHERE subject = ANY ($1)`), slices.Sorted(maps.Keys(open)))
	}
	if queries.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("ask the registry about %d names and namespaces: %w", len(needed), err)
	}
	return nil
}

// ask queues the want for what must be read.
func (b *batch) ask(queries *pgx.Batch, n neededRead) error {
	subject, err := names.ParseSubject(n.Subject)
	if err != nil {
		return err // no other subjects are ever stored
	}
	if n.Owner != nil {
		owner, err := clarity.ParsePrincipal(*n.Owner)
		if err != nil {
			return nil // no registry can be named; the owner of a name is a principal
		}
		n.Registry = names.ContractOf(owner)
	}
	w, err := subject.Want(n.Registry)
	if err != nil {
		return err
	}
	return b.wants().Raise(queries, want.Raised{
		Want: w, Seq: n.Seq, Height: &n.Height, Priority: priorityFirst, Columns: []string{"subject"}, Values: []any{n.Subject},
	})
}

func (b *batch) wants() want.Table { return want.Table{Tx: b.tx, SQL: b.sql} }

// askAgain keeps the want of a report that came too late, and asks for the state after the newest block.
func (b *batch) askAgain(ctx context.Context, step *projections.Step, report *fetch.Report) error {
	return b.wants().AskAgain(ctx, report.Want, step.SourceSeq, b.tip.Height)
}

// fail keeps the want of a report that brought no answer, and puts it off.
func (b *batch) fail(ctx context.Context, step *projections.Step, report *fetch.Report, problem *fetch.Problem) error {
	_, _, err := b.wants().Fail(ctx, report, step.SourceSeq, problem, priorityAgain, 0)
	return err
}
