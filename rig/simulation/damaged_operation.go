package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"strata/rig/replay"
)

// operation is an operation in the body of a post of an ordinals feed.
type operation struct {
	pointer string
	text    json.RawMessage
}

// operationsIn returns the operations of blocks that a post applies.
func operationsIn(body []byte) (all []operation) {
	var payload struct {
		Apply []struct {
			Transactions []struct {
				Metadata struct {
					Operations []json.RawMessage `json:"ordinal_operations"`
					Token      json.RawMessage   `json:"brc20_operation"`
				}
			}
		}
	}
	if err := json.Unmarshal(body, &payload); err != nil {
		panic(err)
	}
	add := func(pointer string, text json.RawMessage) {
		if bytes.Count(body, text) == 1 && string(text) != "null" { // otherwise nobody could tell which of them it is
			all = append(all, operation{pointer, text})
		}
	}
	for i, block := range payload.Apply {
		for j, tx := range block.Transactions {
			at := fmt.Sprintf("/apply/%d/transactions/%d/metadata/", i, j)
			for k, text := range tx.Metadata.Operations {
				add(fmt.Sprintf("%sordinal_operations/%d", at, k), text)
			}
			if len(tx.Metadata.Token) > 0 {
				add(at+"brc20_operation", tx.Metadata.Token)
			}
		}
	}
	return all
}

// damageOperation damages an operation of a post, so that it can't be read. It reports false for a post without operations.
func damageOperation(random *rand.Rand, post replay.Post) (replay.Post, harm, bool) {
	all := operationsIn(post.Body)
	if len(all) == 0 {
		return post, harm{}, false
	}
	o := all[random.IntN(len(all))]
	damaged, about := o.damaged(random)
	before, after, _ := bytes.Cut(post.Body, o.text)
	harmed := harm{unit: true, pointer: o.pointer, about: about}
	rest, isFollowed := bytes.CutPrefix(after, []byte(","))
	switch {
	case strings.HasSuffix(o.pointer, "brc20_operation"):
		harmed.rest = slices.Concat(before, []byte("null"), after)
	case isFollowed:
		harmed.rest = slices.Concat(before, rest)
	default:
		harmed.rest = slices.Concat(bytes.TrimSuffix(before, []byte(",")), after)
	}
	post.Body = slices.Concat(before, damaged, after)
	return post, harmed, true
}

// damaged returns the operation as one that can't be read, and the subjects that can still be read in it.
func (o operation) damaged(random *rand.Rand) (text []byte, about []string) {
	var kinds map[string]map[string]any
	decoder := json.NewDecoder(bytes.NewReader(o.text))
	decoder.UseNumber()
	if err := decoder.Decode(&kinds); err != nil {
		panic(err)
	}
	members := slices.Collect(maps.Values(kinds))[0]
	needed := slices.DeleteFunc([]string{"inscription_id", "ordinal_number", "satpoint_pre_transfer", "satpoint_post_transfer", "tick", "tx_index"},
		func(name string) bool { return members[name] == nil })
	switch what := random.IntN(10); {
	case what == 0:
		return []byte([]string{`"x"`, `[1]`, `{}`}[random.IntN(3)]), nil
	case what == 1:
		return []byte(`{"\u0000":{"tick":"\u0000"}}`), nil
	case what == 2:
		kinds = map[string]map[string]any{"moved": members}
	case what == 3: // several kinds at once
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
	return encoded(kinds), about
}
