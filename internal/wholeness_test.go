package internal_test

import (
	"strings"
	"testing"

	"strata/internal/wholeness"
)

// The words are what people read at /readyz, in the console and from strata doctor.
func TestWholenessProblems(t *testing.T) {
	t.Parallel()
	height := func(n int64) *int64 { return &n }
	for _, tc := range []struct {
		name  string
		facts wholeness.Facts
		whole bool
		want  string
	}{
		{"whole", wholeness.Facts{Tip: height(100)}, true, ""},
		{"nothing yet", wholeness.Facts{}, false, "No block has arrived yet."},
		{"no genesis", wholeness.Facts{Gaps: 1, Waiting: 500, WaitingTo: 500, Missing: 500, MissingTo: 499}, false,
			"500 blocks are missing, from 0 to 499: the chain has not begun, and block 500 waits, with all above it."},
		{"one block", wholeness.Facts{Tip: height(100), Gaps: 1, Waiting: 102, WaitingTo: 102, Missing: 1, MissingFrom: 101, MissingTo: 101}, false,
			"Block 101 is missing: the chain stands still at 100, and block 102 waits, with all above it."},
		{"two gaps", wholeness.Facts{Tip: height(100), Gaps: 2, Waiting: 110, WaitingTo: 120, Missing: 12, MissingFrom: 101, MissingTo: 119}, false,
			"12 blocks are missing, from 101 to 119: the chain stands still at 100, and blocks 110 to 120 and those above them wait."},
		{"partial", wholeness.Facts{Tip: height(100), HistoryFrom: height(90)}, false,
			"The chain begins at block 90: balances and all that rests on the past lack what happened before."},
		{"an empty genesis", wholeness.Facts{Tip: height(100), HistoryFrom: height(0)}, false,
			"The genesis block is empty: balances and all that rests on the past lack what it allocated."},
		{"another chain", wholeness.Facts{Tip: height(100), Another: true}, false,
			"Another chain began on this database: its genesis block contradicts the one in the log, and the fold has stopped before it."},
		{"another network", wholeness.Facts{Tip: height(100), Foreign: []wholeness.Foreign{{Network: "testnet (chain id 0x80000000)", Events: 7, Last: 93}}}, true,
			"Events of another network are in quarantine: 7 of testnet (chain id 0x80000000); the last is event 93."},
		{"another network, by several signs", wholeness.Facts{Tip: height(100), Foreign: []wholeness.Foreign{{Network: "testnet", Events: 2, Last: 93}, {Network: "unknown", Events: 3, Last: 90}}}, true,
			"Events of another network are in quarantine: 2 of testnet, 3 that do not name it; the last is event 93."},
	} {
		var got []string
		for _, p := range tc.facts.Problems() {
			got = append(got, p.Message)
			if p.Mend == "" {
				t.Errorf("%s: %q says nothing that mends it", tc.name, p.Message)
			}
		}
		if text := strings.Join(got, " "); text != tc.want || tc.facts.Complete() != tc.whole {
			t.Errorf("%s: got %q, complete %t; want %q, %t", tc.name, text, tc.facts.Complete(), tc.want, tc.whole)
		}
	}
}
