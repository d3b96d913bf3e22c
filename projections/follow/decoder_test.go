package follow_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/follow"
)

// TestDecodedOnce folds far more than the decoder's cache holds, in bulk, and expects each block to be decoded once
// although two projections read it.
func TestDecodedOnce(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	size := 0
	made := synthchain.New(synthchain.Config{Seed: 1, TxPerBlock: synthchain.Range{Min: 5, Max: 5}, SigningSample: 1000, ForgetHistory: true})
	blocks := 0
	for range 7 {
		var posts []replay.Post
		for range 1000 {
			post := made.Next()
			size += len(post.Body)
			if post.Path == "/new_block" {
				blocks++
			}
			posts = append(posts, replay.Post(post))
		}
		replay.Append(t, log, posts...)
	}
	if size < 26<<20 {
		t.Fatalf("%d bytes fit into the cache; this test proves nothing", size)
	}
	registry := prometheus.NewRegistry()
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	config := follow.Config{Log: log, Registry: registry, Interval: 50 * time.Millisecond, DecoderCacheBytes: 20 << 20}
	replay.Follow(t, config, projections.Chain(c, balances.New(nil)))
	replay.Wait(t, log)

	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "strata_projection_decoded_blocks_total" {
			// A block that is read just between two batches may be decoded again.
			if got := int(family.GetMetric()[0].GetCounter().GetValue()); got > blocks+blocks/20 {
				t.Errorf("decoded %d blocks, want each of %d once", got, blocks)
			}
			return
		}
	}
	t.Error("the metric is not there")
}
