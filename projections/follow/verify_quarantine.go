package follow

import (
	"context"
	"fmt"
	"strconv"

	"strata/projections/internal/register"
	"strata/projections/version"
)

// quarantineTable is the name under which differences of quarantine entries are reported.
const quarantineTable = "quarantine"

// compareQuarantine compares the events that the active version could not read with those that the scratch version could not
// read, now that both have come as far. Somebody who hides an event from readers hides it there, too. The reasons are texts,
// which a newer program may word otherwise.
func compareQuarantine(ctx context.Context, q register.Querier, t twin, difference func(version.Difference) bool) error {
	rows, err := q.Query(ctx, `
		SELECT coalesce(a.seq, s.seq), a.seq IS NOT NULL, s.seq IS NOT NULL, a.path, s.path, a.pointer, s.pointer
		FROM (SELECT * FROM strata.quarantine WHERE name = $1 AND version = $2) a
		FULL JOIN (SELECT * FROM strata.quarantine WHERE name = $3 AND version = $4) s USING (seq)
		WHERE (a.path, a.pointer) IS DISTINCT FROM (s.path, s.pointer) ORDER BY 1`,
		t.active.Name, t.active.Version, t.scratch.Name, t.scratch.Version)
	if err != nil {
		return fmt.Errorf("compare the quarantine of %s: %w", t.active.Schema, err)
	}
	defer rows.Close()
	var (
		seq                                    int64
		has, gives                             bool
		path, givenPath, pointer, givenPointer *string
	)
	for rows.Next() {
		if err := rows.Scan(&seq, &has, &gives, &path, &givenPath, &pointer, &givenPointer); err != nil {
			return fmt.Errorf("compare the quarantine of %s: %w", t.active.Schema, err)
		}
		text, at := strconv.FormatInt(seq, 10), seq
		d := version.Difference{Table: quarantineTable, Key: []version.Value{{Column: "seq", Text: &text}}, Missing: !gives, Extra: !has}
		if has {
			d.OldSeq = &at
		}
		if gives {
			d.NewSeq = &at
		}
		for _, c := range []version.ColumnDifference{{Column: "path", Old: path, New: givenPath}, {Column: "pointer", Old: pointer, New: givenPointer}} {
			if has && gives && *c.Old != *c.New {
				d.Columns = append(d.Columns, c)
			}
		}
		if !difference(d) {
			break
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return fmt.Errorf("compare the quarantine of %s: %w", t.active.Schema, err)
	}
	return nil
}
