package engine

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/shard"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/register"
	"strata/readapi/internal/register/registertest"
)

// resources are what shards are made of. No two of them have the same one.
var resources = []string{shard.Account("a"), shard.Account("b"), shard.Mempool, shard.Height(7)}

// TestSimulatedKeys lets versions of projections move, be dropped and activated, and reads states. Answers under the same key, which
// is also the base of entity tags, are about the same rows; those about the same rows have the same key.
func TestSimulatedKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, simulateKeys)
}

func simulateKeys(t *rapid.T) {
	names := []string{"a", "b", "c"}
	var of []*Dependencies
	for range rapid.IntRange(1, 4).Draw(t, "answers") {
		d := &Dependencies{Log: rapid.IntRange(0, 5).Draw(t, "log") == 0, Register: rapid.IntRange(0, 9).Draw(t, "register") == 0}
		for _, name := range names {
			resource := rapid.SampledFrom(resources).Draw(t, "resource")
			switch rapid.IntRange(0, 5).Draw(t, "part") {
			case 0:
				d.tips = append(d.tips, name)
			case 1, 2:
				*d = d.And(name, resource)
			case 3:
				*d = d.With(name, resource)
			}
		}
		of = append(of, d)
	}
	plans := make([]*Plan, len(of))
	for i, d := range of {
		plans[i] = newPlan("program", &Endpoint{}, []byte{byte(i)}, d, nil)
	}
	db, truth, epochs := &registertest.Database{}, registertest.Truth{}, byte(0)
	var state *register.State
	rows, keys := map[cache.Key]string{}, map[string]cache.Key{}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		db = db.Clone()
		name := rapid.SampledFrom(names).Draw(t, "name")
		var v, active *registertest.Version
		for _, o := range db.Versions {
			if o.Name == name && (v == nil || rapid.Bool().Draw(t, "this one")) {
				v = o
			}
			if o.Name == name && o.Active {
				active = o
			}
		}
		switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
		case v == nil || step == 0:
			epochs++
			truth[[16]byte{epochs}] = map[int64][]int32{}
			db.Versions = append(db.Versions, &registertest.Version{Name: name, Number: int(epochs), Epoch: [16]byte{epochs}, Active: active == nil})
		case step == 1:
			if active != nil {
				active.Active = false
			}
			v.Active = true
		case step == 2:
			db.LogSize++
		case step == 3:
			v.Summarize(1)
		default:
			v.Position++
			v.Height = &v.Position
			changed := []int32{}
			for _, r := range resources {
				if rapid.IntRange(0, 3).Draw(t, "changes") == 0 {
					changed = append(changed, shard.Of(r))
				}
			}
			v.Changes = append(v.Changes, registertest.Change{Position: v.Position, Shards: changed})
			truth[v.Epoch][v.Position] = changed
		}
		before := state
		if rapid.Bool().Draw(t, "from nothing") {
			before = nil
		}
		var err error
		if state, err = db.Read(names, before); err != nil {
			t.Fatal(err)
		}
		for i, d := range of {
			key, about := plans[i].key(state), fmt.Sprint(i, about(d, db, truth, state))
			if was, ok := rows[key]; ok && was != about {
				t.Fatalf("one key for answers about %s and %s", was, about)
			}
			if was, ok := keys[about]; ok && was != key {
				t.Fatalf("two keys for answers about %s", about)
			}
			rows[key], keys[about] = about, key
		}
	}
}

// about says on which rows an answer depends.
func about(d *Dependencies, db *registertest.Database, truth registertest.Truth, s *register.State) string {
	var b strings.Builder
	if d.Log || d.Register {
		fmt.Fprint(&b, "log ", db.LogSize, ";")
	}
	for _, v := range db.Versions {
		if d.Register {
			fmt.Fprint(&b, v.Epoch, v.Active, v.Position, ";")
		}
	}
	show := func(name string, last func(v *register.Version) int64) {
		fmt.Fprint(&b, name, ":")
		for _, v := range db.Versions {
			if v.Name == name && v.Active {
				fmt.Fprint(&b, v.Epoch, v.Height != nil, last(s.Active(name)))
			}
		}
		fmt.Fprint(&b, ";")
	}
	for _, name := range d.tips {
		show(name, func(v *register.Version) int64 { return v.Position })
	}
	for _, list := range [][]register.Shard{d.shards, d.optionalShards} {
		for _, part := range list {
			show(part.Projection, func(v *register.Version) int64 { return truth.Changed(v, part.Number) })
		}
	}
	return b.String()
}
