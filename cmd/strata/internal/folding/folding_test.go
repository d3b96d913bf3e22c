package folding_test

import (
	"log/slog"
	"regexp"
	"slices"
	"testing"

	"strata/cmd/strata/internal/folding"
)

// tableName finds the tables of a check.
var tableName = regexp.MustCompile(`\{schema\}\.(\w+)`)

// Every table is either compared row by row with what the log gives, or checked against tables that are. So strata verify
// checks whatever the API reads.
func TestEveryTableIsVerified(t *testing.T) {
	t.Parallel()
	lines, err := folding.Lines("recommended", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
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
