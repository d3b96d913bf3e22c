package follow

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"strata/projections/internal/register"
	"strata/projections/version"
)

// quarantineTable is the name under which differences of quarantine entries are reported.
const quarantineTable = "quarantine"

// compareQuarantine compares what the active version could not read with what the scratch version could not read, now that both
// have come as far. Somebody who hides an event from readers hides it there, too. The reasons are texts, which a newer program
// may word otherwise. Skipped events are left out: whether a block that did not last was ever folded depends on how many were
// folded together, and of one that lasted, rows tell.
func compareQuarantine(ctx context.Context, q register.Querier, t twin, difference func(version.Difference) bool) error {
	rows, err := q.Query(ctx, `
		SELECT seq, pointer, a.path IS NOT NULL, s.path IS NOT NULL, a.path, s.path, a.subjects::text, s.subjects::text
		FROM (SELECT * FROM strata.quarantine WHERE name = $1 AND version = $2) a
		FULL JOIN (SELECT * FROM strata.quarantine WHERE name = $3 AND version = $4) s USING (seq, pointer)
		WHERE (a.path, a.subjects) IS DISTINCT FROM (s.path, s.subjects) AND coalesce(a.reason, s.reason) NOT LIKE 'skipped%' ORDER BY 1, 2`,
		t.active.Name, t.active.Version, t.scratch.Name, t.scratch.Version)
	if err != nil {
		return fmt.Errorf("compare the quarantine of %s: %w", t.active.Schema, err)
	}
	differences, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (version.Difference, error) {
		var (
			seq                                      int64
			pointer                                  string
			has, gives                               bool
			path, givenPath, subjects, givenSubjects *string
		)
		err := row.Scan(&seq, &pointer, &has, &gives, &path, &givenPath, &subjects, &givenSubjects)
		text := strconv.FormatInt(seq, 10)
		d := version.Difference{Table: quarantineTable, Key: []version.Value{{Column: "seq", Text: &text}}, Missing: !gives, Extra: !has}
		if pointer != "" {
			d.Key = append(d.Key, version.Value{Column: "pointer", Text: &pointer})
		}
		if has {
			d.OldSeq = &seq
		}
		if gives {
			d.NewSeq = &seq
		}
		for _, c := range []version.ColumnDifference{{Column: "path", Old: path, New: givenPath}, {Column: "subjects", Old: subjects, New: givenSubjects}} {
			if has && gives && *c.Old != *c.New {
				d.Columns = append(d.Columns, c)
			}
		}
		return d, err
	})
	if err != nil {
		return fmt.Errorf("compare the quarantine of %s: %w", t.active.Schema, err)
	}
	for _, d := range differences {
		if !difference(d) {
			break
		}
	}
	return nil
}
