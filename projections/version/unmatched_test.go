package version_test

import (
	"fmt"
	"testing"

	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/version"
)

func TestFindUnmatched(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	_, err := pool.Exec(t.Context(), `
		CREATE SCHEMA tally_v1;
		CREATE SCHEMA tally_v2;
		CREATE TABLE tally_v1.count (n int, gone text);
		CREATE TABLE tally_v2.count (n int, added text);
		CREATE TABLE tally_v2.extra (a int, b int)`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := version.FindUnmatched(t.Context(), pool, projections.Schema{Name: "tally", Version: 1}, projections.Schema{Name: "tally", Version: 2})
	const want = "[only version 2 has the column count.added only version 1 has the column count.gone only version 2 has the table extra]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
}
