package version_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/check"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/version"
	"strata/rig/replay"
)

// A table is compared with a view of its name.
func TestUnlikeVersions(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	_, err := pool.Exec(t.Context(), `
		CREATE SCHEMA tally_v1;
		CREATE SCHEMA tally_v2;
		CREATE TABLE tally_v1.count (n int, gone text);
		CREATE TABLE tally_v2.count (n int, added text);
		CREATE TABLE tally_v1.short (n int, word text);
		CREATE VIEW tally_v2.short AS SELECT n AS number, n FROM tally_v2.count;
		CREATE VIEW tally_v2.shown AS SELECT n FROM tally_v2.count;
		INSERT INTO tally_v1.short VALUES (1, 'one'), (2, 'two');
		INSERT INTO tally_v2.count VALUES (2), (3);
		CREATE TABLE tally_v2.extra (a int, b int)`)
	if err != nil {
		t.Fatal(err)
	}
	a, b := projections.Schema{Name: "tally", Version: 1}, projections.Schema{Name: "tally", Version: 2}
	got, err := version.FindUnmatched(t.Context(), pool, a, b)
	const want = "[only version 2 has the column count.added only version 1 has the column count.gone only version 2 has the table extra only version 2 has the column short.number only version 1 has the column short.word]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
	replay.InTx(t, pool, func(tx pgx.Tx) {
		var rows []string
		err := version.DiffIn(t.Context(), tx, projections.Definition{}, a, b, func(d version.Difference) bool {
			rows = append(rows, fmt.Sprint(d.Table, " ", *d.Key[0].Text, " ", d.Missing))
			return true
		})
		check.Equal(t, "differences", fmt.Sprint(rows, err), "[count 2 false count 3 false short 1 true short 3 false] <nil>")
	})
}
