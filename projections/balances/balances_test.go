package balances_test

import (
	"fmt"
	"testing"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/projections"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/schemas"
)

var (
	ledger = schemas.In(`
		SELECT account || ' ' || n || ' at ' || height || ': ' || delta || ' ' || cause || ' ' || pointer || ' in ' || source_seq || ', has ' || balance
		FROM {balances}.ledger ORDER BY account, asset, n`)
	nonces   = schemas.In(`SELECT account || ' ' || height || ' ' || next_nonce FROM {balances}.nonce ORDER BY account, height`)
	negative = schemas.In(`SELECT account || ' ' || asset || ' at ' || height || ': ' || balance || ' ' || cause || ' ' || pointer FROM {balances}.negative_balance ORDER BY height`)
)

func TestRules(t *testing.T) { rig.Worlds(t, rules) }

var rules = map[string]func(w *foldtest.World){
	"Fees": func(w *foldtest.World) {
		pay := &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 5}
		w.Apply(
			body.At(1, body.Unsigned(body.MintSTX(alice.Address(), 1000), body.MintSTX(bob.Address(), 1000), body.MintSTX(sponsor.Address(), 1000))),
			body.At(2,
				body.Transaction{Raw: alice.Sign(0, 10, pay), Events: []body.Event{body.TransferSTX(alice.Address(), carol.Address(), 5)}},
				// The sponsor pays, and both use a nonce.
				body.Transaction{Raw: bob.Sponsor(3, sponsor, 7, 20, pay), Events: []body.Event{body.TransferSTX(bob.Address(), carol.Address(), 5)}},
				// The sender of a failed transaction pays the fee, and nothing else happens.
				body.Transaction{Raw: alice.Sign(1, 30, pay), Status: "abort_by_response", Events: []body.Event{body.TransferSTX(alice.Address(), carol.Address(), 5)}},
				body.Transaction{Raw: alice.Sign(2, 40, pay), Status: "abort_by_post_condition"},
				// An event that was not committed does not count.
				body.Transaction{Raw: alice.Sign(3, 50, pay), Events: []body.Event{
					{Type: "stx_transfer_event", Uncommitted: true, Data: body.TransferSTX(alice.Address(), carol.Address(), 5).Data}}},
				// An account that sponsors its own transaction uses only the sender's nonce.
				body.Transaction{Raw: bob.Sponsor(4, bob, 9, 1, pay)},
				// An unknown payload, behind the fee, does not matter.
				body.Transaction{Raw: carol.Sign(5, 9, &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: []byte{200, 1}})},
				body.Unsigned(body.TransferSTX(alice.Address(), carol.Address(), 100)),
			),
		)
		w.Want("holdings", holdings, of(
			"alice stx 765 = 1000-105-130+0 after 7",
			"bob stx 994 = 1000-5-1+0 after 3",
			"carol stx 101 = 110-0-9+0 after 4",
			"sponsor stx 980 = 1000-0-20+0 after 2",
		)...)
		w.Want("nonces", nonces, of("alice 2 4", "bob 2 5", "carol 2 6", "sponsor 2 8")...)
	},
	// OrderInBlock checks the ledger of an account whose transactions are listed in another order than that of
	// execution.
	"OrderInBlock": func(w *foldtest.World) {
		micro := func(sequence int) map[string]any {
			return map[string]any{"microblock_sequence": sequence, "microblock_hash": body.TxID("micro", sequence), "microblock_parent_hash": body.TxID("micro", sequence-1)}
		}
		b := body.At(1,
			body.Transaction{Raw: alice.Sign(2, 1, coinbase), Events: []body.Event{body.MintSTX(alice.Address(), 300)}},
			body.Transaction{Raw: alice.Sign(1, 2, coinbase), Events: []body.Event{body.MintSTX(alice.Address(), 200)}, Members: micro(1)},
			body.Transaction{Raw: alice.Sign(0, 3, coinbase), Events: []body.Event{body.MintSTX(alice.Address(), 100)}, Members: micro(0)},
		)
		b.Rewards = []body.Reward{{Recipient: alice.Address(), Coinbase: 1000, Anchored: 1, StreamedConfirmed: 2, StreamedOf: 3}}
		w.Apply(b)
		w.Want("ledger", ledger, of(
			"alice 1 at 1: 100 stx_mint_event /events/2 in 1, has 100",
			"alice 2 at 1: -3 fee /transactions/2 in 1, has 97",
			"alice 3 at 1: 200 stx_mint_event /events/1 in 1, has 297",
			"alice 4 at 1: -2 fee /transactions/1 in 1, has 295",
			"alice 5 at 1: 300 stx_mint_event /events/0 in 1, has 595",
			"alice 6 at 1: -1 fee /transactions/0 in 1, has 594",
			"alice 7 at 1: 1006 miner_reward /matured_miner_rewards/0 in 1, has 1600",
		)...)
	},
	"Rewards": func(w *foldtest.World) {
		contract := alice.Address() + ".vault"
		b := body.At(1, body.Unsigned())
		b.Rewards = []body.Reward{
			{Recipient: contract, Coinbase: 1000},
			{Recipient: alice.Address(), StreamedOf: 7},
			{Recipient: bob.Address()}, // nothing was paid
		}
		w.Apply(b)
		w.Want("holdings", holdings, alice.Address()+" stx 7 = 0-0-0+7 after 1", contract+" stx 1000 = 0-0-0+1000 after 1")
		w.Revert("a1")
		w.Want("holdings after the revert", holdings)
	},
	// Unsigned checks transactions that nobody signed: boot contracts, phantom unlocks, operations from Bitcoin.
	"Unsigned": func(w *foldtest.World) {
		w.Apply(body.At(1, body.Unsigned(body.MintSTX(alice.Address(), 5)), body.Unsigned(), body.Transaction{Raw: []byte{0}, Events: []body.Event{body.TransferSTX(alice.Address(), bob.Address(), 5)}}))
		w.Want("nonces", nonces)
		w.Want("fees", schemas.In(`SELECT account FROM {balances}.ledger WHERE cause = 'fee'`))
		w.Want("holdings", holdings, of("alice stx 0 = 5-5-0+0 after 2", "bob stx 5 = 5-0-0+0 after 1")...)
	},
	"TransferToOneself": func(w *foldtest.World) {
		w.Apply(body.At(1, body.Unsigned(body.MintSTX(alice.Address(), 9))), body.At(2, body.Unsigned(body.TransferSTX(alice.Address(), alice.Address(), 4))))
		w.Want("holdings", holdings, of("alice stx 9 = 13-4-0+0 after 3")...)
		w.Want("ledger", ledger, of(
			"alice 1 at 1: 9 stx_mint_event /events/0 in 1, has 9",
			"alice 2 at 2: -4 stx_transfer_event /events/0 in 2, has 5",
			"alice 3 at 2: 4 stx_transfer_event /events/0 in 2, has 9",
		)...)
		w.Want("negative balances", negative)
	},
	// Nonces checks nonces that are used out of order, which a chain does not allow, and reverts.
	"Nonces": func(w *foldtest.World) {
		use := func(nonce uint64) body.Transaction { return body.Transaction{Raw: alice.Sign(nonce, 0, coinbase)} }
		w.Apply(body.At(1, use(0), use(1)), body.At(2, body.Unsigned()), body.At(3, use(2)), body.At(4, use(1)))
		w.Want("nonces", nonces, of("alice 1 2", "alice 3 3")...)
		w.Revert("a4", "a3")
		w.Want("nonces after the revert", nonces, of("alice 1 2")...)
		w.Apply(body.At(3, use(2), use(18446744073709551615)))
		w.Want("nonces", nonces, of("alice 1 2", "alice 3 18446744073709551616")...)
		w.Revert("a3", "a2", "a1")
		w.Want("nonces after all reverts", nonces)
	},
	"NegativeBalance": func(w *foldtest.World) {
		spend := func(amount uint64) body.Transaction {
			return body.Unsigned(body.TransferSTX(alice.Address(), bob.Address(), amount))
		}
		w.Apply(
			body.At(1, body.Unsigned(body.MintSTX(alice.Address(), 10))),
			body.At(2, spend(4), spend(8), spend(3)), // -5
			body.At(3, spend(1)),                     // -6: negative before, so no new row
			body.At(4, body.Unsigned(body.MintSTX(alice.Address(), 6))),
			body.At(5, spend(1), body.Unsigned(body.MintSTX(alice.Address(), 1))), // negative only within the block, which does not count
		)
		fell := of("alice stx at 2: -5 stx_transfer_event /events/1")
		w.Want("negative balances", negative, fell...)
		w.Apply(body.At(6, spend(2)))
		w.Want("negative balances", negative, append(fell, of("alice stx at 6: -2 stx_transfer_event /events/0")...)...)
		w.Revert("a6", "a5", "a4", "a3")
		w.Want("negative balances after some reverts", negative, fell...)
		w.Revert("a2")
		w.Want("negative balances after all reverts", negative)
		w.Apply(body.At(2, spend(11)))
		w.Want("negative balances of another block", negative, of("alice stx at 2: -1 stx_transfer_event /events/0")...)
	},
	"Tokens": func(w *foldtest.World) {
		asset := alice.Address() + ".token::coin"
		token := func(kind string, data map[string]any) body.Event {
			data["asset_identifier"] = asset
			return body.Event{Type: kind, Data: data}
		}
		max := "340282366920938463463374607431768211455"
		w.Apply(
			body.At(1, body.Unsigned(token("ft_mint_event", map[string]any{"recipient": alice.Address(), "amount": max}))),
			body.At(2, body.Unsigned(token("ft_transfer_event", map[string]any{"sender": alice.Address(), "recipient": bob.Address(), "amount": "1"}),
				token("ft_burn_event", map[string]any{"sender": bob.Address(), "amount": "1"}))),
		)
		after := of("alice "+asset+" 340282366920938463463374607431768211454 = "+max+"-1-0+0 after 2", "bob "+asset+" 0 = 1-1-0+0 after 2")
		w.Want("holdings", holdings, after...)
		w.Revert("a2")
		w.Want("holdings after a revert: the new account is gone", holdings, of("alice "+asset+" "+max+" = "+max+"-0-0+0 after 1")...)
		w.Revert("a1")
		w.Want("holdings after all reverts", holdings)
	},
	"Collectibles": func(w *foldtest.World) {
		asset := alice.Address() + ".art::piece"
		one := fmt.Sprintf("0x%x", clarity.NewUint64(1).Raw())
		token := func(kind string, data map[string]any) body.Transaction {
			data["asset_identifier"], data["raw_value"] = asset, one
			return body.Unsigned(body.Event{Type: kind, Data: data})
		}
		history := schemas.In(`
			SELECT n || ' at ' || height || ': ' || cause || ' ' || coalesce(sender, 'nobody') || ' ' || coalesce(recipient, 'nobody')
			FROM {balances}.nft_event ORDER BY n`)
		custody := schemas.In(`SELECT coalesce(owner, 'nobody') || ' since ' || n || ' at ' || height || ' in ' || source_seq FROM {balances}.nft_custody`)
		w.Apply(
			body.At(1, token("nft_mint_event", map[string]any{"recipient": alice.Address()})),
			body.At(2, token("nft_transfer_event", map[string]any{"sender": alice.Address(), "recipient": bob.Address()})),
			body.At(3, token("nft_burn_event", map[string]any{"sender": bob.Address()})),
		)
		w.Want("custody after the burn", custody, "nobody since 3 at 3 in 3")
		w.Want("holdings", holdings, of("alice "+asset+" 0 = 1-1-0+0 after 2", "bob "+asset+" 0 = 1-1-0+0 after 2")...)
		w.Apply(body.At(4, token("nft_mint_event", map[string]any{"recipient": carol.Address()})))
		w.Want("custody after it was minted again", custody, carol.Address()+" since 4 at 4 in 4")
		w.Want("history", history,
			"1 at 1: nft_mint_event nobody "+alice.Address(),
			"2 at 2: nft_transfer_event "+alice.Address()+" "+bob.Address(),
			"3 at 3: nft_burn_event "+bob.Address()+" nobody",
			"4 at 4: nft_mint_event nobody "+carol.Address())
		w.Revert("a4")
		w.Want("custody after a revert to the burn", custody, "nobody since 3 at 3 in 3")
		w.Revert("a3")
		w.Want("custody after a revert of the burn", custody, bob.Address()+" since 2 at 2 in 2")
		w.Apply(body.At(3, token("nft_transfer_event", map[string]any{"sender": bob.Address(), "recipient": carol.Address()})))
		w.Want("custody on another branch", custody, carol.Address()+" since 3 at 3 in 5")
		w.Revert("a3", "a2", "a1")
		w.Want("custody after all reverts", custody)
		w.Want("history after all reverts", history)
		w.Want("holdings after all reverts", holdings)
	},
	// StrangeAccount checks a principal that does not fit into a text column.
	"StrangeAccount": func(w *foldtest.World) {
		w.Apply(body.At(1, body.Unsigned(body.MintSTX("a\x00b", 3))), body.At(2, body.Unsigned(body.TransferSTX("a\x00b", "c", 2))))
		w.Want("holdings", holdings, "a\uFFFDb stx 1 = 3-2-0+0 after 2", "c stx 2 = 2-0-0+0 after 1")
		w.Revert("a2", "a1")
		w.Want("holdings after all reverts", holdings)
	},
	// RevertOfAnother checks that a revert of any block but the tip is refused.
	"RevertOfAnother": func(w *foldtest.World) {
		w.Apply(body.At(1, body.Unsigned(body.MintSTX(alice.Address(), 1))), body.At(2, body.Unsigned(body.MintSTX(alice.Address(), 1))))
		for _, name := range []string{"a1", "x2"} {
			step := w.Blocks["a1"]
			step.Kind, step.Block = projections.Revert, nil
			if name == "x2" {
				step.Height, step.IndexBlockHash = 2, body.ID("x2")
			}
			if !w.Refused(step) {
				w.T.Errorf("reverted %s, which is not the tip", name)
			}
		}
		w.Want("holdings", holdings, of("alice stx 2 = 2-0-0+0 after 2")...)
	},
}
