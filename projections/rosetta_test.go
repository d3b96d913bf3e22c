package projections_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/token"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/rosetta"
	"strata/rig"
	"strata/rig/foldtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

func foldRosetta(t *testing.T, log *eventstore.Log, posts ...replay.Post) {
	t.Helper()
	replay.Append(t, log, posts...)
	replay.Run(t, log, rig.Chain(t), rosetta.New())
}

var blockEvents = schemas.In(`SELECT sequence || ' ' || height || ' ' || added || ' ' || index_block_hash::text || ' ' || block_hash::text FROM {rosetta}.block_event ORDER BY sequence`)

// TestBlockEvents checks that the list has each block that came or went, and that to follow it leads to the canonical
// chain, however the blocks were folded.
func TestBlockEvents(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{3, 4} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			config := synthchain.Everything(seed, synthchain.V40)
			config.SigningSample, config.ForkProbability, config.BitcoinReorgProbability = 1000, 0.2, 0.1
			made := synthchain.New(config)
			posts := replay.Take(200, made.Next)
			atOnce, inParts := replay.NewLogApart(t), replay.NewLogApart(t)
			foldRosetta(t, atOnce, posts...)
			for at := 0; at < len(posts); at += 40 {
				foldRosetta(t, inParts, posts[at:at+40]...)
			}
			all := replay.Texts(t, atOnce.Pool(), blockEvents)
			if parts := replay.Texts(t, inParts.Pool(), blockEvents); fmt.Sprint(parts) != fmt.Sprint(all) {
				t.Errorf("folded in parts the list is %q, at once %q", parts, all)
			}
			steps := replay.Texts(t, atOnce.Pool(), schemas.In(`
				SELECT row_number() OVER (ORDER BY s.step) - 1 || ' ' || s.height || ' ' || (s.kind = 1) || ' ' || s.index_block_hash::text || ' ' || b.block_hash::text
				FROM {chain}.step s JOIN {chain}.block b USING (index_block_hash) WHERE s.kind <> 0 ORDER BY s.step`))
			if fmt.Sprint(all) != fmt.Sprint(steps) {
				t.Errorf("got %q, want the steps %q", all, steps)
			}
			removed := replay.Texts(t, atOnce.Pool(), schemas.In(`SELECT sequence::text FROM {rosetta}.block_event WHERE NOT added`))
			if len(removed) == 0 {
				t.Error("no block was removed: the chain has no forks")
			}
			const tip = ` ORDER BY height`
			got := replay.Texts(t, atOnce.Pool(), schemas.In(`SELECT height || ' ' || source_seq FROM {rosetta}.block`)+tip)
			if want := replay.Texts(t, atOnce.Pool(), schemas.In(`SELECT height || ' ' || block_seq FROM {chain}.canonical`)+tip); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("blocks: got %q, want %q", got, want)
			}
			foldtest.Check(t, atOnce.Pool(), rosetta.New())
		})
	}
}

// report is what a node answers for a fungible token. It refuses some functions.
func report(t *testing.T, contract, symbol string, decimals uint64, refused ...string) replay.Post {
	t.Helper()
	r := &fetch.Report{
		Want:    fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: token.Calls(token.FT, nil)},
		Attempt: 1, Tip: &fetch.Tip{Height: 1, IndexBlockHash: hash.Hash32{1}}, StartedAt: time.Unix(1, 0).UTC(), FinishedAt: time.Unix(2, 0).UTC(),
	}
	for i, call := range r.Want.Calls {
		value := clarity.NewOk(clarity.NewNone())
		switch call.Function {
		case "get-symbol", "get-name":
			text := must.Get(clarity.NewASCII(symbol))(t)
			value = clarity.NewOk(text)
		case "get-decimals", "get-total-supply":
			value = clarity.NewOk(clarity.NewUint64(decimals))
		}
		body := fmt.Sprintf(`{"okay":true,"result":"%s"}`, value.Hex())
		if slices.Contains(refused, call.Function) {
			body = `{"okay":false,"cause":"RuntimeCheck(ExecutionTimeExpired)"}`
		}
		r.Exchanges = append(r.Exchanges, fetch.Exchange{Call: i, Method: "POST", URL: "http://node/", Status: 200, Body: []byte(body)})
	}
	body := must.Get(r.Encode())(t)
	return replay.Post{Path: fetch.PathReport, Body: body}
}

// TestCurrencies checks that a currency stays what its contract told first.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	const one, other, part = "ST000000000000000000002AMW42H.one", "ST000000000000000000002AMW42H.other", "ST000000000000000000002AMW42H.part"
	foldRosetta(t, log, report(t, one, "ONE", 6), report(t, one, "TWO", 8))
	foldRosetta(t, log, report(t, one, "THREE", 2), report(t, other, "", 2))
	// What a node refuses besides symbol and decimals does not matter.
	foldRosetta(t, log, report(t, part, "PART", 3, "get-decimals"), report(t, part, "PART", 4, "get-total-supply", "get-token-uri", "get-name"))
	got := replay.Texts(t, log.Pool(), schemas.In(`SELECT contract_id || ' ' || symbol || ' ' || decimals FROM {rosetta}.currency ORDER BY contract_id`))
	if want := []string{one + " ONE 6", part + " PART 4"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
