package chain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

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
