package decode_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"golang.org/x/sync/errgroup"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/decode"
	"strata/projections/follow"
	"strata/rig"
	"strata/rig/replay"
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
			posts = append(posts, post)
		}
		replay.Append(t, log, posts...)
	}
	if size < 26<<20 {
		t.Fatalf("%d bytes fit into the cache; this test proves nothing", size)
	}
	registry := prometheus.NewRegistry()
	config := follow.Config{Log: log, Registry: registry, Interval: 50 * time.Millisecond, DecoderCacheBytes: 20 << 20}
	replay.Follow(t, config, projections.Chain(rig.Chain(t), balances.New(nil)))
	replay.Wait(t, log)

	families := must.Get(registry.Gather())(t)
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

// TestLargeBlockDecodedOnce folds a genesis block that is larger than the decoder's cache, with many blocks after it, and
// lets several projections read it: some of them begin when the others are done.
func TestLargeBlockDecodedOnce(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	made := synthchain.New(synthchain.Config{Seed: 1, Accounts: 3000, SigningSample: 1000, ForgetHistory: true})
	var posts []replay.Post
	size := 0
	for range 300 {
		post := made.Next()
		size = max(size, len(post.Body))
		posts = append(posts, post)
	}
	const cacheBytes = 512 << 10
	if size < cacheBytes {
		t.Fatalf("genesis has %d bytes; it fits into the cache", size)
	}
	replay.Append(t, log, posts...)
	decoded := prometheus.NewCounter(prometheus.CounterOpts{Name: "decoded"})
	decoder := decode.New(log, cacheBytes, decoded)
	seqs := rig.Query[[]int64](t, log, `SELECT array_agg(seq ORDER BY seq) FROM log.event WHERE path = '/new_block'`)
	read := func(seqs []int64) {
		var group errgroup.Group
		for range 4 {
			group.Go(func() error {
				for _, seq := range seqs {
					if _, err := decoder.Blocks(context.Background(), []int64{seq}); err != nil {
						return err
					}
				}
				return nil
			})
		}
		must.Do(t, group.Wait())
	}
	read(seqs[:1])
	if got := testutil.ToFloat64(decoded); got != 1 {
		t.Errorf("4 projections that read genesis at the same time decoded it %v times", got)
	}
	read(seqs[1:])
	before := testutil.ToFloat64(decoded)
	read(seqs[:1])
	if after := testutil.ToFloat64(decoded); after != before {
		t.Errorf("genesis was decoded again after %d other blocks", len(seqs)-1)
	}
}
