package inscriptions_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
)

// TestDamagedOperation folds random feeds twice: with an operation that can't be read, and without it. The rows are the same, apart
// from the positions of the operations that come after it.
func TestDamagedOperation(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		feed := synthordinals.New(synthordinals.Everything(rapid.Uint64().Draw(rt, "seed"), ordinals.Regtest))
		posts := make([]synthordinals.Post, 25)
		for i := range posts {
			posts[i] = feed.Next()
		}
		which := rapid.IntRange(0, len(posts)-1).Draw(rt, "post")
		damaged, without := damage(rt, posts[which].Body)
		fold := func(body []byte, faults int) string {
			tx, end := begin(rt, pool)
			defer end()
			w := newWorld(rt, tx)
			for i, p := range posts {
				if i == which {
					p.Body = body
				}
				w.post(p)
			}
			w.fold(rapid.SampledFrom([]int{1, 7, 0}).Draw(rt, "steps at once"))
			if got := len(w.payloads[int64(which+1)].Faults); got != faults {
				rt.Fatalf("%d faults, want %d", got, faults)
			}
			return regexp.MustCompile(`"operation":\d+,`).ReplaceAllString(w.dump(), "")
		}
		faults := 1
		if bytes.Equal(damaged, without) {
			faults = 0
		}
		if got, want := fold(damaged, faults), fold(without, 0); got != want {
			rt.Fatalf("got\n%s\nwithout the operation\n%s", got, want)
		}
	})
}

// damage returns a body with an operation that can't be read, and without it. They are the same if the body has no operation.
func damage(rt *rapid.T, body []byte) (damaged, without []byte) {
	bodies := [2]map[string]any{}
	for i := range bodies {
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if err := decoder.Decode(&bodies[i]); err != nil {
			rt.Fatal(err)
		}
	}
	type place struct{ block, transaction, operation int }
	var places []place
	metadata := func(body, block, transaction int) map[string]any {
		tx := bodies[body]["apply"].([]any)[block].(map[string]any)["transactions"].([]any)[transaction].(map[string]any)
		return tx["metadata"].(map[string]any)
	}
	operations := func(body, block, transaction int) []any {
		return metadata(body, block, transaction)["ordinal_operations"].([]any)
	}
	for i, block := range bodies[0]["apply"].([]any) {
		for j := range block.(map[string]any)["transactions"].([]any) {
			for k := range operations(0, i, j) {
				places = append(places, place{i, j, k})
			}
		}
	}
	if len(places) > 0 {
		p := rapid.SampledFrom(places).Draw(rt, "operation")
		bad := rapid.SampledFrom([]any{map[string]any{"inscription_moved": map[string]any{"ordinal_number": 5}}, nil, "x", []any{1}}).Draw(rt, "damage")
		operations(0, p.block, p.transaction)[p.operation] = bad
		metadata(1, p.block, p.transaction)["ordinal_operations"] = slices.Delete(operations(1, p.block, p.transaction), p.operation, p.operation+1)
	}
	for i, text := range []*[]byte{&damaged, &without} {
		var err error
		if *text, err = json.Marshal(bodies[i]); err != nil {
			rt.Fatal(err)
		}
	}
	return damaged, without
}
