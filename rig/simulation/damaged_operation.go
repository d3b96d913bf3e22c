package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"strata/rig/replay"
)

// operation is an operation in a post of an ordinals feed.
type operation struct {
	pointer string
	kinds   map[string]any   // what it does, by its kind: there is one
	put     func(all ...any) // puts others in its place
}

// damageOperation damages an operation of a post, so that it can't be read. It reports false for a post without operations.
func damageOperation(random *rand.Rand, post replay.Post) (replay.Post, harm, bool) {
	value, err := decoded(post.Body)
	if err != nil {
		panic(err)
	}
	var all []operation
	for i, block := range value.(map[string]any)["apply"].([]any) {
		for j, tx := range block.(map[string]any)["transactions"].([]any) {
			metadata := tx.(map[string]any)["metadata"].(map[string]any)
			at := fmt.Sprintf("/apply/%d/transactions/%d/metadata/", i, j)
			list := metadata["ordinal_operations"].([]any)
			for k, kinds := range list {
				all = append(all, operation{fmt.Sprintf("%sordinal_operations/%d", at, k), kinds.(map[string]any), func(others ...any) {
					metadata["ordinal_operations"] = append(append(append([]any{}, list[:k]...), others...), list[k+1:]...)
				}})
			}
			if kinds, ok := metadata["brc20_operation"].(map[string]any); ok {
				all = append(all, operation{at + "brc20_operation", kinds, func(others ...any) { metadata["brc20_operation"] = append(others, nil)[0] }})
			}
		}
	}
	if len(all) == 0 {
		return post, harm{}, false
	}
	o := all[random.IntN(len(all))]
	damaged, about := o.damaged(random)
	o.put()
	harmed := harm{unit: true, pointer: o.pointer, about: about, rest: encoded(value)}
	o.put(damaged)
	post.Body = encoded(value)
	return post, harmed, true
}

// damaged returns the operation as one that can't be read, and the subjects that can still be read in it.
func (o operation) damaged(random *rand.Rand) (damaged any, about []string) {
	kinds := o.kinds
	members := slices.Collect(maps.Values(kinds))[0].(map[string]any)
	needed := slices.DeleteFunc([]string{"inscription_id", "ordinal_number", "satpoint_pre_transfer", "satpoint_post_transfer", "tick", "tx_index"},
		func(name string) bool { return members[name] == nil })
	switch random.IntN(10) {
	case 0:
		return []any{"x", []int{1}, map[string]any{}}[random.IntN(3)], nil
	case 1:
		return map[string]any{"\x00": map[string]any{"tick": "\x00"}}, nil
	case 2:
		kinds = map[string]any{"moved": members}
	case 3: // several kinds at once
		for _, other := range []string{"inscription_revealed", "inscription_transferred", "deploy", "mint"} {
			kinds[other] = members
		}
	default:
		members[needed[random.IntN(len(needed))]] = []any{nil, []string{"x"}}[random.IntN(2)]
	}
	for name, prefix := range map[string]string{"inscription_id": "inscription", "ordinal_number": "sat", "satpoint_pre_transfer": "satpoint", "tick": "brc20"} {
		switch value := members[name].(type) {
		case json.Number:
			about = append(about, prefix+":"+value.String())
		case string:
			about = append(about, prefix+":"+strings.ToLower(strings.TrimPrefix(value, "0x")))
		}
	}
	return kinds, about
}
