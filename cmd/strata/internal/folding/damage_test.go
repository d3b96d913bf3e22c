package folding_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"strata/cmd/strata/internal/folding"
	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/decode"
	"strata/rig/replay"
)

func TestMain(m *testing.M) {
	replay.Histories(2000)
	m.Run()
}

// folder folds events with chain and all projections of its steps, in a transaction of the caller.
type folder struct {
	leader    projections.Projection[projections.LogItem]
	followers projections.ChainFollowers
	contents  map[int64]projections.LogItem // of the events
	position  int64                         // of the last event
	steps     int64
	tip       *projections.Tip
	applied   int // blocks
}

func newFolder() *folder {
	lines, err := folding.Lines("recommended", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		panic(err)
	}
	return &folder{leader: lines[0].Leader, followers: lines[0].Followers.(projections.ChainFollowers), contents: map[int64]projections.LogItem{}}
}

var allTables = sync.OnceValue(func() *pgtest.Source {
	f := newFolder()
	specs := []projections.Spec{f.leader.Spec()}
	for _, p := range f.followers {
		specs = append(specs, p.Spec())
	}
	return replay.Tables("all", specs...)
})

// at returns a folder that goes on after the same events, and reads its state from the tables.
func (f *folder) at() *folder {
	own := *f
	own.contents = maps.Clone(f.contents)
	own.leader.Forget()
	for _, p := range own.followers {
		p.Forget()
	}
	return &own
}

func (f *folder) fold(ctx context.Context, tx pgx.Tx, post replay.Post) error {
	events := []eventstore.Event{{Seq: f.position + 1, Path: post.Path, Body: post.Body, Size: int64(len(post.Body))}}
	// Each event has a decoder of its own, as others keep what they decoded by the position.
	items, err := decode.New(nil, 0, prometheus.NewCounter(prometheus.CounterOpts{})).Decode(ctx, events)
	if err != nil {
		return err
	}
	outcome, err := f.leader.Fold(ctx, tx, f.position, items)
	if err != nil {
		return fmt.Errorf("chain: %w", err)
	}
	f.position, f.tip = f.position+1, outcome.Tip
	f.contents[f.position] = items[0]
	steps := f.leader.(projections.Leading[projections.Step]).Written()
	if len(steps) == 0 {
		return nil
	}
	for _, p := range f.followers {
		own := slices.Clone(steps)
		for i := range own {
			switch content := f.contents[own[i].BlockSeq]; {
			case own[i].Kind == projections.Apply:
				own[i].Block = content.Block
			case own[i].Kind == projections.TakeRecord && slices.Contains(p.Spec().Records, own[i].RecordKind):
				if own[i].Record = content.Record; content.Record == nil {
					own[i].Record = content.Payload
				}
			}
		}
		err := projections.Recovered(func() error {
			_, err := p.Fold(ctx, tx, f.steps, own)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.Spec().Name, err)
		}
	}
	for _, step := range steps {
		if f.steps = step.Number; step.Kind == projections.Apply {
			f.applied++
		}
	}
	return nil
}

// TestDamagedEvents folds events that repeat, reorder and contradict what they say, and blocks that revert them. What no chain can
// have, chain refuses for all projections, and all of them fold the rest: nobody can violate their keys.
func TestDamagedEvents(t *testing.T) {
	short.Skip(t, "folds many histories")
	t.Parallel()
	pool := allTables().New(t)
	base := newFolder()
	made := synthchain.New(synthchain.AllEpochs(11))
	const folded, drawn = 900, 500
	must.Do(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		for range folded {
			if err := base.fold(t.Context(), tx, made.Next()); err != nil {
				return err
			}
		}
		return nil
	}))
	bodies := map[string][]any{} // by path, not folded
	for range drawn {
		post := made.Next()
		var body any
		decoder := json.NewDecoder(bytes.NewReader(post.Body))
		decoder.UseNumber()
		must.Do(t, decoder.Decode(&body))
		bodies[post.Path] = append(bodies[post.Path], body)
	}
	others := []string{nodeevent.PathBurnBlock, nodeevent.PathMempoolTx, nodeevent.PathDropMempoolTx, nodeevent.PathAttachments}
	for _, path := range append(others, nodeevent.PathBlock) {
		if len(bodies[path]) == 0 {
			t.Fatalf("no event at %s was made", path)
		}
	}
	posted, applied := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		tx := must.Get(pool.Begin(ctx))(rt)
		defer func() { _ = tx.Rollback(ctx) }()
		f := base.at()
		fold := func(path string, faults int, change func(body any)) {
			root := []any{clone(rapid.SampledFrom(bodies[path]).Draw(rt, "body"))}
			for range faults {
				damage(rt, root)
			}
			change(root[0])
			text := must.Get(json.Marshal(root[0]))(rt)
			if err := f.fold(ctx, tx, replay.Post{Path: path, Body: text}); err != nil {
				rt.Fatalf("%v\n%.3000s", err, text)
			}
		}
		n := 0
		block := func(faults int, parent string, height int64) {
			n++
			fold(nodeevent.PathBlock, faults, func(body any) {
				if members, ok := body.(map[string]any); ok {
					members["parent_index_block_hash"], members["block_height"], members["index_block_hash"] = parent, height, fmt.Sprintf("0x%064x", n)
				}
			})
		}
		root := *f.tip
		for range rapid.IntRange(1, 3).Draw(rt, "events") {
			faults := rapid.IntRange(1, 3).Draw(rt, "faults")
			if rapid.IntRange(0, 2).Draw(rt, "kind") == 0 {
				fold(rapid.SampledFrom(others).Draw(rt, "path"), faults, func(any) {})
				continue
			}
			posted++
			before := f.applied
			block(faults, f.tip.IndexBlockHash.String(), f.tip.Height+1)
			applied += f.applied - before
		}
		if rapid.IntRange(0, 2).Draw(rt, "reverted") == 0 {
			block(0, root.IndexBlockHash.String(), root.Height+10)
		}
	})
	if posted > 100 && applied < posted/4 {
		t.Errorf("%d of %d damaged blocks were applied, too few to show much", applied, posted)
	}
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for k, of := range v {
			copied[k] = clone(of)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, of := range v {
			copied[i] = clone(of)
		}
		return copied
	}
	return v
}

// place is a value in a body, which set replaces.
type place struct {
	path  string // with * for indexes
	value any
	set   func(any)
}

// placesIn returns all places within a value, in an order that does not change.
func placesIn(path string, v any) (all []place) {
	add := func(path string, value any, set func(any)) {
		all = append(append(all, place{path, value, set}), placesIn(path, value)...)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			add(path+"/"+k, v[k], func(to any) { v[k] = to })
		}
	case []any:
		for i := range v {
			add(path+"/*", v[i], func(to any) { v[i] = to })
		}
	}
	return all
}

// damage repeats, reorders, leaves out or replaces something in a body, the only element of root.
func damage(rt *rapid.T, root []any) {
	all := placesIn("", root)
	var lists []place
	for _, p := range all {
		if list, ok := p.value.([]any); ok && len(list) > 0 {
			lists = append(lists, p)
		}
	}
	if what := rapid.IntRange(0, 9).Draw(rt, "fault"); what < 6 && len(lists) > 0 {
		damageList(rt, rapid.SampledFrom(lists).Draw(rt, "list"), what)
	} else if p := rapid.SampledFrom(all).Draw(rt, "place"); what < 8 { // the value of a place of the same kind
		var same []any
		for _, other := range all {
			if other.path == p.path {
				same = append(same, other.value)
			}
		}
		p.set(clone(rapid.SampledFrom(same).Draw(rt, "same")))
	} else {
		p.set(rapid.SampledFrom([]any{
			nil, "", "\x00", "SP1\x00.a::b", "0", "340282366920938463463374607431768211455", strings.Repeat("A", 600), json.Number("0"), json.Number("4294967295"),
			json.Number("18446744073709551615"), true, "0x", "0x00",
		}).Draw(rt, "value"))
	}
}

func damageList(rt *rapid.T, p place, what int) {
	list := slices.Clone(p.value.([]any))
	i, j := rapid.IntRange(0, len(list)-1).Draw(rt, "one"), rapid.IntRange(0, len(list)-1).Draw(rt, "other")
	from, isObject := list[i].(map[string]any)
	to, alsoObject := clone(list[j]).(map[string]any)
	switch {
	case what == 0:
		list = slices.Insert(list, j, list[i])
	case what == 1 && isObject: // again, under a key of its own
		again := clone(from).(map[string]any)
		switch p.path {
		case "/*/events":
			again["event_index"] = json.Number(strconv.Itoa(1000 + rapid.IntRange(0, 5).Draw(rt, "index")))
		case "/*/transactions":
			again["txid"] = fmt.Sprintf("0x%064x", rapid.IntRange(1, 5).Draw(rt, "id"))
		}
		list = slices.Insert(list, j, any(again))
	case what == 2:
		list[i], list[j] = list[j], list[i]
	case what == 3:
		list = slices.Delete(list, i, i+1)
	case isObject && alsoObject && len(from) > 0: // one element gets a member of another
		member := rapid.SampledFrom(slices.Sorted(maps.Keys(from))).Draw(rt, "member")
		to[member] = clone(from[member])
		list[j] = to
	default:
		list[j] = clone(list[i])
	}
	p.set(list)
}
