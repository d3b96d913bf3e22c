package pox_test

import (
	"strings"
	"testing"

	"strata/rig/replay"
)

// TestRecordings counts the rows of recordings of real nodes, and checks that the stackers behind each signer add up
// to the signer's stacked amount.
func TestRecordings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ counts, cycles, stackings string }{
		"epoch-3-transition.tsv.gz": {
			counts: "136 14 18 0 9", cycles: "11:0 12:3 13:3 14:3",
			stackings: "12-13 12-13 12-13 13-14 13-14 13-14 14-15 14-15 14-15", // of locks, then of extensions
		},
		"regtest-env-pox-4-stack-stx-in-reward-phase-S1.tsv.gz": {counts: "110 0 0 0 1", stackings: "6-7"},
		"mainnet-reorg-scenario1.tsv.gz":                        {counts: "96 0 0 0 0"},
		// Through all epochs up to 4.0: cycles 1 to 3 are of pox-4, 4 to 7 of pox-5.
		"nakamoto-epoch4.tsv.gz": {
			counts: "148 92 96 93 10", cycles: "1:2 2:2 3:2 4:2 5:2 6:2 7:2", stackings: "1-2 1-13 1-13 1-3 1-4 1-4",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := "events"
			if strings.HasPrefix(name, "nakamoto") {
				folder = "node"
			}
			posts := replay.Archive(t, folder, name)
			tx := rig.Begin(t)
			rig.FoldPosts(t, tx, posts, 30)
			one := func(query string) string { return strings.Join(rig.Texts(t, tx, query), " ") }
			for _, part := range []struct{ what, got, want string }{
				{"Bitcoin blocks, rewards, slots, outputs and events", one(`
					SELECT concat_ws(' ', (SELECT count(*) FROM {schema}.burn_block), (SELECT count(*) FROM {schema}.reward), (SELECT count(*) FROM {schema}.slot),
						(SELECT count(*) FROM {schema}.payout), (SELECT count(*) FROM {schema}.event))`), want.counts},
				{"cycles with their signers", one(`SELECT cycle_number || ':' || total_signers FROM {schema}.cycle ORDER BY cycle_number`), want.cycles},
				{"cycles of stacking rows", one(`SELECT start_cycle || '-' || end_cycle FROM {schema}.stacking ORDER BY n`), want.stackings},
				{"signers whose stacked amount differs from that of their stackers", one(`
					SELECT s.cycle_number || ':' || s.place FROM {schema}.signer s
					WHERE s.stacked IS DISTINCT FROM (SELECT sum(t.amount) FROM {schema}.stacker t WHERE t.cycle_number = s.cycle_number AND t.signer = s.place)`), ""},
			} {
				if part.got != part.want {
					t.Errorf("%s: got %s, want %s", part.what, part.got, part.want)
				}
			}
		})
	}
}
