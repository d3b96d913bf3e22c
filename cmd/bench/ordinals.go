package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"strata/internal/synth/synthordinals"
)

// inscribing is a feed with so many inscriptions in each block, and a third as many moves, each block a payload.
func inscribing(each int) synthordinals.Config {
	return synthordinals.Config{
		Seed: 21, Reveals: synthordinals.Range{Min: each, Max: each}, Transfers: synthordinals.Range{Min: each / 4, Max: each / 2},
		Live: 20_000, Accounts: 5_000, ReinscriptionShare: 0.01, RecursionShare: 0.05, ContentBytes: synthordinals.Range{Min: 50, Max: 1_000},
		ForgetHistory: true,
	}
}

// acknowledgePayloads is acknowledge for payloads of 1, 100 and 2,000 inscriptions.
func (b *bench) acknowledgePayloads(ctx context.Context) error {
	for _, payload := range []struct{ each, rounds int }{{1, 1000}, {100, 200}, {2000, 40}} {
		made := synthordinals.New(inscribing(payload.each))
		database, what := fmt.Sprintf("payloads_%d", payload.each), fmt.Sprintf("a payload of %d inscriptions", payload.each)
		err := b.acknowledging(ctx, database, what, payload.rounds, func() (string, []byte) {
			p := made.Next()
			return p.Path, p.Body
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// visiblePayloads measures from the acknowledgement of a payload until the API shows its block, asking without a pause.
func (b *bench) visiblePayloads(ctx context.Context) error {
	const each, payloads = 100, 200
	url, pool, err := b.database(ctx, "visible_payloads")
	if err != nil {
		return err
	}
	defer pool.Close()
	server, err := b.serve(ctx, url)
	if err != nil {
		return err
	}
	defer server.stop()
	made := synthordinals.New(inscribing(each))
	var took []time.Duration
	for len(took) < payloads {
		p := made.Next()
		tip, _ := made.Tip()
		if err := post(ctx, server.observer+p.Path, p.Body); err != nil {
			return err
		}
		began := time.Now()
		if err := shows(server.api+"/ordinals/v1/inscriptions?limit=1", int64(tip.Height)); err != nil {
			return err
		}
		took = append(took, time.Since(began))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	b.row(fmt.Sprintf("a payload of %d inscriptions acknowledged → visible, p50 / p99", each),
		ms(percentile(took, .5))+" / "+ms(percentile(took, .99)), "", "", "")
	return nil
}
