package ranked

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// createParts creates the parts of a list that has become long.
func (w *writer) createParts(l *listChange) error {
	return w.cut(&part{list: l.name, key: below, n: l.now, before: l.now - l.n, changes: l.changes}, nil)
}

// cut splits a part that is too large into several. next is the part after it; nil for none. If all entries of the part
// have the same key, it stays as it is.
func (w *writer) cut(p, next *part) error {
	groups, err := w.appended(p, next)
	if err == nil && groups == nil {
		groups, err = w.groups(p, next)
	}
	if err != nil {
		return err
	}
	n := p.n
	p.n = 0
	w.put(p)
	last := p
	for _, group := range groups {
		if last.n > 0 && last.n+group.n > w.lists.fill() {
			last = &part{list: p.list, key: group.key}
			w.put(last)
		}
		last.n += group.n
		n -= group.n
	}
	if n != 0 {
		return fmt.Errorf("list %q has %d entries too few from %v up to the next part", p.list, n, p.key)
	}
	return nil
}

// appended returns the groups of a part that has only gained entries after those that it had: these are the first
// group, and each new key is another. It returns nil if the part has changed in another way. Most lists grow at their
// end, and then this counts only the new rows, instead of reading all.
func (w *writer) appended(p, next *part) ([]change, error) {
	if next != nil || p.before > w.lists.most { // a part that was too large had equal keys, and the new ones may equal them
		return nil, nil
	}
	groups := []change{{p.key, p.before}}
	for _, change := range p.changes {
		if change.n < 0 {
			return nil, nil
		}
		groups = append(groups, change)
	}
	query, args := w.rows(&part{list: p.list, key: p.changes[0].key}, next)
	rows, err := w.query(`SELECT count(*) FROM (`+query+`) r`, args)
	var n int64
	if err == nil {
		n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
	}
	if err != nil {
		return nil, fmt.Errorf("count the new rows of list %q: %w", p.list, err)
	}
	if n != p.n-p.before {
		return nil, nil
	}
	return groups, nil
}

// groups returns the keys of a part's rows, with the number of rows that have each.
func (w *writer) groups(p, next *part) ([]change, error) {
	if p.before > w.lists.most {
		if several, err := w.several(p, next); err != nil || !several {
			return []change{{p.key, p.n}}, err
		}
	}
	query, args := w.rows(p, next)
	rows, err := w.query(`SELECT a, b, c, count(*) FROM (`+query+`) r GROUP BY a, b, c ORDER BY a, b, c`, args)
	if err != nil {
		return nil, fmt.Errorf("read the rows of list %q: %w", p.list, err)
	}
	groups := make([]change, 0, p.n)
	var group change
	if _, err := pgx.ForEachRow(rows, []any{&group.key[0], &group.key[1], &group.key[2], &group.n}, func() error {
		groups = append(groups, group)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the rows of list %q: %w", p.list, err)
	}
	return groups, nil
}

// several says whether the rows of a part have more than one key. It does not read all of them.
func (w *writer) several(p, next *part) (several bool, err error) {
	query, args := w.rows(p, next)
	rows, err := w.query(`
		SELECT (least.a, least.b, least.c) < (greatest.a, greatest.b, greatest.c)
		FROM (SELECT a, b, c FROM (`+query+`) r ORDER BY a, b, c LIMIT 1) least,
		     (SELECT a, b, c FROM (`+query+`) r ORDER BY a DESC, b DESC, c DESC LIMIT 1) greatest`, args)
	if err == nil {
		several, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
	}
	if err != nil {
		return false, fmt.Errorf("read the ends of a part of list %q: %w", p.list, err)
	}
	return several, nil
}

// rows returns the query of a part's rows.
func (w *writer) rows(p, next *part) (query string, args []any) {
	query, args = w.lists.sources(p.list)
	args = slices.Clone(args)
	var conditions []string
	bound := func(operator string, key Key) {
		conditions = append(conditions, fmt.Sprintf("(s.a, s.b, s.c) %s ($%d::bigint, $%d::bigint, $%d::bigint)",
			operator, len(args)+1, len(args)+2, len(args)+3))
		args = append(args, key[0], key[1], key[2])
	}
	if p.key != below {
		bound(">=", p.key)
	}
	if next != nil {
		bound("<", next.key)
	}
	query = `SELECT s.a, s.b, s.c FROM (` + query + `) s`
	if len(conditions) > 0 {
		query += ` WHERE ` + strings.Join(conditions, " AND ")
	}
	return query, args
}

// query runs a query with a plan for its arguments. A generic plan would be bad for most of them, because the lengths
// of lists differ by six orders of magnitude.
func (w *writer) query(query string, args []any) (pgx.Rows, error) {
	return w.tx.Query(w.ctx, w.sql(query), append([]any{pgx.QueryExecModeExec}, args...)...)
}
