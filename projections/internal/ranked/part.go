package ranked

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// part is a part of a list.
type part struct {
	list      string
	key       Key
	n, before int64 // numbers of entries after and before the changes
	stored    int64 // the number in the table; 0 for a new part
	changes   []change
	gone      bool // it is to be deleted
}

func columns(parts []*part) (n []int64, lists []string, a, b, c []int64) {
	for _, p := range parts {
		n, lists = append(n, p.n), append(lists, p.list)
		a, b, c = append(a, p.key[0]), append(b, p.key[1]), append(c, p.key[2])
	}
	return n, lists, a, b, c
}

// place is a key of a list.
type place struct {
	list string
	key  Key
}

// search is the SQL that finds the part with a key, or the part after it.
type search string

const (
	partAt    search = `(p.a, p.b, p.c) <= (k.a, k.b, k.c) ORDER BY p.a DESC, p.b DESC, p.c DESC`
	partAfter search = `(p.a, p.b, p.c) > (k.a, k.b, k.c) ORDER BY p.a, p.b, p.c`
)

// parts reads the part for each place; nil if there is none.
func (w *writer) parts(which search, places []place) ([]*part, error) {
	parts := make([]*part, len(places))
	if len(places) == 0 {
		return parts, nil
	}
	lists := make([]string, len(places))
	a, b, c := make([]int64, len(places)), make([]int64, len(places)), make([]int64, len(places))
	for i, p := range places {
		lists[i], a[i], b[i], c[i] = p.list, p.key[0], p.key[1], p.key[2]
	}
	rows, err := w.tx.Query(w.ctx, w.sql(`
		SELECT k.place, p.a, p.b, p.c, p.n
		FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS k (list, a, b, c, place)
		CROSS JOIN LATERAL (
			SELECT p.a, p.b, p.c, p.n FROM {schema}.part p WHERE p.list = k.list AND `+string(which)+` LIMIT 1
		) p`), lists, a, b, c)
	if err != nil {
		return nil, fmt.Errorf("read parts of lists: %w", err)
	}
	var number, n int64
	var key Key
	if _, err := pgx.ForEachRow(rows, []any{&number, &key[0], &key[1], &key[2], &n}, func() error {
		parts[number-1] = &part{list: places[number-1].list, key: key, n: n, before: n, stored: n}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read parts of lists: %w", err)
	}
	return parts, nil
}

// change writes the changes of lists that had parts before and still have some.
func (w *writer) change(long []*listChange) error {
	touched, err := w.touched(long)
	if err != nil {
		return err
	}
	var large, small []*part
	for i, l := range long {
		count(l.changes, touched[i])
		for _, p := range touched[i] {
			switch {
			case p.n < 0:
				return fmt.Errorf("list %q would have %d entries from %v up to the next part", p.list, p.n, p.key)
			case p.n > w.lists.most:
				large = append(large, p)
			case p.n < w.lists.few():
				small = append(small, p)
			case p.n != p.before:
				w.put(p)
			}
		}
	}
	nexts, err := w.after(slices.Concat(large, small))
	if err != nil {
		return err
	}
	for i, p := range large {
		if err := w.cut(p, nexts[i]); err != nil {
			return err
		}
	}
	w.join(small, nexts[len(large):])
	return nil
}

// after reads the part after each part; nil if there is none.
func (w *writer) after(parts []*part) ([]*part, error) {
	places := make([]place, len(parts))
	for i, p := range parts {
		places[i] = place{p.list, p.key}
	}
	return w.parts(partAfter, places)
}

// touched reads the parts of lists that their changes fall into, in the order of keys. It first reads the parts of the
// first and the last change. Most lists change in one part, so it reads others only if these two differ.
func (w *writer) touched(long []*listChange) ([][]*part, error) {
	var ends []place
	for _, l := range long {
		ends = append(ends, place{l.name, l.changes[0].key}, place{l.name, l.changes[len(l.changes)-1].key})
	}
	found, err := w.parts(partAt, ends)
	if err != nil {
		return nil, err
	}
	all := make([][]*part, len(long))
	var between []place
	var listOf []int // the index in long of each place between
	for i, l := range long {
		first, last := found[2*i], found[2*i+1]
		if first == nil || last == nil {
			return nil, fmt.Errorf("list %q has %d entries and no part for some", l.name, l.now)
		}
		if first.key == last.key {
			all[i] = []*part{first}
			continue
		}
		all[i] = []*part{first, last}
		for _, change := range l.changes[1:] {
			if change.key.Compare(last.key) < 0 {
				between, listOf = append(between, place{l.name, change.key}), append(listOf, i)
			}
		}
	}
	if found, err = w.parts(partAt, between); err != nil {
		return nil, err
	}
	for i, p := range found {
		if p == nil {
			return nil, fmt.Errorf("list %q has no part for %v", between[i].list, between[i].key)
		}
		all[listOf[i]] = append(all[listOf[i]], p)
	}
	for i := range all {
		slices.SortFunc(all[i], func(a, b *part) int { return a.key.Compare(b.key) })
		all[i] = slices.CompactFunc(all[i], func(a, b *part) bool { return a.key == b.key })
	}
	return all, nil
}

// count adds changes to the parts that they fall into. Both must be in the order of keys.
func count(changes []change, parts []*part) {
	for i, p := range parts {
		end := len(changes)
		if i+1 < len(parts) {
			end = 0
			for end < len(changes) && changes[end].key.Compare(parts[i+1].key) < 0 {
				end++
			}
		}
		p.changes, changes = changes[:end], changes[end:]
		for _, change := range p.changes {
			p.n += change.n
		}
	}
}

// join joins parts with few entries with the next one, unless the result would be too large. An empty part is always
// deleted. It goes from the end to the beginning, so that the next part has its final state already.
func (w *writer) join(small, nexts []*part) {
	known := map[place]*part{}
	for _, p := range slices.Concat(w.puts, small) {
		known[place{p.list, p.key}] = p
	}
	for i, p := range slices.Backward(small) {
		next := nexts[i]
		if next != nil {
			if other := known[place{next.list, next.key}]; other != nil {
				next = other
			}
			if next.gone { // it was the last part, and empty
				next = nil
			}
		}
		switch {
		case next != nil && (p.n == 0 || p.n+next.n <= w.lists.most):
			p.n += next.n
			next.gone = true
			w.drop(next)
			w.put(p)
		case next == nil && p.n == 0:
			p.gone = true
			w.drop(p)
		default:
			w.put(p)
		}
	}
	w.puts = slices.DeleteFunc(w.puts, func(p *part) bool { return p.gone })
}
