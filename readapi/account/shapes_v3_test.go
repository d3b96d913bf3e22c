package account_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/clarity"
	signed "strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/body"
	"strata/rig/replay"
)

const alice, bob body.Account = "alice", "bob"

// siteOf is the site of a chain of these blocks.
func siteOf(t *testing.T, blocks ...body.Block) *apitest.Site {
	t.Helper()
	log := replay.NewLog(t)
	posts := make([]replay.Post, len(blocks))
	for i := range blocks {
		posts[i] = blocks[i].Post()
	}
	replay.Append(t, log, posts...)
	replay.Run(t, log, apitest.NewChain(t), balances.New(nil), accounts.New())
	return apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
}

// The memo of a payment by send-many is the buffer that it prints after it, for both sides.
func TestMemosOfTransfers(t *testing.T) {
	t.Parallel()
	const many = "ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo"
	withMemo := func(e body.Event, memo string) body.Event {
		e.Data["memo"] = fmt.Sprintf("%x", memo)
		return e
	}
	pay := func() body.Event { return body.TransferSTX(alice.Address(), bob.Address(), 5) }
	buffer := func(text string) clarity.Value { return must.Get(clarity.NewBuffer([]byte(text)))(t) }
	plain := &signed.TokenTransfer{Recipient: bob.Principal(), Amount: 5, Memo: [34]byte{'p'}}
	s := siteOf(t, body.At(1,
		body.Transaction{Raw: alice.Sign(0, 0, plain), Events: []body.Event{pay()}},
		body.Unsigned(
			pay(), body.Print(many, buffer("one")),
			withMemo(pay(), "own"), body.Print(many, clarity.NewUint64(1)), // no buffer: no memo
			pay(), body.Print(many, buffer("")),
			withMemo(pay(), "own"), body.Print(alice.Contract("send-many-memo"), buffer("other")),
			withMemo(pay(), ""), withMemo(body.MintSTX(bob.Address(), 1), "")),
	))
	for side, account := range map[string]string{"inbound": bob.Address(), "outbound": alice.Address()} {
		var got []string
		for _, r := range s.Keyset(t, "/extended/v3/principals/"+account+"/transfers/stx/"+side, 50) {
			if r["type"] == "transfer" {
				got = append(got, fmt.Sprint(r["memo"]))
			}
		}
		check.EqualSlices(t, side, got, []string{
			"<nil>", "map[hex:0x6f776e repr:own]", "<nil>", "<nil>", "map[hex:0x6f6e65 repr:one]", "map[hex:0x70" + strings.Repeat("00", 33) + " repr:p]",
		})
	}
}

// Rewards are numbered as in the block that credits them, with all that it has; the miner is in the event's body only. A contract
// can print what looks like rewards.
func TestMinersOfRewards(t *testing.T) {
	t.Parallel()
	reward := func(recipient, miner string, coinbase int) map[string]any {
		r := map[string]any{"recipient": recipient, "coinbase_amount": fmt.Sprint(coinbase), "tx_fees_anchored": "1", "tx_fees_streamed_confirmed": "0", "from_index_consensus_hash": body.ID("a1")}
		if miner != "" {
			r["miner_address"] = miner
		}
		return r
	}
	pool := alice.Contract("pool")
	nothing := reward(bob.Address(), bob.Address(), 0)
	nothing["tx_fees_anchored"] = "0"
	trick := body.Print(pool, clarity.NewUint64(1))
	trick.Data["value"] = map[string]any{"matured_miner_rewards": []any{nothing, reward(pool, bob.Address(), 10)}}
	second := body.At(2, alice.Did(trick))
	second.Members = map[string]any{"matured_miner_rewards": []any{nothing, reward(pool, alice.Address(), 10), reward(bob.Address(), "", 20), reward(pool, bob.Address(), 30)}}
	third := body.At(3)
	unknown := reward(pool, alice.Address(), 40)
	delete(unknown, "from_index_consensus_hash")
	third.Members = map[string]any{"matured_miner_rewards": []any{unknown}}
	s := siteOf(t, body.At(1), second, third)
	list := func(account string) (rows []string) {
		for _, limit := range []int{1, 2, 50} {
			rows = nil
			for _, r := range s.Keyset(t, "/extended/v3/principals/"+account+"/mining/rewards", limit) {
				source, _ := r["source_block"].(apitest.Fields)
				rows = append(rows, fmt.Sprint(r["id"], " ", r["recipient"], " ", r["miner"], " ", r["coinbase"], " ", r["total"], " ", source["index_hash"]))
			}
		}
		return rows
	}
	a1, a2, a3 := body.ID("a1").String(), body.ID("a2").String(), body.ID("a3").String()
	check.EqualSlices(t, "pool", list(pool), []string{
		a3 + ":0 " + pool + " " + alice.Address() + " 40 41 <nil>",
		a2 + ":3 " + pool + " " + bob.Address() + " 30 31 " + a1,
		a2 + ":1 " + pool + " " + alice.Address() + " 10 11 " + a1,
	})
	check.EqualSlices(t, "bob", list(bob.Address()), []string{a2 + ":2 " + bob.Address() + " " + bob.Address() + " 20 21 " + a1})
	for cursor, want := range map[string]string{"3:0": "3:0", "2:32767": "2:3", "2:2": "2:1", "2:1": "2:1", "9:9": "3:0", "2:0": "<nil>"} {
		if got := fmt.Sprint(s.Object("/extended/v3/principals/" + pool + "/mining/rewards?limit=1&cursor=" + cursor)["cursor"].(map[string]any)["current"]); got != want {
			t.Errorf("from %s: got %s, want %s", cursor, got, want)
		}
	}
}

// Long names of assets have short cursors among balance changes, too.
func TestCursorsOfLongChanges(t *testing.T) {
	t.Parallel()
	var assets []string
	var events []body.Event
	for i := range 4 {
		assets = append(assets, alice.Contract(strings.Repeat("c", 40))+"::"+strings.Repeat("d", 127)+fmt.Sprint(i))
		mint := body.MintFT(assets[i], "7")
		mint.Data["recipient"] = bob.Address()
		events = append(events, mint)
	}
	s := siteOf(t, body.At(1, alice.Did(events...)))
	id := body.TxID("a1", 0).String()
	for _, path := range []string{"/transactions/" + id + "/balance-changes", "/balance-changes?tx_id=" + id} {
		for limit := 1; limit < 6; limit++ {
			var got []string
			for _, r := range s.Keyset(t, "/extended/v3/principals/"+bob.Address()+path, limit) {
				got = append(got, apitest.TextOf(r, "asset", "identifier"))
			}
			check.EqualSlices(t, path, got, assets)
		}
	}
}
