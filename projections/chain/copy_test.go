package chain_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections/chain"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// narrow returns a copy of a block as a node posts it to an observer entry whose keys select no events. With
// noInterfaces, the entry also disables contract interfaces.
func narrow(t *testing.T, post replay.Post, noInterfaces bool) replay.Post {
	t.Helper()
	var members map[string]json.RawMessage
	must.Do(t, json.Unmarshal(post.Body, &members))
	members["events"] = json.RawMessage(`[]`)
	if noInterfaces {
		var transactions []map[string]json.RawMessage
		must.Do(t, json.Unmarshal(members["transactions"], &transactions))
		for _, tx := range transactions {
			for _, name := range []string{"contract_interface", "contract_abi"} {
				if tx[name] != nil {
					tx[name] = json.RawMessage(`null`)
				}
			}
		}
		members["transactions"] = must.Get(json.Marshal(transactions))(t)
	}
	return replay.Post{Path: post.Path, Body: must.Get(json.Marshal(members))(t)}
}

// TestNarrowCopies mixes the posts of random histories with copies of their blocks that have no events: right before
// each block, right after it, or both, or any number of posts later. The rows must be those of the complete copies.
func TestNarrowCopies(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V25, synthchain.V40} {
		for seed := range short.Form[uint64](2, 1) {
			t.Run(fmt.Sprintf("%v/%d", generation, seed), func(t *testing.T) {
				t.Parallel()
				config := synthchain.Everything(seed+50, generation)
				config.ForkProbability, config.LateParentProbability, config.BitcoinReorgProbability = 0.2, 0.05, 0.04
				testNarrowCopies(t, config, 300)
			})
		}
	}
}

func testNarrowCopies(t *testing.T, config synthchain.Config, posts int) {
	t.Helper()
	made := synthchain.New(config)
	log := replay.NewLog(t)
	random := rand.New(rand.NewPCG(config.Seed, 2))
	var late []replay.Post
	before := 0
	next := func() []replay.Post {
		post := made.Next()
		if post.Path != nodeevent.PathBlock {
			return []replay.Post{post}
		}
		copied := narrow(t, post, random.IntN(2) == 0)
		switch random.IntN(4) {
		case 0:
			before++
			return []replay.Post{copied, post}
		case 1:
			return []replay.Post{post, copied}
		case 2:
			before++
			return []replay.Post{copied, post, copied}
		}
		late = append(late, copied)
		return []replay.Post{post}
	}
	for sent := 0; sent < posts; {
		var stop func()
		if random.IntN(2) == 0 {
			stop = rig.FollowAccounts(t, log)
		}
		for range 1 + random.IntN(100) {
			replay.Append(t, log, next()...)
			sent++
			if len(late) > 0 && random.IntN(3) == 0 {
				replay.Append(t, log, late[0])
				late = late[1:]
			}
		}
		if stop != nil {
			stop()
		}
	}
	replay.Append(t, log, late...)
	rig.FoldAccounts(t, log)
	rig.CheckState(t, log.Pool(), made.Expected())
	rig.CheckNoQuarantine(t, log.Pool())

	rig.CheckAlone(t, log, made.CanonicalPosts())

	var copies, kept int
	if err := log.Pool().QueryRow(t.Context(), schemas.In(`
		SELECT count(*), count(*) FILTER (WHERE b.source_seq = n.source_seq)
		FROM {chain}.narrow_copy n JOIN {chain}.block b USING (index_block_hash)`)).Scan(&copies, &kept); err != nil {
		t.Fatal(err)
	}
	if copies < before/2 || before < 20 || kept > 0 {
		t.Errorf("%d narrow copies came first; %d are listed, %d of them as the best copy", before, copies, kept)
	}
}

// TestNarrowCopyRows checks which copy of a block counts, and which copies are listed, in any order.
func TestNarrowCopyRows(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	alice, bob := body.Account("alice"), body.Account("bob")
	transfer := alice.Sign(0, 10, &transaction.TokenTransfer{Recipient: bob.Principal(), Amount: 5})
	moved := body.Event{Type: "stx_transfer_event", Data: map[string]any{
		"sender": alice.Address(), "recipient": bob.Address(), "amount": "5", "memo": "",
	}}
	print := body.Event{Type: "contract_event", Data: map[string]any{
		"contract_identifier": alice.Address() + ".c", "topic": "print", "raw_value": "0x03",
	}}
	block := func(transactions ...body.Transaction) replay.Post {
		return stacks("a1", body.Genesis, "2a", func(b *body.Block) { b.Transactions = transactions })
	}
	var (
		call    = body.Transaction{Raw: coinbase, Events: []body.Event{print}}
		quiet   = body.Transaction{Raw: coinbase}
		full    = block(body.Transaction{Raw: transfer, Events: []body.Event{moved}}, call)
		stxOnly = block(body.Transaction{Raw: transfer, Events: []body.Event{moved}}, quiet)
		noEvent = block(body.Transaction{Raw: transfer}, quiet)
		failed  = block(body.Transaction{Raw: transfer, Status: "abort_by_response"})
		above   = stacks("a2", "a1", "3a")
		defined = map[string]any{"functions": []any{}, "variables": []any{}, "maps": []any{}, "fungible_tokens": []any{}, "non_fungible_tokens": []any{}}
	)
	for _, c := range []struct {
		name  string
		posts []replay.Post
		// content is the event whose content block a1 has, and narrow are the events with narrow copies of it.
		content, narrow string
	}{
		{"complete", []replay.Post{full, above}, "2", ""},
		{"complete twice", []replay.Post{full, full, above}, "2", ""},
		{"narrow before", []replay.Post{noEvent, full, above}, "3", "2"},
		{"narrow after", []replay.Post{full, noEvent, above}, "2", "3"},
		{"narrow, and never complete", []replay.Post{noEvent, above}, "2", "2"},
		{"ever more complete", []replay.Post{noEvent, above, stxOnly, full}, "5", "2 4"},
		{"ever less complete", []replay.Post{full, stxOnly, above, noEvent}, "2", "3 5"},
		{"narrow before, far below the tip", []replay.Post{noEvent, above, full, noEvent}, "4", "2 5"},
		{"one key only, which does not show by itself", []replay.Post{stxOnly, above}, "2", ""},
		{"a transfer without its event after a call with one", []replay.Post{block(call, body.Transaction{Raw: transfer}), above}, "2", "2"},
		{"an interface less, and one more", []replay.Post{block(alice.Deploys("c", nil)), above, block(alice.Deploys("c", defined)), block(alice.Deploys("c", nil))}, "4", "2 5"},
		{"a failed transfer has no event", []replay.Post{failed, above}, "2", ""},
	} {
		inBatchings(t, pool, chain.Recommended, append([]replay.Post{genesis()}, c.posts...), func(tx pgx.Tx, batching string) {
			state := read(t, tx)
			if state.chain != "genesis a1 a2" || state.quarantined != "" {
				t.Errorf("%s, %s: got chain %s, quarantine %q", c.name, batching, state.chain, state.quarantined)
			}
			content := replay.Texts(t, tx, schemas.In(`SELECT concat_ws(' ', source_seq, first_seq) FROM {chain}.block WHERE height = 1`))
			narrow := replay.Texts(t, tx, schemas.In(`SELECT source_seq::text FROM {chain}.narrow_copy ORDER BY source_seq`))
			if want := c.content + " 2"; len(content) != 1 || content[0] != want || strings.Join(narrow, " ") != c.narrow {
				t.Errorf("%s, %s: got content %q, narrow %q, want %q, %q", c.name, batching, content, narrow, want, c.narrow)
			}
			rows := replay.Texts(t, tx, schemas.In(`
				SELECT concat_ws(' ', b.tx_count, b.event_count,
				       (SELECT count(*) FROM {chain}.transaction t WHERE t.source_seq = b.source_seq),
				       (SELECT count(*) FROM {chain}.event e WHERE e.source_seq = b.source_seq),
				       (SELECT count(*) FROM {chain}.event e WHERE NOT EXISTS (SELECT FROM {chain}.block o WHERE o.source_seq = e.source_seq)))
				FROM {chain}.block b WHERE height = 1`))
			if f := strings.Fields(rows[0]); f[0] != f[2] || f[1] != f[3] || f[4] != "0" {
				t.Errorf("%s, %s: the block has %s", c.name, batching, rows[0])
			}
			checkSteps(t, tx)
		})
	}
}

// TestNarrowFirstSeen posts a narrow copy of a block, a sibling and then the complete copy: the block was still seen
// first.
func TestNarrowFirstSeen(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	withEvent := func(b *body.Block) {
		b.Transactions[0].Events = []body.Event{{Type: "stx_mint_event", Data: map[string]any{"recipient": body.Account("miner").Address(), "amount": "1"}}}
	}
	posts := []replay.Post{
		bitcoin("1a", ""), bitcoin("2a", "1a"), genesis(), stacks("a1", "genesis", "2a"),
		stacks("b2", "a1", "2a"), stacks("c2", "a1", "2a"), stacks("b2", "a1", "2a", withEvent),
		bitcoin("3a", "2a"), stacks("d2", "a1", "3a"), bitcoin("3b", "2a"), // the block on 3a is given up for the one seen first
	}
	inBatchings(t, pool, chain.Recommended, posts, func(tx pgx.Tx, batching string) {
		if got := read(t, tx).chain; got != "genesis a1 b2" {
			t.Errorf("%s: got %s", batching, got)
		}
	})
}
