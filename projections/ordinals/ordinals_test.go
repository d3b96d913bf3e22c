package ordinals_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	domain "strata/domain/ordinals"
	"strata/eventstore"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/ordinals"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

type feedStep struct {
	kind      projections.StepKind
	height    int64
	hash      hash.Hash32
	seq, size int64
	index     int
}

// steps reads the list, which must be numbered without gaps.
func steps(t *testing.T, log *eventstore.Log) (list []feedStep) {
	t.Helper()
	rows, err := log.Pool().Query(t.Context(), schemas.In(`
		SELECT step, kind, height, block_hash, block_seq, block_size, block_index FROM {ordinals}.step ORDER BY step`))
	if err != nil {
		t.Fatal(err)
	}
	var number int64
	var s feedStep
	must.Get(pgx.ForEachRow(rows, []any{&number, &s.kind, &s.height, &s.hash, &s.seq, &s.size, &s.index}, func() error {
		list = append(list, s)
		if number != int64(len(list)) {
			t.Fatalf("step %d after %d others", number, len(list)-1)
		}
		return nil
	}))(t)
	return list
}

// replaySteps returns the blocks that are applied after steps, and checks that each step is possible.
func replaySteps(t *testing.T, list []feedStep) map[int64]feedStep {
	t.Helper()
	applied := map[int64]feedStep{}
	for i, s := range list {
		block, ok := applied[s.height]
		switch {
		case s.kind == projections.Apply && ok:
			t.Fatalf("step %d applies a block at height %d, where %v is applied", i+1, s.height, block.hash)
		case s.kind == projections.Revert && (!ok || block.hash != s.hash || block.seq != s.seq || block.index != s.index || block.size != s.size):
			t.Fatalf("step %d reverts %+v, where %+v is applied", i+1, s, block)
		case s.kind == projections.Apply:
			applied[s.height] = s
		default:
			delete(applied, s.height)
		}
	}
	return applied
}

func anomalies(t *testing.T, log *eventstore.Log) map[string]string {
	t.Helper()
	return rig.Pairs(t, log.Pool(), schemas.In(`SELECT source_seq || pointer, kind || ' ' || height FROM {ordinals}.anomaly`))
}

// TestFeeds folds random feeds with rollbacks, duplicates and gaps, and with events of nodes in between.
func TestFeeds(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](3, 1) {
		for _, live := range []bool{false, true} {
			t.Run(fmt.Sprintf("seed %d, live %t", seed, live), func(t *testing.T) {
				t.Parallel()
				log := replay.NewLog(t)
				feed := synthordinals.New(synthordinals.Everything(seed, domain.Regtest))
				if live {
					replay.Follow(t, follow.Config{Log: log}, projections.Feed(ordinals.New(nil)))
				}
				for i := range 300 {
					post := feed.Next()
					replay.Append(t, log, post)
					if i%3 == 0 {
						replay.Append(t, log, replay.Post{Path: "/new_block", Body: []byte(`{}`)})
					}
				}
				if live {
					replay.Wait(t, log)
				} else {
					replay.RunLines(t, log, projections.Feed(ordinals.New(nil)))
				}
				list := steps(t, log)
				got := replaySteps(t, list)
				expected := feed.Expected().Blocks
				for _, b := range expected {
					if at, ok := got[int64(b.Height)]; !ok || at.hash != b.Hash {
						t.Errorf("at height %d is %v, want %v", b.Height, at.hash, b.Hash)
					}
				}
				if len(got) != len(expected) {
					t.Errorf("%d blocks are applied, want %d", len(got), len(expected))
				}
				blocks := map[int64]feedStep{}
				rows := must.Get(log.Pool().Query(t.Context(), schemas.In(`SELECT height, block_hash, source_seq, size, block_index FROM {ordinals}.block`)))(t)
				s := feedStep{kind: projections.Apply}
				must.Get(pgx.ForEachRow(rows, []any{&s.height, &s.hash, &s.seq, &s.size, &s.index}, func() error { blocks[s.height] = s; return nil }))(t)
				if !maps.Equal(blocks, got) {
					t.Error("the table of blocks differs from the result of the steps")
				}
				if len(list) == len(got) {
					t.Error("the feed has no rollbacks, so it tests too little")
				}
				var height int64
				var digest hash.Hash32
				must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT block_height, block_hash FROM strata.projection WHERE name = 'ordinals'`).Scan(&height, &digest))
				if tip, _ := feed.Tip(); height != int64(tip.Height) || digest != tip.Hash {
					t.Errorf("the tip is %v at %d, want %v at %d", digest, height, tip.Hash, tip.Height)
				}
				if q := quarantined(t, log); len(q) != 0 {
					t.Errorf("quarantined: %v", q)
				}
			})
		}
	}
}

func quarantined(t *testing.T, log *eventstore.Log) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, at := range replay.Texts(t, log.Pool(), `SELECT seq || pointer FROM strata.quarantine WHERE name = 'ordinals'`) {
		found[at] = true
	}
	return found
}

// withTransaction gives a block a transaction.
func withTransaction(block string) string {
	return strings.Replace(block, `"transactions":[]`, `"transactions":[{"transaction_identifier":{"hash":"`+strings.Repeat("ee", 32)+`"},"metadata":{"index":1,"ordinal_operations":[]}}]`, 1)
}

func payload(rollback, apply string) replay.Post {
	return replay.Post{Path: "/payload", Body: []byte(`{"chainhook":{"uuid":"1","predicate":{},"is_streaming_blocks":true},"rollback":[` + rollback + `],"apply":[` + apply + `]}`)}
}

func block(height int, digit string) string {
	hash := digit
	for len(hash) < 64 {
		hash = "0" + hash
	}
	return fmt.Sprintf(`{"block_identifier":{"index":%d,"hash":"0x%s"},"parent_block_identifier":{"index":%d,"hash":"0x%s"},"timestamp":1700000000,"transactions":[],"metadata":{}}`,
		height, hash, height-1, hash)
}

// TestRules folds one feed for each fault that a feed may have.
func TestRules(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		posts     []replay.Post
		want      map[int64]string // last digit of the hash, by height
		steps     int
		anomalies map[string]string
		disagree  int64           // repeated blocks that say something else than what is applied
		broken    map[string]bool // position and pointer
	}{
		"a block twice": {
			posts: []replay.Post{payload("", block(767430, "a")), payload("", block(767430, "a"))},
			want:  map[int64]string{767430: "a"}, steps: 1,
		},
		"one hash at two heights": {
			posts: []replay.Post{payload("", block(10, "a")+","+block(11, "a")), payload(block(10, "a"), "")},
			want:  map[int64]string{11: "a"}, steps: 3,
		},
		"a rollback of something unknown": {
			posts: []replay.Post{payload("", block(10, "a")), payload(block(900000, "b")+","+block(10, "c"), "")},
			want:  map[int64]string{10: "a"}, steps: 1,
			anomalies: map[string]string{"2/rollback/0": "unknown_rollback 900000", "2/rollback/1": "unknown_rollback 10"},
		},
		"another block without a rollback": {
			posts: []replay.Post{payload("", block(10, "a")), payload("", block(10, "b"))},
			want:  map[int64]string{10: "b"}, steps: 3, anomalies: map[string]string{"2/apply/0": "replaced 10"},
		},
		"a rollback and what takes its place": {
			posts: []replay.Post{payload("", block(10, "a")+","+block(11, "b")), payload(block(11, "b")+","+block(10, "a"), block(10, "c"))},
			want:  map[int64]string{10: "c"}, steps: 5,
		},
		"the oldest first": {
			posts: []replay.Post{payload("", block(10, "a")+","+block(11, "b")), payload(block(10, "a"), ""), payload(block(11, "b"), "")},
			want:  map[int64]string{}, steps: 4,
		},
		"a block below others": {
			posts: []replay.Post{payload("", block(10, "a")), payload("", block(30, "c")), payload("", block(20, "b"))},
			want:  map[int64]string{10: "a", 20: "b", 30: "c"}, steps: 3,
		},
		"there and back again": {
			posts: []replay.Post{payload("", block(10, "a")), payload(block(10, "a"), ""), payload("", block(10, "a"))},
			want:  map[int64]string{10: "a"}, steps: 3,
		},
		"a block that says something else": {
			posts: []replay.Post{
				payload("", block(10, "a")), payload("", withTransaction(block(10, "a"))), payload(block(10, "a"), withTransaction(block(10, "a"))),
				payload("", withTransaction(block(10, "a"))),
			},
			want: map[int64]string{10: "a"}, steps: 3, anomalies: map[string]string{"2/apply/0": "changed 10"},
		},
		"a block that says something else, uncorrected": {
			posts: []replay.Post{payload("", block(10, "a")), payload("", withTransaction(block(10, "a"))), payload("", withTransaction(block(10, "a")))},
			want:  map[int64]string{10: "a"}, steps: 1, anomalies: map[string]string{"2/apply/0": "changed 10", "3/apply/0": "changed 10"}, disagree: 2,
		},
		"parts that can't be read": {
			posts: []replay.Post{
				payload("", block(10, "a")+","+block(11, "b")),
				payload(`5,`+block(11, "b")+","+block(10, "a"), `{"block_identifier":{"index":"x"}},`+
					strings.Replace(withTransaction(block(10, "c")), `"ordinal_operations":[`, `"brc20_operation":{"deposit":{"tick":"a\u0000b"}},"ordinal_operations":[{"inscription_moved":{}}`, 1)),
			},
			want: map[int64]string{10: "c"}, steps: 5,
			broken: map[string]bool{
				"2/rollback/0": true, "2/apply/0/block_identifier/index": true, "2/apply/1/transactions/0/metadata/ordinal_operations/0": true,
				"2/apply/1/transactions/0/metadata/brc20_operation": true,
			},
		},
		"bodies that can't be read": {
			posts: []replay.Post{
				{Path: "/payload", Body: []byte(`{`)},
				payload("", `{"block_identifier":{"index":-1,"hash":"x"}}`),
				{Path: "/ordhook/payload", Body: payload("", block(10, "a")).Body},
				{Path: "/payload/", Body: payload("", block(11, "b")).Body},
			},
			want: map[int64]string{10: "a", 11: "b"}, steps: 2,
			broken: map[string]bool{"1": true, "2/apply/0/block_identifier/index": true},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := replay.NewLog(t)
			replay.Append(t, log, c.posts...)
			replay.RunLines(t, log, projections.Feed(ordinals.New(nil)))
			list := steps(t, log)
			got := map[int64]string{}
			for height, s := range replaySteps(t, list) {
				text := fmt.Sprint(s.hash)
				got[height] = text[len(text)-1:]
			}
			if !maps.Equal(got, c.want) || len(list) != c.steps {
				t.Errorf("%v after %d steps, want %v after %d", got, len(list), c.want, c.steps)
			}
			if found := anomalies(t, log); len(found)+len(c.anomalies) > 0 && !maps.Equal(found, c.anomalies) {
				t.Errorf("anomalies %v, want %v", found, c.anomalies)
			}
			if n, err := ordinals.CountContradictions(t.Context(), log.Pool(), ordinals.Spec().Schema); err != nil || n != c.disagree {
				t.Errorf("%d repeated blocks say something else, %v, want %d", n, err, c.disagree)
			}
			if found := quarantined(t, log); len(found)+len(c.broken) > 0 && !maps.Equal(found, c.broken) {
				t.Errorf("quarantined %v, want %v", found, c.broken)
			}
		})
	}
}

// TestEventsOfNodesAlone folds events of nodes alone, which add no row and invalidate no cached answer.
func TestEventsOfNodesAlone(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, payload("", block(10, "a")))
	replay.RunLines(t, log, projections.Feed(ordinals.New(nil)))
	read := func() (position, from int64) {
		must.Do(t, log.Pool().QueryRow(context.Background(), `SELECT position, changes_from FROM strata.projection WHERE name = 'ordinals'`).Scan(&position, &from))
		return position, from
	}
	_, before := read()
	replay.Append(t, log, replay.Post{Path: "/new_burn_block", Body: []byte(`{}`)}, replay.Post{Path: "/new_block", Body: []byte(`{}`)})
	replay.RunLines(t, log, projections.Feed(ordinals.New(nil)))
	if position, after := read(); position != 3 || after != before {
		t.Errorf("position %d, everything changed at %d; want 3 and %d", position, after, before)
	}
}
