package decode_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/decode"
	"strata/projections/follow"
	"strata/rig"
	"strata/rig/replay"
)

// largeChain returns a chain with blocks that are worth being decoded ahead.
func largeChain() *synthchain.Chain {
	return synthchain.New(synthchain.Config{Seed: 3, TxPerBlock: synthchain.Range{Min: 150, Max: 150}, SigningSample: 1000, ForgetHistory: true})
}

func isLarge(post synthchain.Post) bool { return post.Path == "/new_block" && len(post.Body) > 100<<10 }

// largeBlocks returns the bodies of such blocks.
func largeBlocks(t *testing.T, n int) (bodies [][]byte) {
	t.Helper()
	made := largeChain()
	for len(bodies) < n {
		if post := made.Next(); isLarge(post) {
			bodies = append(bodies, post.Body)
		}
	}
	return bodies
}

// newDecoder returns a decoder without a log, and what tells it of events that are about to be appended.
func newDecoder() (d *decode.Decoder, decoded prometheus.Counter, expect func(path string, body []byte)) {
	decoded = prometheus.NewCounter(prometheus.CounterOpts{Name: "decoded"})
	d = decode.New(nil, 0, decoded)
	arrived := d.Ahead(prometheus.NewRegistry())
	return d, decoded, func(path string, body []byte) {
		arrived(&eventstore.Incoming{Path: path, Body: eventstore.NewBody(body)})
	}
}

func decodeOne(t *testing.T, d *decode.Decoder, seq int64, path string, body []byte) projections.LogItem {
	t.Helper()
	items := must.Get(d.Decode(t.Context(), []eventstore.Event{{Seq: seq, Path: path, Size: int64(len(body)), Body: body}}))(t)
	return items[0]
}

// A block that was decoded while it was appended is the same as one that was decoded afterwards.
func TestAhead(t *testing.T) {
	t.Parallel()
	for i, body := range append(largeBlocks(t, 3), bytes.Repeat([]byte("{"), 1<<17), []byte(`{"block_height": 1}`)) {
		ahead, decoded, expect := newDecoder()
		other, _, _ := newDecoder()
		expect("/new_block", body)
		if got, want := ahead.Waits(), len(body) > 100<<10; got != want {
			t.Errorf("body %d: decoded ahead: %v, want %v", i, got, want)
		}
		got, want := decodeOne(t, ahead, 7, "/new_block", body), decodeOne(t, other, 7, "/new_block", body)
		if want.Block != nil {
			want.Block.Deployments()
			got.Block.Deployments()
			if testutil.ToFloat64(decoded) != 1 {
				t.Errorf("body %d was decoded %v times", i, testutil.ToFloat64(decoded))
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("body %d: got %+v, want %+v", i, got, want)
		}
		if ahead.Waits() {
			t.Errorf("body %d waits for a reader after it was read", i)
		}
	}
}

// Of several blocks on their way, the first is decoded ahead. Whoever reads another, or the same under another path, gets that.
func TestAheadOfOthers(t *testing.T) {
	t.Parallel()
	blocks := largeBlocks(t, 2)
	d, _, expect := newDecoder()
	expect("/new_burn_block", blocks[0])
	if d.Waits() {
		t.Fatal("an event that is no block was decoded ahead")
	}
	expect("/new_block/", blocks[0])
	expect("/new_block", blocks[1])
	if item := decodeOne(t, d, 2, "/new_block", blocks[1]); item.Block == nil || item.Block.Seq != 2 || !d.Waits() {
		t.Errorf("got %+v (%v) for the second block", item.Block, item.Err)
	}
	if item := decodeOne(t, d, 3, "/new_burn_block", blocks[0]); item.Block != nil || !d.Waits() {
		t.Errorf("got a block for an event that is none")
	}
	if item := decodeOne(t, d, 1, "/new_block/", blocks[0]); item.Block == nil || item.Block.Seq != 1 || item.Block.BodySize != int64(len(blocks[0])) || d.Waits() {
		t.Errorf("got %+v (%v) for the first block", item.Block, item.Err)
	}
	expect("/new_block", blocks[1])
	d.ExpireAhead()
	eventually.Holds(t, "a block that nobody reads makes room", func() bool { return !d.Waits() })
}

// A server at the tip reads a large block that was decoded while it was appended.
func TestReadsAhead(t *testing.T) {
	t.Parallel()
	log, registry := replay.NewLog(t), prometheus.NewRegistry()
	replay.Follow(t, follow.Config{Log: log, Registry: registry}, projections.Chain(rig.Chain(t)))
	made, large := largeChain(), 0
	for large < 3 {
		post := made.Next()
		if isLarge(post) {
			large++
		}
		must.Get(log.Append(t.Context(), eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: post.Path, Body: eventstore.NewBody(post.Body)}))(t)
		replay.Wait(t, log)
	}
	want := fmt.Sprintf("# HELP strata_projection_decoded_ahead_total Large blocks that were decoded while they were appended.\n"+
		"# TYPE strata_projection_decoded_ahead_total counter\nstrata_projection_decoded_ahead_total %d\n", large)
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "strata_projection_decoded_ahead_total"); err != nil {
		t.Error(err)
	}
}
