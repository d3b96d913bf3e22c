package ranked

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Write writes the changes and forgets them. The rows that they are about must have been written before, in the same
// transaction. It fails if lists and rows contradict each other: if a list would have less than no entries, or if a
// part to be cut has another number of rows.
func (c *Changes) Write(ctx context.Context, tx pgx.Tx) error {
	all := c.take()
	if len(all) == 0 {
		return nil
	}
	w := &writer{lists: c.lists, ctx: ctx, tx: tx, sections: sectionChanges{keep: map[string]bool{}}}
	if err := w.count(all); err != nil {
		return err
	}
	var emptied, short []string
	var long []*listChange
	for _, l := range all {
		before := l.now - l.n
		switch {
		case l.now < 0 || l.now > 0 && before < 0:
			return fmt.Errorf("list %q would have %d entries after %d more", l.name, l.now, l.n)
		case l.now > w.lists.most && before > w.lists.most:
			long = append(long, l)
		case l.now > w.lists.most:
			if err := w.createParts(l); err != nil {
				return err
			}
		case before > w.lists.most:
			short = append(short, l.name)
		}
		if l.now == 0 && l.n < 0 {
			emptied = append(emptied, l.name)
		}
		if w.lists.sectioned {
			w.sections.plan(l, w.lists.sectionMost())
		}
	}
	if err := w.change(long); err != nil {
		return err
	}
	if err := w.flush(emptied, short); err != nil {
		return err
	}
	return w.settleSections()
}

// writer is the state of one Write.
type writer struct {
	lists *Lists
	ctx   context.Context
	tx    pgx.Tx

	puts, drops []*part
	sections    sectionChanges
}

// count updates the numbers of lists, and sets now of each.
func (w *writer) count(all []*listChange) error {
	n, names := make([]int64, len(all)), make([]string, len(all))
	for i, l := range all {
		n[i], names[i] = l.n, l.name
	}
	// This leaves out new lists. Most lists exist, and ON CONFLICT would double their cost.
	rows, err := w.tx.Query(w.ctx, w.sql(`
		UPDATE {schema}.list l SET n = l.n + k.n
		FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS k (n, name, place)
		WHERE l.name = k.name COLLATE "C"
		RETURNING k.place, l.n`), n, names)
	if err != nil {
		return fmt.Errorf("count the entries of %d lists: %w", len(all), err)
	}
	var place, now int64
	exists := make([]bool, len(all))
	if _, err := pgx.ForEachRow(rows, []any{&place, &now}, func() error {
		exists[place-1], all[place-1].now = true, now
		return nil
	}); err != nil {
		return fmt.Errorf("count the entries of %d lists: %w", len(all), err)
	}
	var fresh []*listChange
	for i, l := range all {
		if !exists[i] && l.n != 0 {
			l.now = l.n // below zero for a list that only loses entries, which Write reports
			fresh = append(fresh, l)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	_, err = w.tx.CopyFrom(w.ctx, pgx.Identifier{w.lists.spec.String(), "list"}, []string{"n", "name"},
		pgx.CopyFromSlice(len(fresh), func(i int) ([]any, error) { return []any{fresh[i].n, fresh[i].name}, nil }))
	if err != nil {
		return fmt.Errorf("count the entries of %d new lists: %w", len(fresh), err)
	}
	return nil
}

func (w *writer) put(p *part)  { w.puts = append(w.puts, p) }
func (w *writer) drop(p *part) { w.drops = append(w.drops, p) }

// flush writes the changed parts and their sections. It deletes the lists without entries, and the parts of lists that
// have become short.
func (w *writer) flush(emptied, short []string) error {
	queries := &pgx.Batch{}
	if len(emptied) > 0 {
		queries.Queue(w.sql(`DELETE FROM {schema}.list WHERE name = ANY ($1)`), emptied)
	}
	if len(short) > 0 {
		queries.Queue(w.sql(`DELETE FROM {schema}.part WHERE list = ANY ($1)`), short)
	}
	if len(w.drops) > 0 {
		_, lists, a, b, c := columns(w.drops)
		queries.Queue(w.sql(`
			DELETE FROM {schema}.part p USING unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS k (list, a, b, c)
			WHERE (p.list, p.a, p.b, p.c) = (k.list, k.a, k.b, k.c)`), lists, a, b, c)
	}
	if len(w.puts) > 0 {
		n, lists, a, b, c := columns(w.puts)
		queries.Queue(w.sql(`
			INSERT INTO {schema}.part (n, list, a, b, c)
			SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
			ON CONFLICT (list, a, b, c) DO UPDATE SET n = excluded.n`), n, lists, a, b, c)
	}
	w.queueSections(queries)
	if queries.Len() == 0 {
		return nil
	}
	if err := w.tx.SendBatch(w.ctx, queries).Close(); err != nil {
		return fmt.Errorf("write %d parts of lists and drop %d: %w", len(w.puts), len(w.drops), err)
	}
	return nil
}

func (w *writer) sql(query string) string { return w.lists.spec.SQL(query) }
