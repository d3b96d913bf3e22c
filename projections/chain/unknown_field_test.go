package chain_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/transaction"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/metric"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestUnknownFields counts fields that nobody decodes, in each batching, with forks and repeated announcements.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	fresh := with(map[string]any{"fresh": 1})
	nested := func(b *body.Block) {
		b.Transactions[0].Members = map[string]any{"odd\x00": map[string]any{"x": 1}}
	}
	posts := []replay.Post{
		genesis(), stacks("a1", "genesis", "2a", fresh), stacks("b1", "genesis", "2b", fresh, nested), stacks("b2", "b1", "3b"),
		stacks("a1", "genesis", "2a", fresh), {Path: "/new_burn_block/", Body: []byte(`{"burn_block_hash":1,"new":1}`)},
		{Path: "/drop_mempool_tx", Body: []byte(`{"dropped_txids":[],"reason":"TooExpensive","why":[]}`)},
		{Path: "/stackerdb_chunks", Body: []byte(`{"whatever":1}`)},
	}
	want := []string{
		"/drop_mempool_tx#/why 7 7 1",
		"/new_block#/fresh 2 5 3",
		"/new_block#/transactions/*/odd\uFFFD 3 3 1",
	}
	inBatchings(t, pool, chain.Recommended, posts, func(tx pgx.Tx, batching string) {
		got := replay.Texts(t, tx, schemas.In(`SELECT concat_ws(' ', path, first_seq, source_seq, events) FROM {chain}.unknown_field ORDER BY path`))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", batching, got, want)
		}
	})
}

// TestUnknownFieldsAreBounded posts more different fields than are kept, and with each post one that is.
func TestUnknownFieldsAreBounded(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	posts := []replay.Post{genesis()}
	for i := range 60 {
		members := []string{`"zz":0`}
		for j := range 20 {
			members = append(members, fmt.Sprintf(`"x%d":0`, 20*i+j))
		}
		posts = append(posts, replay.Post{Path: "/drop_mempool_tx", Body: []byte(`{"dropped_txids":[],"reason":"Stale",` + strings.Join(members, ",") + `}`)})
	}
	var first []string
	inBatchings(t, pool, chain.Recommended, posts, func(tx pgx.Tx, batching string) {
		got := replay.Texts(t, tx, schemas.In(`SELECT concat_ws(' ', path, first_seq, source_seq, events) FROM {chain}.unknown_field ORDER BY path`))
		if len(got) != 501 || got[0] != "(others) 26 61 36" || got[500] != "/drop_mempool_tx#/zz 2 61 60" {
			t.Errorf("%s: got %d rows, from %s to %s", batching, len(got), got[0], got[len(got)-1])
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%s: the rows depend on the batches", batching)
		}
	})
}

// TestMetrics counts what batches lead to once they have committed. Operators are warned of blocks that wait, and once of a field.
func TestMetrics(t *testing.T) {
	t.Parallel()
	registry, said := prometheus.NewRegistry(), logbuffer.Buffer{}
	c := must.Get(chain.New(chain.Recommended, slog.New(slog.NewTextHandler(&said, nil))))(t)
	c.Instrument(registry)
	fresh := with(map[string]any{"fresh": 1})
	items := replay.Decode(t, []replay.Post{
		genesis(), stacks("a1", "genesis", "2a"), stacks("a2", "a1", "3a", fresh), stacks("a1", "genesis", "2a", fresh), stacks("b2", "a1", "4a"),
		stacks("a5", "a4", "6a"), stacks("a6", "a5", "7a"), stacks("b2", "a1", "4a", empty),
		{Path: "/new_mempool_tx", Body: fmt.Appendf(nil, `["0x%x"]`, elsewhere(transaction.Mainnet))},
	})
	replay.InTx(t, wholeDatabase(t), func(tx pgx.Tx) {
		want := map[string][3]float64{
			"chain_gaps": {0, 0, 1}, "chain_height": {0, 2, 2}, "chain_reverted_blocks_total": {0, 0, 1}, "chain_repeated_blocks_total": {0, 1, 2},
			"chain_narrow_copies_total": {0, 0, 1}, "chain_foreign_events_total": {0, 0, 1}, "decoder_unknown_fields_total": {0, 2, 2},
		}
		for i, batch := range [][]projections.LogItem{nil, items[:4], items[4:]} {
			if i > 0 {
				must.Get(c.Fold(t.Context(), tx, batch[0].Seq-1, batch))(t).Observe()
			}
			for name, values := range want {
				if got, _ := metric.Sum(t, registry, "strata_"+name); got != values[i] {
					t.Errorf("after batch %d, %s is %v, want %v", i, name, got, values[i])
				}
			}
		}
	})
	if !said.HasLine("parent block missing", "height=5", "seq=6", body.ID("a4").String()) || strings.Count(said.String(), "parent block missing") != 1 {
		t.Errorf("it does not warn of block 4, or of another one: %s", said.String())
	}
	if !said.HasLine("not decoded", "/new_block#/fresh", "seq=3") || strings.Count(said.String(), "not decoded") != 1 {
		t.Errorf("it does not warn of the field, or not once: %s", said.String())
	}
}
