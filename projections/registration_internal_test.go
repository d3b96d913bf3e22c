package projections

import (
	"slices"
	"strings"
	"testing"
)

// TestMissing is what a program with rules 2 of chain and rules 1 of others registers when it starts.
func TestMissing(t *testing.T) {
	t.Parallel()
	line := Line{members: []member{
		{Definition: Definition{Spec: Spec{Name: "chain", Version: 2}}},
		{Definition: Definition{Spec: Spec{Name: "ft", Version: 1}, Leader: "chain"}},
		{Definition: Definition{Spec: Spec{Name: "nft", Version: 3}, Leader: "chain"}},
	}}
	entry := func(name string, version, rules int, reads string, active bool) registered {
		return registered{Instance: Instance{name, version}, rules: rules, reads: reads, active: active}
	}
	for _, c := range []struct {
		name     string
		es       entries
		want     string
		onDemand string // without build
	}{
		{
			"nothing", nil,
			"chain_v2 log *, ft_v1 chain_v2 *, nft_v3 chain_v2 *",
			"chain_v2 log *, ft_v1 chain_v2 *, nft_v3 chain_v2 *",
		},
		{
			"all that there has to be", entries{
				entry("chain", 2, 2, "log", true), entry("ft", 1, 1, "chain_v2", true), entry("nft", 3, 3, "chain_v2", true),
			}, "", "",
		},
		{
			"other rules of the leader", entries{
				entry("chain", 1, 1, "log", true), entry("ft", 1, 1, "chain_v1", true), entry("nft", 3, 3, "chain_v1", true),
			}, "chain_v2 log, ft_v2 chain_v2, nft_v4 chain_v2", "",
		},
		{
			"other rules of the leader, whose number is taken", entries{
				entry("chain", 1, 1, "log", true), entry("chain", 2, 1, "log", false), entry("ft", 1, 1, "chain_v1", true),
			}, "chain_v3 log, ft_v2 chain_v3, nft_v3 chain_v3", "",
		},
		{
			"other rules of one that follows", entries{
				entry("chain", 2, 2, "log", true), entry("ft", 1, 1, "chain_v2", true), entry("nft", 2, 2, "chain_v2", true),
			}, "nft_v3 chain_v2", "",
		},
		{
			"one more that follows", entries{entry("chain", 2, 2, "log", true), entry("ft", 1, 1, "chain_v2", true)},
			"nft_v3 chain_v2 *", "nft_v3 chain_v2 *",
		},
		{
			"two lists of steps", entries{
				entry("chain", 2, 2, "log", true), entry("chain", 5, 2, "log", false),
				entry("ft", 1, 1, "chain_v2", true), entry("ft", 2, 1, "chain_v5", false), entry("nft", 1, 1, "chain_v2", true),
			}, "nft_v3 chain_v2, nft_v4 chain_v5", "",
		},
	} {
		for _, build := range []bool{true, false} {
			want := c.want
			if !build {
				want = c.onDemand
			}
			var got []string
			for _, w := range line.missing(c.es, build) {
				text := w.String() + " " + w.reads
				if w.active {
					text += " *"
				}
				got = append(got, text)
			}
			if text := strings.Join(got, ", "); text != want {
				t.Errorf("%s, build %t: got %q, want %q", c.name, build, text, want)
			}
		}
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	got := statementsOf("\n-- Of those; and of others.\nCREATE INDEX a ON t (x);\n\n   -- More.\nCREATE UNIQUE INDEX b\n    ON t (y) WHERE y > 0;\nCREATE TABLE c ()")
	want := []string{"CREATE INDEX a ON t (x)", "CREATE UNIQUE INDEX b\n    ON t (y) WHERE y > 0", "CREATE TABLE c ()"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := indexNames("CREATE TABLE x ();\nCREATE INDEX a ON t (x);\nCREATE UNIQUE INDEX b ON t (y);\n"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q, want a and b", got)
	}
	tables, indexes := Spec{Name: "p", Version: 3, Tables: "CREATE TABLE {schema}.t ();\n" + ReaderIndexes + "\nCREATE INDEX i ON {schema}.t (x);"}.split()
	if tables != "CREATE SCHEMA p_v3;CREATE TABLE p_v3.t ();\n" || indexes != "\nCREATE INDEX i ON p_v3.t (x);" {
		t.Errorf("got %q and %q", tables, indexes)
	}
}
