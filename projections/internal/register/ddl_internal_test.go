package register

import (
	"slices"
	"testing"

	"strata/projections"
)

func TestStatements(t *testing.T) {
	t.Parallel()
	got := splitStatements("\n-- Of those; and of others.\nCREATE INDEX a ON t (x);\n\n   -- More.\nCREATE UNIQUE INDEX b\n    ON t (y) WHERE y > 0;\nCREATE TABLE c ()")
	want := []string{"CREATE INDEX a ON t (x)", "CREATE UNIQUE INDEX b\n    ON t (y) WHERE y > 0", "CREATE TABLE c ()"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := IndexNames("CREATE TABLE x ();\nCREATE INDEX a ON t (x);\nCREATE UNIQUE INDEX b ON t (y);\n"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q, want a and b", got)
	}
	tables, indexes := splitDDL(projections.Spec{
		Schema: projections.Schema{Name: "p", Version: 3},
		Tables: "CREATE TABLE {schema}.t ();\n" + projections.ReaderIndexes + "\nCREATE INDEX i ON {schema}.t (x);",
	})
	if tables != "CREATE SCHEMA p_v3;CREATE TABLE p_v3.t ();\n" || indexes != "\nCREATE INDEX i ON p_v3.t (x);" {
		t.Errorf("got %q and %q", tables, indexes)
	}
}
