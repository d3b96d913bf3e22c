// Package ordinals measures the ordinals feed: how it comes in, how it is folded, and reads of a large world.
package ordinals

import (
	"context"
	"fmt"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthordinals"
)

// Bench measures the ordinals feed.
type Bench struct {
	*bench.Bench
	Inscriptions int // that Reads reads
}

// inscribing describes a feed with a number of inscriptions in each block, and a third as many moves. Each block is a
// payload.
func inscribing(each int) synthordinals.Config {
	return synthordinals.Config{
		Seed: 21, Reveals: synthordinals.Range{Min: each, Max: each}, Transfers: synthordinals.Range{Min: each / 4, Max: each / 2},
		Live: 20_000, Accounts: 5_000, ReinscriptionShare: 0.01, RecursionShare: 0.05, ContentBytes: synthordinals.Range{Min: 50, Max: 1_000},
		ForgetHistory: true,
	}
}

// Acknowledge measures the latency of the answer to the feed for payloads of 1, 100 and 2,000 inscriptions.
func (b *Bench) Acknowledge(ctx context.Context) {
	for _, payload := range []struct{ each, rounds int }{{1, 1000}, {100, 200}, {2000, 40}} {
		feed := synthordinals.New(inscribing(payload.each))
		database, what := fmt.Sprintf("payloads_%d", payload.each), fmt.Sprintf("a payload of %d inscriptions", payload.each)
		b.CompareAcknowledgements(ctx, database, what, payload.rounds, func() (string, []byte) {
			p := feed.Next()
			return p.Path, p.Body
		})
	}
}

// Visible measures the time from the acknowledgement of a payload until the API shows its block.
func (b *Bench) Visible(ctx context.Context) {
	const each, payloads = 100, 200
	feed := synthordinals.New(inscribing(each))
	bench.Visibility{
		WarmUp: 20, Rounds: payloads, Path: "/ordinals/v1/inscriptions?limit=1",
		Next: func() (synthordinals.Post, int64) {
			p := feed.Next()
			tip, _ := feed.Tip()
			return p, int64(tip.Height)
		},
	}.Print(ctx, b.Bench, "visible_payloads", fmt.Sprintf("a payload of %d inscriptions acknowledged → visible, p50 / p99", each), "")
}
