package ranked

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Write writes the changes, which are gone then. The rows that they are about must have been written before, in the same
// transaction. It fails when lists and rows do not agree: when a list would get shorter than nothing, or has another number
// of rows where it is cut.
func (c *Changes) Write(ctx context.Context, tx pgx.Tx) error {
	all := c.take()
	if len(all) == 0 {
		return nil
	}
	w := &writing{lists: c.lists, ctx: ctx, tx: tx}
	if err := w.count(all); err != nil {
		return err
	}
	var emptied, short []string
	var long []*changed
	for _, l := range all {
		before := l.now - l.n
		switch {
		case l.now < 0 || l.now > 0 && before < 0:
			return fmt.Errorf("list %q would have %d entries after %d more", l.name, l.now, l.n)
		case l.now > w.lists.most && before > w.lists.most:
			long = append(long, l)
		case l.now > w.lists.most:
			if err := w.found(l); err != nil {
				return err
			}
		case before > w.lists.most:
			short = append(short, l.name)
		}
		if l.now == 0 && l.n < 0 {
			emptied = append(emptied, l.name)
		}
	}
	if err := w.change(long); err != nil {
		return err
	}
	return w.flush(emptied, short)
}

// writing is one Write.
type writing struct {
	lists *Lists
	ctx   context.Context
	tx    pgx.Tx

	puts, drops []*part
}

// count adds what is new to the numbers of lists, and reads how long the lists are now that have parts, had some or became
// shorter.
func (w *writing) count(all []*changed) error {
	var longer, shorter, same counts
	byName := make(map[string]*changed, len(all))
	for _, l := range all {
		byName[l.name] = l
		switch {
		case l.n > 0:
			longer.add(l)
		case l.n < 0:
			shorter.add(l)
		default:
			same.add(l)
		}
	}
	const add = `
		WITH changed AS (
			INSERT INTO {schema}.list AS l (n, name) SELECT * FROM unnest($1::bigint[], $2::text[])
			ON CONFLICT (name) DO UPDATE SET n = l.n + excluded.n
			RETURNING l.name, l.n
		)
		SELECT name, n FROM changed WHERE n > $3`
	read := func(rows pgx.Rows) error {
		var name string
		var n int64
		_, err := pgx.ForEachRow(rows, []any{&name, &n}, func() error {
			byName[name].now = n
			return nil
		})
		return err
	}
	queries := &pgx.Batch{}
	if len(longer.names) > 0 {
		queries.Queue(w.sql(add), longer.n, longer.names, w.lists.most).Query(read)
	}
	if len(shorter.names) > 0 { // one that was not there is below zero then, which Write finds
		const all = -1 << 63
		queries.Queue(w.sql(add), shorter.n, shorter.names, int64(all)).Query(read)
	}
	if len(same.names) > 0 {
		queries.Queue(w.sql(`SELECT name, n FROM {schema}.list WHERE name = ANY ($1) AND n > $2`), same.names, w.lists.most).Query(read)
	}
	if err := w.tx.SendBatch(w.ctx, queries).Close(); err != nil {
		return fmt.Errorf("count the entries of %d lists: %w", len(all), err)
	}
	return nil
}

// counts are columns of lists.
type counts struct {
	n     []int64
	names []string
}

func (c *counts) add(l *changed) {
	c.n, c.names = append(c.n, l.n), append(c.names, l.name)
}

func (w *writing) put(p *part)  { w.puts = append(w.puts, p) }
func (w *writing) drop(p *part) { w.drops = append(w.drops, p) }

// flush writes what became of parts, and takes away the lists without entries and the parts of those that became short.
func (w *writing) flush(emptied, short []string) error {
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
	if queries.Len() == 0 {
		return nil
	}
	if err := w.tx.SendBatch(w.ctx, queries).Close(); err != nil {
		return fmt.Errorf("write %d parts of lists and drop %d: %w", len(w.puts), len(w.drops), err)
	}
	return nil
}

func (w *writing) sql(query string) string { return w.lists.spec.SQL(query) }
