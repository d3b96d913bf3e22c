package balances_test

import (
	"fmt"
	"testing"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/rig/body"
	"strata/rig/schemas"
)

var (
	ledger = schemas.In(`
		SELECT account || ' ' || n || ' at ' || height || ': ' || delta || ' ' || cause || ' ' || pointer || ' in ' || source_seq || ', has ' || balance
		FROM {balances}.ledger ORDER BY account, asset, n`)
	nonces   = schemas.In(`SELECT account || ' ' || height || ' ' || next_nonce FROM {balances}.nonce ORDER BY account, height`)
	negative = schemas.In(`SELECT account || ' ' || asset || ' at ' || height || ': ' || balance || ' ' || cause || ' ' || pointer FROM {balances}.negative_balance ORDER BY height`)
)

func TestFees(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		pay := &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 5}
		w.apply(
			block(1, did(mint(alice.Address(), 1000), mint(bob.Address(), 1000), mint(sponsor.Address(), 1000))),
			block(2,
				body.Transaction{Raw: alice.Sign(0, 10, pay), Events: []body.Event{transfer(alice.Address(), carol.Address(), 5)}},
				// The sponsor pays, and both use a nonce.
				body.Transaction{Raw: bob.Sponsor(3, sponsor, 7, 20, pay), Events: []body.Event{transfer(bob.Address(), carol.Address(), 5)}},
				// The sender of a failed transaction pays the fee, and nothing else happens.
				body.Transaction{Raw: alice.Sign(1, 30, pay), Status: "abort_by_response", Events: []body.Event{transfer(alice.Address(), carol.Address(), 5)}},
				body.Transaction{Raw: alice.Sign(2, 40, pay), Status: "abort_by_post_condition"},
				// An event that was not committed does not count.
				body.Transaction{Raw: alice.Sign(3, 50, pay), Events: []body.Event{
					{Type: "stx_transfer_event", Uncommitted: true, Data: transfer(alice.Address(), carol.Address(), 5).Data}}},
				// An account that sponsors its own transaction uses only the sender's nonce.
				body.Transaction{Raw: bob.Sponsor(4, bob, 9, 1, pay)},
				// An unknown payload, behind the fee, does not matter.
				body.Transaction{Raw: carol.Sign(5, 9, &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: []byte{200, 1}})},
				did(transfer(alice.Address(), carol.Address(), 100)),
			),
		)
		w.want("holdings", holdings, of(
			"alice stx 765 = 1000-105-130+0 after 7",
			"bob stx 994 = 1000-5-1+0 after 3",
			"carol stx 101 = 110-0-9+0 after 4",
			"sponsor stx 980 = 1000-0-20+0 after 2",
		)...)
		w.want("nonces", nonces, of("alice 2 4", "bob 2 5", "carol 2 6", "sponsor 2 8")...)
	})
}

// TestOrderInBlock checks the ledger of an account whose transactions are listed in another order than that of
// execution.
func TestOrderInBlock(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		micro := func(sequence int) map[string]any {
			return map[string]any{"microblock_sequence": sequence, "microblock_hash": body.TxID("micro", sequence), "microblock_parent_hash": body.TxID("micro", sequence-1)}
		}
		b := block(1,
			body.Transaction{Raw: alice.Sign(2, 1, coinbase), Events: []body.Event{mint(alice.Address(), 300)}},
			body.Transaction{Raw: alice.Sign(1, 2, coinbase), Events: []body.Event{mint(alice.Address(), 200)}, Members: micro(1)},
			body.Transaction{Raw: alice.Sign(0, 3, coinbase), Events: []body.Event{mint(alice.Address(), 100)}, Members: micro(0)},
		)
		b.Rewards = []body.Reward{{Recipient: alice.Address(), Coinbase: 1000, Anchored: 1, StreamedConfirmed: 2, StreamedOf: 3}}
		w.apply(b)
		w.want("ledger", ledger, of(
			"alice 1 at 1: 100 stx_mint_event /events/2 in 1, has 100",
			"alice 2 at 1: -3 fee /transactions/2 in 1, has 97",
			"alice 3 at 1: 200 stx_mint_event /events/1 in 1, has 297",
			"alice 4 at 1: -2 fee /transactions/1 in 1, has 295",
			"alice 5 at 1: 300 stx_mint_event /events/0 in 1, has 595",
			"alice 6 at 1: -1 fee /transactions/0 in 1, has 594",
			"alice 7 at 1: 1006 miner_reward /matured_miner_rewards/0 in 1, has 1600",
		)...)
	})
}

func TestRewards(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		contract := alice.Address() + ".vault"
		b := block(1, did())
		b.Rewards = []body.Reward{
			{Recipient: contract, Coinbase: 1000},
			{Recipient: alice.Address(), StreamedOf: 7},
			{Recipient: bob.Address()}, // nothing was paid
		}
		w.apply(b)
		w.want("holdings", holdings, alice.Address()+" stx 7 = 0-0-0+7 after 1", contract+" stx 1000 = 0-0-0+1000 after 1")
		w.revert("a1")
		w.want("holdings after the revert", holdings)
	})
}

// TestUnsigned checks transactions that nobody signed: boot contracts, phantom unlocks, operations from Bitcoin.
func TestUnsigned(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		w.apply(block(1, did(mint(alice.Address(), 5)), did(), body.Transaction{Raw: []byte{0}, Events: []body.Event{transfer(alice.Address(), bob.Address(), 5)}}))
		w.want("nonces", nonces)
		w.want("fees", schemas.In(`SELECT account FROM {balances}.ledger WHERE cause = 'fee'`))
		w.want("holdings", holdings, of("alice stx 0 = 5-5-0+0 after 2", "bob stx 5 = 5-0-0+0 after 1")...)
	})
}

func TestTransferToOneself(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		w.apply(block(1, did(mint(alice.Address(), 9))), block(2, did(transfer(alice.Address(), alice.Address(), 4))))
		w.want("holdings", holdings, of("alice stx 9 = 13-4-0+0 after 3")...)
		w.want("ledger", ledger, of(
			"alice 1 at 1: 9 stx_mint_event /events/0 in 1, has 9",
			"alice 2 at 2: -4 stx_transfer_event /events/0 in 2, has 5",
			"alice 3 at 2: 4 stx_transfer_event /events/0 in 2, has 9",
		)...)
		w.want("negative balances", negative)
	})
}

// TestNonces checks nonces that are used out of order, which a chain does not allow, and reverts.
func TestNonces(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		use := func(nonce uint64) body.Transaction { return body.Transaction{Raw: alice.Sign(nonce, 0, coinbase)} }
		w.apply(block(1, use(0), use(1)), block(2, did()), block(3, use(2)), block(4, use(1)))
		w.want("nonces", nonces, of("alice 1 2", "alice 3 3")...)
		w.revert("a4", "a3")
		w.want("nonces after the revert", nonces, of("alice 1 2")...)
		w.apply(block(3, use(2), use(18446744073709551615)))
		w.want("nonces", nonces, of("alice 1 2", "alice 3 18446744073709551616")...)
		w.revert("a3", "a2", "a1")
		w.want("nonces after all reverts", nonces)
	})
}

func TestNegativeBalance(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		spend := func(amount uint64) body.Transaction { return did(transfer(alice.Address(), bob.Address(), amount)) }
		w.apply(
			block(1, did(mint(alice.Address(), 10))),
			block(2, spend(4), spend(8), spend(3)), // -5
			block(3, spend(1)),                     // -6: negative before, so no new row
			block(4, did(mint(alice.Address(), 6))),
			block(5, spend(1), did(mint(alice.Address(), 1))), // negative only within the block, which does not count
		)
		fell := of("alice stx at 2: -5 stx_transfer_event /events/1")
		w.want("negative balances", negative, fell...)
		w.apply(block(6, spend(2)))
		w.want("negative balances", negative, append(fell, of("alice stx at 6: -2 stx_transfer_event /events/0")...)...)
		w.revert("a6", "a5", "a4", "a3")
		w.want("negative balances after some reverts", negative, fell...)
		w.revert("a2")
		w.want("negative balances after all reverts", negative)
		w.apply(block(2, spend(11)))
		w.want("negative balances of another block", negative, of("alice stx at 2: -1 stx_transfer_event /events/0")...)
	})
}

func TestTokens(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		asset := alice.Address() + ".token::coin"
		token := func(kind string, data map[string]any) body.Event {
			data["asset_identifier"] = asset
			return body.Event{Type: kind, Data: data}
		}
		max := "340282366920938463463374607431768211455"
		w.apply(
			block(1, did(token("ft_mint_event", map[string]any{"recipient": alice.Address(), "amount": max}))),
			block(2, did(token("ft_transfer_event", map[string]any{"sender": alice.Address(), "recipient": bob.Address(), "amount": "1"}),
				token("ft_burn_event", map[string]any{"sender": bob.Address(), "amount": "1"}))),
		)
		after := of("alice "+asset+" 340282366920938463463374607431768211454 = "+max+"-1-0+0 after 2", "bob "+asset+" 0 = 1-1-0+0 after 2")
		w.want("holdings", holdings, after...)
		w.revert("a2")
		w.want("holdings after a revert: the new account is gone", holdings, of("alice "+asset+" "+max+" = "+max+"-0-0+0 after 1")...)
		w.revert("a1")
		w.want("holdings after all reverts", holdings)
	})
}

func TestCollectibles(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		asset := alice.Address() + ".art::piece"
		one := fmt.Sprintf("0x%x", clarity.NewUint64(1).Raw())
		token := func(kind string, data map[string]any) body.Transaction {
			data["asset_identifier"], data["raw_value"] = asset, one
			return did(body.Event{Type: kind, Data: data})
		}
		history := schemas.In(`
			SELECT n || ' at ' || height || ': ' || cause || ' ' || coalesce(sender, 'nobody') || ' ' || coalesce(recipient, 'nobody')
			FROM {balances}.nft_event ORDER BY n`)
		custody := schemas.In(`SELECT coalesce(owner, 'nobody') || ' since ' || n || ' at ' || height || ' in ' || source_seq FROM {balances}.nft_custody`)
		w.apply(
			block(1, token("nft_mint_event", map[string]any{"recipient": alice.Address()})),
			block(2, token("nft_transfer_event", map[string]any{"sender": alice.Address(), "recipient": bob.Address()})),
			block(3, token("nft_burn_event", map[string]any{"sender": bob.Address()})),
		)
		w.want("custody after the burn", custody, "nobody since 3 at 3 in 3")
		w.want("holdings", holdings, of("alice "+asset+" 0 = 1-1-0+0 after 2", "bob "+asset+" 0 = 1-1-0+0 after 2")...)
		w.apply(block(4, token("nft_mint_event", map[string]any{"recipient": carol.Address()})))
		w.want("custody after it was minted again", custody, carol.Address()+" since 4 at 4 in 4")
		w.want("history", history,
			"1 at 1: nft_mint_event nobody "+alice.Address(),
			"2 at 2: nft_transfer_event "+alice.Address()+" "+bob.Address(),
			"3 at 3: nft_burn_event "+bob.Address()+" nobody",
			"4 at 4: nft_mint_event nobody "+carol.Address())
		w.revert("a4")
		w.want("custody after a revert to the burn", custody, "nobody since 3 at 3 in 3")
		w.revert("a3")
		w.want("custody after a revert of the burn", custody, bob.Address()+" since 2 at 2 in 2")
		w.apply(block(3, token("nft_transfer_event", map[string]any{"sender": bob.Address(), "recipient": carol.Address()})))
		w.want("custody on another branch", custody, carol.Address()+" since 3 at 3 in 5")
		w.revert("a3", "a2", "a1")
		w.want("custody after all reverts", custody)
		w.want("history after all reverts", history)
		w.want("holdings after all reverts", holdings)
	})
}

// TestStrangeAccount checks a principal that does not fit into a text column.
func TestStrangeAccount(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		w.apply(block(1, did(mint("a\x00b", 3))), block(2, did(transfer("a\x00b", "c", 2))))
		w.want("holdings", holdings, "a\uFFFDb stx 1 = 3-2-0+0 after 2", "c stx 2 = 2-0-0+0 after 1")
		w.revert("a2", "a1")
		w.want("holdings after all reverts", holdings)
	})
}

// TestRevertOfAnother checks that a revert of any block but the tip is refused.
func TestRevertOfAnother(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		w.apply(block(1, did(mint(alice.Address(), 1))), block(2, did(mint(alice.Address(), 1))))
		for _, name := range []string{"a1", "x2"} {
			step := w.blocks["a1"]
			step.Kind, step.Block, step.Number = -1, nil, w.step+1
			if name == "x2" {
				step.Height, step.IndexBlockHash = 2, body.ID("x2")
			}
			savepoint, err := w.tx.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.projection.Fold(t.Context(), savepoint, w.step, oneStep(step)); err == nil {
				t.Errorf("reverted %s, which is not the tip", name)
			}
			w.projection.Forget()
			if err := savepoint.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.want("holdings", holdings, of("alice stx 2 = 2-0-0+0 after 2")...)
	})
}
