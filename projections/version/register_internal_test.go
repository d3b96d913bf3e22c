package version

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/projections"
	"strata/projections/internal/register"
)

// TestMissing checks what a program with the rules chain 2, ft 1 and nft 3 registers when it starts.
func TestMissing(t *testing.T) {
	t.Parallel()
	line := []projections.Definition{
		{Spec: projections.Spec{Schema: projections.Schema{Name: "chain", Version: 2}}},
		{Spec: projections.Spec{Schema: projections.Schema{Name: "ft", Version: 1}}, Leader: "chain"},
		{Spec: projections.Spec{Schema: projections.Schema{Name: "nft", Version: 3}}, Leader: "chain"},
	}
	entry := func(name string, version, rules int, input string, active bool) register.Entry {
		return register.Entry{Schema: projections.Schema{Name: name, Version: version}, Rules: rules, Input: input, Active: active}
	}
	for _, c := range []struct {
		name     string
		es       register.Entries
		want     string
		onDemand string // without build
	}{
		{
			"nothing", nil,
			"chain_v2 log *, ft_v1 chain_v2 *, nft_v3 chain_v2 *",
			"chain_v2 log *, ft_v1 chain_v2 *, nft_v3 chain_v2 *",
		},
		{
			"all that there has to be", register.Entries{
				entry("chain", 2, 2, "log", true), entry("ft", 1, 1, "chain_v2", true), entry("nft", 3, 3, "chain_v2", true),
			}, "", "",
		},
		{
			"other rules of the leader", register.Entries{
				entry("chain", 1, 1, "log", true), entry("ft", 1, 1, "chain_v1", true), entry("nft", 3, 3, "chain_v1", true),
			}, "chain_v2 log, ft_v2 chain_v2, nft_v4 chain_v2", "",
		},
		{
			"other rules of the leader, whose number is taken", register.Entries{
				entry("chain", 1, 1, "log", true), entry("chain", 2, 1, "log", false), entry("ft", 1, 1, "chain_v1", true),
			}, "chain_v3 log, ft_v2 chain_v3, nft_v3 chain_v3", "",
		},
		{
			"other rules of one that follows", register.Entries{
				entry("chain", 2, 2, "log", true), entry("ft", 1, 1, "chain_v2", true), entry("nft", 2, 2, "chain_v2", true),
			}, "nft_v3 chain_v2", "",
		},
		{
			"one more that follows", register.Entries{entry("chain", 2, 2, "log", true), entry("ft", 1, 1, "chain_v2", true)},
			"nft_v3 chain_v2 *", "nft_v3 chain_v2 *",
		},
		{
			"two lists of steps", register.Entries{
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
			for _, w := range missing(line, c.es, build) {
				text := w.String() + " " + w.Input
				if w.Active {
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

// TestReplaced checks which versions a server drops by itself. Number 2 of each projection became active an hour ago.
func TestReplaced(t *testing.T) {
	t.Parallel()
	activated := time.Now().Add(-time.Hour)
	entry := func(name string, version, rules int, input string) register.Entry {
		e := register.Entry{Schema: projections.Schema{Name: name, Version: version}, Rules: rules, Input: input, Automatic: name != "commanded"}
		if version == 2 {
			e.Active, e.ActivatedAt = true, &activated
		}
		return e
	}
	es := register.Entries{entry("chain", 1, 1, "log"), entry("chain", 2, 2, "log"), entry("unknown", 1, 1, "chain_v2"), entry("leader", 1, 1, "log"), entry("leader", 2, 2, "log")}
	for name, other := range map[string]register.Entry{
		"older": entry("older", 1, 1, "chain_v2"), "same": entry("same", 1, 2, "chain_v2"), "newer": entry("newer", 3, 3, "chain_v2"),
		"commanded": entry("commanded", 1, 1, "chain_v2"), "below": entry("below", 1, 2, "chain_v1"),
	} {
		es = append(es, other, entry(name, 2, 2, "chain_v2"))
	}
	got := replaced(es, activated)
	slices.SortFunc(got, func(a, b projections.Schema) int { return strings.Compare(a.Name, b.Name) })
	if text := fmt.Sprint(got); text != "[below_v1 leader_v1 older_v1]" || len(replaced(es, activated.Add(-1))) > 0 {
		t.Errorf("got %s, and %v a moment before", text, replaced(es, activated.Add(-1)))
	}
}
