package chain_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/transaction"
	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// transactions replaces the transactions of the block.
func transactions(list ...body.Transaction) func(*body.Block) {
	return func(b *body.Block) { b.Transactions = list }
}

func TestQuarantine(t *testing.T) {
	below := []replay.Post{genesis(), stacks("a1", "genesis", "2a")}
	then := []replay.Post{stacks("a3", "a2", "4a"), stacks("a2", "a1", "3a"), stacks("a4", "a3", "5a")}
	good := body.Transaction{Raw: coinbase}
	whole := stacks("a2", "a1", "3a")
	big := uint64(1 << 63)
	var scenarios []scenario
	for _, c := range []struct {
		name, pointer string
		post          replay.Post
	}{
		{"no JSON", "", replay.Post{Path: whole.Path, Body: []byte("{")}},
		{"nothing", "", replay.Post{Path: whole.Path}},
		{"another JSON value", "", replay.Post{Path: whole.Path, Body: []byte("[]")}},
		{"cut off", "", replay.Post{Path: whole.Path, Body: whole.Body[:len(whole.Body)-1]}},
		{"a member is missing", "/burn_block_hash", stacks("a2", "a1", "3a", with(map[string]any{"burn_block_hash": nil}))},
		{"a member of another type", "/block_height", stacks("a2", "a1", "3a", with(map[string]any{"block_height": "two"}))},
		{"undecodable transaction in the middle", "/transactions/1/raw_tx", stacks("a2", "a1", "3a",
			transactions(good, body.Transaction{Raw: coinbase[:len(coinbase)-1]}, good))},
		{"no transaction bytes", "/transactions/0/raw_tx", stacks("a2", "a1", "3a",
			transactions(body.Transaction{Raw: coinbase, Members: map[string]any{"raw_tx": nil}}))},
		{"event of an unknown transaction", "/events/0/txid", stacks("a2", "a1", "3a", with(map[string]any{"events": []any{
			map[string]any{"txid": body.TxID("x", 0), "event_index": 0, "type": "a_new_event"}}}))},
		{"a transaction twice", "/transactions/2/txid", stacks("a2", "a1", "3a",
			transactions(good, good, body.Transaction{Raw: coinbase, Members: map[string]any{"txid": body.TxID("a2", 0)}}))},
		{"the parent's height", "/block_height", stacks("a2", "a1", "3a", with(map[string]any{"block_height": 1}))},
		{"height beyond 2^63", "/block_height", stacks("a2", "a1", "3a", with(map[string]any{"block_height": big}))},
		{"time beyond 2^63", "/block_time", stacks("a2", "a1", "3a", with(map[string]any{"block_time": big}))},
		{"unlock height beyond 2^63", "/pox_v3_unlock_height", stacks("a2", "a1", "3a", with(map[string]any{"pox_v3_unlock_height": big}))},
		{"height of a lock beyond 2^63", "/events/0/stx_lock_event/unlock_height", stacks("a2", "a1", "3a", transactions(body.Transaction{
			Raw: coinbase, Events: []body.Event{{Type: "stx_lock_event", Data: map[string]any{
				"locked_address": "ST000000000000000000002AMW42H", "locked_amount": "1", "unlock_height": "9223372036854775808"}}}}))},
		{"recipient longer than any principal", "/events/0/stx_mint_event", stacks("a2", "a1", "3a", transactions(body.Transaction{
			Raw: coinbase, Events: []body.Event{{Type: "stx_mint_event", Data: map[string]any{
				"recipient": "ST000000000000000000002AMW42H." + strings.Repeat("a", 3000), "amount": "1"}}}}))},
		{"costs whose sum is beyond 2^63", "/transactions/1/execution_cost", stacks("a2", "a1", "3a", transactions(
			body.Transaction{Raw: coinbase, Members: map[string]any{"execution_cost": map[string]any{"runtime": big - 1}}},
			body.Transaction{Raw: coinbase, Members: map[string]any{"execution_cost": map[string]any{"runtime": 1}}}))},
	} {
		want := "3" + c.pointer
		scenarios = append(scenarios,
			scenario{c.name + ": later blocks wait", append(below[:2:2], c.post, then[0]),
				state{chain: "genesis a1", steps: "+genesis +a1", gaps: "a2", quarantined: want}},
			scenario{c.name + ": a correct announcement attaches all blocks", append(append(below[:2:2], c.post), then...),
				state{chain: "genesis a1 a2 a3 a4", steps: "+genesis +a1 +a2 +a3 +a4", quarantined: want}})
	}
	run(t, chain.Recommended, append(scenarios, []scenario{
		{"Bitcoin block whose height is beyond 2^63",
			append(below[:2:2], replay.Post{Path: "/new_burn_block", Body: bytes.Replace(bitcoin("3b", "2a").Body, []byte(`height":3`), []byte(`height":9223372036854775808`), 1)}),
			state{chain: "genesis a1", quarantined: "3/burn_block_height"}},
		{"an unreadable mempool event", append(below[:2:2], replay.Post{Path: "/new_mempool_tx", Body: []byte(`{}`)}, stacks("a2", "a1", "3a")),
			state{chain: "genesis a1 a2", quarantined: "3"}},
		{"an unreadable transaction that waits beside a good one", append(below[:2:2], replay.Post{Path: "/new_mempool_tx", Body: []byte(`["0x00","0x` + hex.EncodeToString(coinbase) + `",5]`)},
			stacks("a2", "a1", "3a")), state{chain: "genesis a1 a2", quarantined: "3/0 3/2"}},
		{"a copy that has more, because it has a transaction twice", append(below[:2:2], stacks("a2", "a1", "3a"), stacks("a2", "a1", "3a",
			transactions(good, body.Transaction{Raw: coinbase, Members: map[string]any{"txid": body.TxID("a2", 0)}}))),
			state{chain: "genesis a1 a2", steps: "+genesis +a1 +a2", quarantined: "4/transactions/1/txid"}},
		{"two microblocks of one sequence, which no node confirms", append(below[:2:2], stacks("a2", "a1", "3a", transactions(
			body.Transaction{Raw: coinbase, Members: microblock("x", 0)}, body.Transaction{Raw: coinbase, Members: microblock("y", 0)}))),
			state{chain: "genesis a1 a2"}},
		{"paths that no projection reads, with any body, and nothing that waits",
			append(below[:2:2], replay.Post{Path: "/stackerdb_chunks", Body: []byte(`{`)}, replay.Post{Path: "/x"}, replay.Post{Path: "/new_mempool_tx", Body: []byte(`[]`)}, stacks("a2", "a1", "3a")),
			state{chain: "genesis a1 a2"}},
		{"a slash at the end of the path",
			append(below[:2:2], replay.Post{Path: whole.Path + "/", Body: whole.Body}, replay.Post{Path: whole.Path + "/", Body: []byte("{")}),
			state{chain: "genesis a1 a2", quarantined: "4"}},
	}...))
}

// microblock returns the members of a transaction that was in a microblock.
func microblock(name string, sequence int) map[string]any {
	return map[string]any{
		"microblock_hash": body.ID("microblock " + name), "microblock_sequence": sequence, "microblock_parent_hash": body.ID("parent"),
	}
}

// unknownPayload has an id that no release knows.
var unknownPayload = &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: []byte{200, 1, 2, 3}}

// TestStrangeContent checks content that is stored although parts of it are unknown or unfit for a column.
func TestStrangeContent(t *testing.T) {
	t.Parallel()
	const strange = "ST000000000000000000002AMW42H.a\x00b"
	text := "Runtime(\x00)\nat line 1"
	post := stacks("a1", "genesis", "2a", transactions(
		body.Transaction{Raw: body.Account("ahead").Sign(4, 321, unknownPayload)},
		body.Transaction{Raw: coinbase, Status: "abort_by_a_new_reason", Members: map[string]any{"vm_error": text}},
		body.Transaction{Raw: coinbase, Events: []body.Event{
			{Type: "stx_mint_event", Data: map[string]any{"recipient": strange, "amount": "340282366920938463463374607431768211455"}},
			{Type: "event_of_a_later_release", Data: map[string]any{"x": 1}},
			{Type: "stx_mint_event", Data: map[string]any{"recipient": strange, "amount": "2"}, Uncommitted: true},
		}},
		body.Transaction{Raw: coinbase, Members: microblock("x", 0)}, body.Transaction{Raw: coinbase, Members: microblock("x", 0)},
	), with(map[string]any{"pox_v3_unlock_height": int64(math.MaxInt64)}))
	pool := databases.New(t)
	replay.InTx(t, pool, func(tx pgx.Tx) {
		foldAll(t, tx, chain.Recommended, replay.Decode(t, []replay.Post{genesis(), post}), func() (int, bool) { return 2, false })
		if got := read(t, tx); got.chain != "genesis a1" || got.quarantined != "" {
			t.Fatalf("got %+v", got)
		}
		for _, c := range []struct{ name, query, want string }{
			{"unknown payload", schemas.In(`SELECT type_id || ' ' || nonce || ' ' || fee || ' ' || sender FROM {chain}.transaction WHERE source_seq = 2 AND tx_index = 0`),
				"200 4 321 " + body.Account("ahead").Address()},
			{"unknown status", schemas.In(`SELECT status || ' ' || fee FROM {chain}.transaction WHERE source_seq = 2 AND tx_index = 1`),
				"abort_by_a_new_reason 0"},
			{"text of the virtual machine", schemas.In(`SELECT vm_error FROM {chain}.transaction WHERE source_seq = 2 AND tx_index = 1`),
				strings.ReplaceAll(text, "\x00", "\uFFFD")},
			{"principal", schemas.In(`SELECT recipient || ' ' || amount FROM {chain}.event WHERE source_seq = 2 AND event_index = 0`),
				strings.ReplaceAll(strange, "\x00", "\uFFFD") + " 340282366920938463463374607431768211455"},
			{"unknown event", schemas.In(`SELECT type || ' ' || pointer FROM {chain}.event WHERE source_seq = 2 AND event_index = 1`),
				"event_of_a_later_release 1"},
			{"a microblock of two transactions", schemas.In(`SELECT tx_count::text FROM {chain}.microblock`), "2"},
			{"committed events", schemas.In(`SELECT event_count::text FROM {chain}.transaction WHERE source_seq = 2 AND tx_index = 2`), "2"},
		} {
			if got := strings.Join(replay.Texts(t, tx, c.query), ", "); got != c.want {
				t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
			}
		}
	})
}

// TestOrphanedTransactions checks that the transactions of an orphaned block stay in the tables.
func TestOrphanedTransactions(t *testing.T) {
	t.Parallel()
	tx := replay.Begin(t, databases.New(t))
	posts := append(threeTenures(), bitcoin("102b", "101a"), stacks("b2", "a1", "102b"))
	foldAll(t, tx, chain.Recommended, replay.Decode(t, posts), func() (int, bool) { return 1, false })
	got := replay.Texts(t, tx, schemas.In(`
		SELECT b.height || ' ' || (c.block_seq IS NOT NULL) || ' ' || count(*)
		FROM {chain}.transaction t JOIN {chain}.block b USING (source_seq)
		LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq
		GROUP BY b.height, b.source_seq, c.block_seq ORDER BY b.height, b.source_seq`))
	want := "0 true 1, 1 true 1, 2 false 1, 2 true 1, 3 false 1"
	if strings.Join(got, ", ") != want {
		t.Errorf("height, canonical and transactions of each block:\n got %s\nwant %s", strings.Join(got, ", "), want)
	}
}
