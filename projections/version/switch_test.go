package version_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/projections"
	"strata/projections/version"
	"strata/rig"
)

// isBehind reports whether a version was refused only because the log has grown faster than it was folded.
func isBehind(err error) bool {
	var behind *version.BehindError
	var unfit *version.VerifyError
	return errors.As(err, &behind) ||
		errors.As(err, &unfit) && len(unfit.Findings) == 1 && unfit.Findings[0].Check == "it has caught up"
}

// waitUntilIndexed waits until a version is near the head of a growing log, and has its indexes.
func waitUntilIndexed(t *testing.T, log interface{ Pool() *pgxpool.Pool }, i projections.Schema) {
	t.Helper()
	eventually.Holds(t, i.String()+" catches up", func() bool {
		var ok bool
		err := log.Pool().QueryRow(t.Context(), `SELECT indexed AND state = 'live' FROM strata.projection WHERE name = $1 AND version = $2`, i.Name, i.Version).Scan(&ok)
		return err == nil && ok
	})
}

// TestActivateRefuses expects versions that are not fit for readers to stay inactive.
func TestActivateRefuses(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	log, stop := rig.Folded(t, 300, lines...)
	stop()
	rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "tally"})
	activate := func(lines projections.Lines) error {
		_, err := version.Activate(t.Context(), log.Pool(), lines, []projections.Schema{rig.Schema("tally", 2)})
		return err
	}
	var verify *version.VerifyError
	if err := activate(lines); !errors.As(err, &verify) || verify.Findings[0].Check != "it has caught up" {
		t.Errorf("a version that is behind: got %v", err)
	}
	stop = rig.Follow(t, log, lines...)
	rig.WaitUntilLive(t, log, rig.Schema("tally", 2))
	stop()
	refused := 0
	for _, c := range []struct{ name, spoil, mend, want string }{
		{"a check", `UPDATE tally_v2.sum SET steps = steps + 1`, `UPDATE tally_v2.sum SET steps = steps - 1`, "the sum is that of the rows"},
		{
			"a row without an event", `UPDATE tally_v2.row SET source_seq = 1301 WHERE step = 7`, `UPDATE tally_v2.row SET source_seq = 7 WHERE step = 7`,
			"each row of row names an event of the log",
		},
		{"an index", `DROP INDEX tally_v2.row_source_idx`, `CREATE UNIQUE INDEX row_source_idx ON tally_v2.row (source_seq, step)`, "it has its indexes"},
		{
			"quarantine", `INSERT INTO strata.quarantine VALUES ('tally', 2, 5, '/p', '', 'r')`, `DELETE FROM strata.quarantine`,
			"it could read the events that the active version could read",
		},
		{
			"a failure", `UPDATE strata.projection SET state = 'failed', error = 'e', error_position = 5 WHERE version = 2`,
			`UPDATE strata.projection SET state = 'live' WHERE version = 2`, "it runs",
		},
	} {
		rig.Execute(t, log, c.spoil)
		if err := activate(lines); !errors.As(err, &verify) || len(verify.Findings) != 1 || verify.Findings[0].Check != c.want || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		} else {
			refused++
		}
		rig.Execute(t, log, c.mend)
	}
	if err := activate(projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(3))}); !errors.Is(err, version.ErrRules) {
		t.Errorf("a version with other rules: got %v", err)
	}
	if err := activate(projections.Lines{projections.Chain(rig.Chain(t))}); !errors.Is(err, projections.ErrUnknown) {
		t.Errorf("a projection without code: got %v", err)
	}
	if version := rig.Query[int](t, log, `SELECT version FROM strata.active WHERE name = 'tally'`); version != 1 {
		t.Errorf("version %d is active", version)
	}
	// Nobody knows whether the active version could read an event that it has not come to.
	rig.Execute(t, log, `INSERT INTO strata.quarantine VALUES ('tally', 2, 301, '/p', '', 'r')`)
	if err := activate(lines); err != nil {
		t.Error(err)
	} else {
		t.Logf("fault: %d versions that were spoiled were refused; one that met a malformed event first was activated", refused)
	}
	// No runner follows the versions now, and the old one falls behind.
	rig.Execute(t, log, `UPDATE strata.projection SET position = position - 1 WHERE name = 'tally' AND version = 1`)
	var behind *version.BehindError
	if _, err := version.Rollback(t.Context(), log.Pool(), lines, "tally"); !errors.As(err, &behind) || behind.Schema != rig.Schema("tally", 1) || behind.Position != 299 || behind.Head != 300 {
		t.Errorf("roll back to a version that is behind: got %v", err)
	}
}
