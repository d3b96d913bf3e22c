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
// which a newer program may word otherwise. Skipped
// events are left out: whether a block that did not last was ever folded depends on how many were folded together, and of one that
// lasted, rows tell.
func compareQuarantine(ctx context.Context, q register.Querier, t twin, difference func(version.Difference) bool) error {
	rows, err := q.Query(ctx, `
		SELECT seq, pointer, a.seq IS NOT NULL, s.seq IS NOT NULL, a.path, s.path
		FROM (SELECT * FROM strata.quarantine WHERE name = $1 AND version = $2) a
		FULL JOIN (SELECT * FROM strata.quarantine WHERE name = $3 AND version = $4) s USING (seq, pointer)
		WHERE a.path IS DISTINCT FROM s.path AND coalesce(a.reason, s.reason) NOT LIKE 'skipped%' ORDER BY seq, pointer`,
		t.active.Name, t.active.Version, t.scratch.Name, t.scratch.Version)
	if err != nil {
		return fmt.Errorf("compare the quarantine of %s: %w", t.active.Schema, err)
	}
	defer rows.Close()
	var (
		seq             int64
		pointer         string
		has, gives      bool
		path, givenPath *string
	)
	for rows.Next() {
		if err := rows.Scan(&seq, &pointer, &has, &gives, &path, &givenPath); err != nil {
			return fmt.Errorf("compare the quarantine of %s: %w", t.active.Schema, err)
		}
		text, at, part := strconv.FormatInt(seq, 10), seq, pointer
		d := version.Difference{Table: quarantineTable, Key: []version.Value{{Column: "seq", Text: &text}}, Missing: !gives, Extra: !has}
		if part != "" {
			d.Key = append(d.Key, version.Value{Column: "pointer", Text: &part})
		}
		if has {
			d.OldSeq = &at
		}
		if gives {
			d.NewSeq = &at
		}
		if has && gives {
			d.Columns = []version.ColumnDifference{{Column: "path", Old: path, New: givenPath}}
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
