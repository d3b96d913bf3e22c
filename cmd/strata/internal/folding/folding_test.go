package folding_test

import (
	"log/slog"
	"regexp"
	"slices"
	"testing"

	"strata/cmd/strata/internal/folding"
	"strata/internal/testkit/must"
)

// tableName finds the tables of a check.
var tableName = regexp.MustCompile(`\{schema\}\.(\w+)`)

// Every table is either compared row by row with what the log gives, or checked against tables that are. So strata verify
// checks whatever the API reads.
func TestEveryTableIsVerified(t *testing.T) {
	t.Parallel()
	lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
	left := 0
	for _, d := range lines.Definitions() {
		for _, table := range d.BuildDependent {
			left++
			checked := false
			for _, check := range d.Checks {
				others := slices.ContainsFunc(tableName.FindAllStringSubmatch(check.SQL, -1), func(other []string) bool { return !slices.Contains(d.BuildDependent, other[1]) })
				checked = checked || check.IsAbout(table) && others
			}
			if !checked {
				t.Errorf("%s: a comparison leaves out %s, and no check compares it with another table", d.Spec.Name, table)
			}
		}
	}
	if left == 0 {
		t.Error("no table is left out of comparisons, although some were when this test was written")
	}
}

// Some of the projections are those of these names, with what they fold.
func TestOnly(t *testing.T) {
	t.Parallel()
	lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
	for _, tc := range []struct{ names, want []string }{
		{[]string{"brc20"}, []string{"ordinals", "brc20"}},
		{[]string{"ordinals"}, []string{"ordinals"}},
		{[]string{"rosetta", "ordinals", "balances"}, []string{"chain", "balances", "rosetta", "ordinals"}},
	} {
		only := must.Get(lines.Only(tc.names))(t)
		var got []string
		for _, d := range only.Definitions() {
			got = append(got, d.Spec.Name)
		}
		slices.Sort(got)
		slices.Sort(tc.want)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%v: got %v, want %v", tc.names, got, tc.want)
		}
	}
	if all, err := lines.Only(nil); err != nil || len(all.Definitions()) != len(lines.Definitions()) {
		t.Errorf("no names: got %d projections, %v", len(all.Definitions()), err)
	}
	if _, err := lines.Only([]string{"brc-20"}); err == nil {
		t.Error("a projection that there is not was taken")
	}
}
