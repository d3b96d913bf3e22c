package ranked

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// SectionPrefix precedes the name of a list in the rows of the table part that are its sections. No list has a name that
// begins so.
const SectionPrefix = "sections:"

// A section holds at most sectionParts times as many entries as the largest part.
const sectionParts = 64

// sectionChanges are the changes of the sections of lists.
type sectionChanges struct {
	keep   map[string]bool // the lists that had sections and still have some
	create []string        // the lists that get sections
	drop   []string        // the lists that lose them
	found  []section       // the sections that changed, as they are now
}

// section is a section of a list.
type section struct {
	list string
	key  Key
	n    int64
}

// plan notes what becomes of the sections of a list.
func (c *sectionChanges) plan(l *listChange, most int64) {
	switch before := l.now - l.n; {
	case l.now > most && before > most:
		c.keep[l.name] = true
	case l.now > most:
		c.create = append(c.create, l.name)
	case before > most:
		c.drop = append(c.drop, l.name)
	}
}

// queueSections queues the changes of sections that follow from those of parts. A part belongs to the section that its
// first key falls into.
func (w *writer) queueSections(queries *pgx.Batch) {
	if len(w.sections.drop) > 0 {
		names := projections.Column(w.sections.drop, func(list string) string { return SectionPrefix + list })
		queries.Queue(w.sql(`DELETE FROM {schema}.part WHERE list = ANY ($1)`), names)
	}
	var changed []*part
	want := map[string]int64{}
	add := func(p *part, n int64) {
		if n != 0 && w.sections.keep[p.list] {
			changed = append(changed, &part{list: SectionPrefix + p.list, key: p.key, n: n})
			want[p.list] += n
		}
	}
	for _, p := range w.puts {
		add(p, p.n-p.stored)
	}
	for _, p := range w.drops {
		add(p, -p.stored)
	}
	if len(changed) == 0 {
		return
	}
	n, lists, a, b, c := columns(changed)
	queries.Queue(w.sql(`
		UPDATE {schema}.part s SET n = s.n + d.n
		FROM (
			SELECT q.list, q.a, q.b, q.c, sum(k.n)::bigint AS n
			FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS k (n, list, a, b, c)
			CROSS JOIN LATERAL (
				SELECT p.list, p.a, p.b, p.c FROM {schema}.part p WHERE p.list = k.list AND `+string(partAt)+` LIMIT 1
			) q GROUP BY q.list, q.a, q.b, q.c
		) d WHERE (s.list, s.a, s.b, s.c) = (d.list, d.a, d.b, d.c)
		RETURNING substr(s.list, $6), s.a, s.b, s.c, s.n, d.n`), n, lists, a, b, c, int32(len(SectionPrefix)+1)).Query(func(rows pgx.Rows) error {
		var s section
		var by int64
		if _, err := pgx.ForEachRow(rows, []any{&s.list, &s.key[0], &s.key[1], &s.key[2], &s.n, &by}, func() error {
			w.sections.found = append(w.sections.found, s)
			want[s.list] -= by
			return nil
		}); err != nil {
			return err
		}
		for list, rest := range want {
			if rest != 0 {
				return fmt.Errorf("list %q has no section for %d of its new entries", list, rest)
			}
		}
		return nil
	})
}

// settleSections creates the sections of lists that have become long, cuts those that are too large, and joins those
// that have few entries with the next one. It goes from the end of a list to its beginning, as join does.
func (w *writer) settleSections() error {
	for _, list := range w.sections.create {
		if err := w.cutSection(section{list: list, key: below}, nil); err != nil {
			return err
		}
	}
	found := w.sections.found
	slices.SortFunc(found, func(a, b section) int { return b.key.Compare(a.key) })
	most := w.lists.sectionMost()
	for _, s := range found {
		if s.n >= most/8 && s.n <= most {
			continue
		}
		next, err := w.sectionAfter(s)
		switch {
		case err != nil:
			return err
		case s.n < 0:
			return fmt.Errorf("list %q would have %d entries from %v up to the next section", s.list, s.n, s.key)
		case s.n > most:
			err = w.cutSection(s, next)
		case next != nil && (s.n == 0 || s.n+next.n <= most):
			err = w.replaceSections(s, next.key, []section{{s.list, s.key, s.n + next.n}})
		case next == nil && s.n == 0:
			err = w.replaceSections(s, s.key, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sectionAfter reads the section after one; nil if there is none.
func (w *writer) sectionAfter(s section) (*section, error) {
	parts, err := w.parts(partAfter, []place{{SectionPrefix + s.list, s.key}})
	if err != nil || parts[0] == nil {
		return nil, err
	}
	return &section{s.list, parts[0].key, parts[0].n}, nil
}

// cutSection replaces a section by as many as its parts need. next is the section after it; nil for none.
func (w *writer) cutSection(s section, next *section) error {
	query, args := `SELECT a, b, c, n FROM {schema}.part p WHERE list = $1 AND (a, b, c) >= ($2, $3, $4)`, []any{s.list, s.key[0], s.key[1], s.key[2]}
	if next != nil {
		query, args = query+` AND (a, b, c) < ($5, $6, $7)`, append(args, next.key[0], next.key[1], next.key[2])
	}
	rows, err := w.tx.Query(w.ctx, w.sql(query+` ORDER BY a, b, c`), args...)
	if err != nil {
		return fmt.Errorf("read the parts of a section of list %q: %w", s.list, err)
	}
	cut, fill := []section{{list: s.list, key: s.key}}, w.lists.sectionMost()*3/4
	var p part
	if _, err := pgx.ForEachRow(rows, []any{&p.key[0], &p.key[1], &p.key[2], &p.n}, func() error {
		last := &cut[len(cut)-1]
		if last.n > 0 && last.n+p.n > fill {
			cut = append(cut, section{list: s.list, key: p.key})
			last = &cut[len(cut)-1]
		}
		last.n += p.n
		return nil
	}); err != nil {
		return fmt.Errorf("read the parts of a section of list %q: %w", s.list, err)
	}
	return w.replaceSections(s, s.key, cut)
}

// replaceSections writes sections in place of those from one up to the key of another.
func (w *writer) replaceSections(from section, through Key, by []section) error {
	queries := &pgx.Batch{}
	queries.Queue(w.sql(`DELETE FROM {schema}.part WHERE list = $1 AND (a, b, c) >= ($2, $3, $4) AND (a, b, c) <= ($5, $6, $7)`),
		SectionPrefix+from.list, from.key[0], from.key[1], from.key[2], through[0], through[1], through[2])
	for _, s := range by {
		queries.Queue(w.sql(`INSERT INTO {schema}.part (a, b, c, n, list) VALUES ($1, $2, $3, $4, $5)`),
			s.key[0], s.key[1], s.key[2], s.n, SectionPrefix+s.list)
	}
	if err := w.tx.SendBatch(w.ctx, queries).Close(); err != nil {
		return fmt.Errorf("write %d sections of list %q: %w", len(by), from.list, err)
	}
	return nil
}
