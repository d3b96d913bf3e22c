package accounts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/accounts"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/schemas"
)

var (
	// members selects the transactions of accounts: number, number of the transaction, involvement, and received-sent-fee.
	members = schemas.In(`
		SELECT a.account || ' ' || n || ': ' || tx || ' is ' || involvement || ', ' ||
		       coalesce(stx_received, 0) || '-' || coalesce(stx_sent, 0) || '-' || coalesce(fee_paid, 0) || coalesce(', calls ' || calls, '')
		FROM {accounts}.account_transaction t JOIN {accounts}.account a ON a.id = t.account ORDER BY a.id, n`)
	events = schemas.In(`
		SELECT a.account || ' ' || n || ': ' || tx || '/' || event_index || ' kind ' || kind || coalesce(' by ' || transfer_type, '') || coalesce(', inbound ' || inbound, '')
		FROM {accounts}.account_event e JOIN {accounts}.account a ON a.id = e.account ORDER BY a.id, n`)
	prints = schemas.In(`
		SELECT a.account || ' ' || n || ': ' || tx || '/' || event_index || coalesce(' ' || t.name || ' ' || t.topic || '/' || topic_n, '') || coalesce(' by ' || s.account, '')
		FROM {accounts}.contract_event e JOIN {accounts}.account a ON a.id = e.contract
		LEFT JOIN {accounts}.account s ON s.id = e.sender
		LEFT JOIN {accounts}.contract_topic t ON t.contract = e.contract AND t.topic = e.topic ORDER BY a.id, n`)
	all   = schemas.In(`SELECT id || ' ' || account || ' since ' || first_height || ' in ' || source_seq FROM {accounts}.account ORDER BY id`)
	typed = schemas.In(`
		SELECT n || ' at ' || height || ', ' || tx_index || coalesce(' of ' || microblock_sequence, '') || coalesce(': ' || type || ' ' || type_n, '')
		FROM {accounts}.transaction ORDER BY n`)
)

func TestRules(t *testing.T) { rig.Worlds(t, rules) }

var rules = map[string]func(w *foldtest.World){
	"Roles": func(w *foldtest.World) {
		pay := &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 5}
		vault := clarity.Principal{Address: carol.Principal().Address, Contract: "vault"}
		call := &transaction.ContractCall{Contract: vault, Function: "f"}
		w.Apply(
			body.At(1,
				body.Transaction{Raw: alice.Sign(0, 10, pay), Events: []body.Event{body.TransferSTX(alice.Address(), carol.Address(), 5)}},
				// The sponsor pays.
				body.Transaction{Raw: bob.Sponsor(3, sponsor, 7, 20, pay), Events: []body.Event{body.TransferSTX(bob.Address(), carol.Address(), 5)}},
				// An account that sponsors its own transaction has both roles.
				body.Transaction{Raw: bob.Sponsor(4, bob, 9, 1, call)},
				// A failed transaction moves nothing, but is in the lists of its sender and its recipient.
				body.Transaction{Raw: alice.Sign(1, 30, pay), Status: "abort_by_response", Events: []body.Event{body.TransferSTX(alice.Address(), carol.Address(), 5)}},
			),
			body.At(2,
				carol.Deploys("vault", nil, body.MintSTX(carol.Address(), 1), body.BurnSTX(carol.Address(), 1)),
				// The contract is called, and receives STX.
				body.Transaction{Raw: alice.Sign(2, 0, call), Events: []body.Event{
					body.TransferSTX(alice.Address(), vault.String(), 40), body.TransferSTX(vault.String(), alice.Address(), 1), body.TransferSTX(vault.String(), vault.String(), 7),
				}},
				// An event that was not committed does not count.
				body.Transaction{Raw: alice.Sign(3, 50, coinbase), Events: []body.Event{
					{Type: "stx_transfer_event", Uncommitted: true, Data: body.TransferSTX(alice.Address(), carol.Address(), 5).Data}}},
				// An unknown payload, behind the fee, does not matter.
				body.Transaction{Raw: carol.Sign(5, 9, &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: []byte{200, 1}})},
			),
		)
		w.WantNamed("transactions", members,
			"alice 1: 1 is 97, 0-5-10", // sender + party + STX
			"alice 2: 4 is 65, 0-0-30",
			"alice 3: 6 is 97, 1-40-0",
			"alice 4: 7 is 65, 0-0-50",
			"carol 1: 1 is 100, 5-0-0", // recipient + party + STX
			"carol 2: 2 is 100, 5-0-0",
			"carol 3: 4 is 4, 0-0-0",
			"carol 4: 5 is 97, 1-1-0",
			"carol 5: 8 is 65, 0-0-9",
			"bob 1: 2 is 97, 0-5-0",
			"bob 2: 3 is 67, 0-0-1", // sender + sponsor + STX
			"sponsor 1: 2 is 66, 0-0-20",
			"carol.vault 1: 3 is 8, 0-0-0, calls 1",
			"carol.vault 2: 5 is 16, 0-0-0, calls 1", // deployed
			"carol.vault 3: 6 is 104, 47-8-0, calls 2",
		)
		w.WantNamed("events", events,
			"alice 1: 1/0 kind 1",
			"alice 2: 6/0 kind 1",
			"alice 3: 6/1 kind 1",
			"carol 1: 1/0 kind 1 by 2, inbound 1",
			"carol 2: 2/0 kind 1 by 2, inbound 2",
			"carol 3: 5/0 kind 2, inbound 2",
			"carol 4: 5/1 kind 3, inbound 2",
			"bob 1: 2/0 kind 1",
			"carol.vault 1: 6/0 kind 1",
			"carol.vault 2: 6/1 kind 1",
			"carol.vault 3: 6/2 kind 1",
		)
		w.Want("events counted", schemas.In(`
			SELECT concat_ws(' ', n, stx_transfers, stx_mints, stx_burns) FROM {accounts}.account_transaction
			WHERE account = (SELECT id FROM {accounts}.account WHERE account LIKE '%.vault') ORDER BY n`), "1", "2", "3 3")
		w.Want("transactions", typed,
			"1 at 1, 0: 0 1", "2 at 1, 1: 0 2", "3 at 1, 2: 2 1", "4 at 1, 3: 0 3",
			"5 at 2, 0: 1 1", "6 at 2, 1: 2 2", "7 at 2, 2: 4 1", "8 at 2, 3")
		w.Want("blocks", schemas.In(`SELECT concat_ws(' ', height, first_tx, last_tx, token_transfers, smart_contracts, contract_calls, coinbases, accounts) FROM {accounts}.block ORDER BY height`),
			"1 1 4 3 0 1 0 5", "2 5 8 3 1 2 1 5")
	},
	// OrderInBlock checks blocks that list transactions in another order than that of their execution.
	"OrderInBlock": func(w *foldtest.World) {
		micro := func(sequence int) map[string]any {
			return map[string]any{"microblock_sequence": sequence, "microblock_hash": body.TxID("micro", sequence), "microblock_parent_hash": body.TxID("micro", sequence-1)}
		}
		w.Apply(body.At(1,
			body.Transaction{Raw: alice.Sign(2, 1, coinbase)},
			body.Transaction{Raw: alice.Sign(1, 2, coinbase), Members: micro(1)},
			body.Transaction{Raw: alice.Sign(0, 3, coinbase), Members: micro(0)},
		), body.At(2), body.At(3, body.Unsigned()))
		w.Want("transactions", typed, "1 at 1, 2 of 0: 4 1", "2 at 1, 1 of 1: 4 2", "3 at 1, 0: 4 3", "4 at 3, 0: 4 4")
		w.Want("fees", schemas.In(`SELECT n || ' ' || fee_paid FROM {accounts}.account_transaction WHERE fee_paid IS NOT NULL ORDER BY n`), "1 3", "2 2", "3 1")
		w.Want("blocks", schemas.In(`SELECT concat_ws(' ', height, first_tx, last_tx, coinbases, accounts, touched::text) FROM {accounts}.block ORDER BY height`),
			"1 1 3 3 1 {1}", "2 4 3 3 1 {}", "3 4 4 4 2 {2}")
		w.Revert("a3", "a2")
		w.Want("blocks after the reverts", schemas.In(`SELECT height || ' ' || last_tx FROM {accounts}.block`), "1 3")
	},
	"Inbound": func(w *foldtest.World) {
		many := "ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo"
		memo := body.Print(many, clarity.NewUint64(1))
		pay := &transaction.TokenTransfer{Recipient: bob.Principal(), Amount: 5}
		w.Apply(body.At(1,
			// 1 and 2: token transfers, from an old node and from a new one, which repeats the memo in the event. Each is
			// listed once.
			body.Transaction{Raw: alice.Sign(0, 0, pay), Events: []body.Event{body.TransferSTX(alice.Address(), bob.Address(), 5)}},
			body.Transaction{Raw: alice.Sign(1, 0, pay), Events: []body.Event{transferWithMemo(alice.Address(), bob.Address(), 5, "hello")}},
			// 3: send-many prints a memo after each payment. A payment with another print after it is not inbound.
			body.Unsigned(body.TransferSTX(alice.Address(), bob.Address(), 1), memo, transferWithMemo(alice.Address(), carol.Address(), 2, "x"), memo,
				body.TransferSTX(alice.Address(), bob.Address(), 1), body.Print(alice.Address()+".send-many-memo", clarity.NewUint64(1)), memo),
			// 4: a contract pays with a memo and without.
			body.Unsigned(transferWithMemo(alice.Address(), bob.Address(), 3, "y"), transferWithMemo(alice.Address(), bob.Address(), 3, ""), body.TransferSTX(alice.Address(), bob.Address(), 3)),
			// 5: minted STX are not an inbound transfer, but a transfer to oneself is.
			body.Unsigned(body.MintSTX(bob.Address(), 1), memo, transferWithMemo(bob.Address(), bob.Address(), 4, "z")),
		))
		w.WantNamed("events", events+` OFFSET 8`,
			"bob 1: 1/0 kind 1 by 2, inbound 1",
			"bob 2: 2/0 kind 1 by 2, inbound 2",
			"bob 3: 3/0 kind 1 by 1, inbound 3",
			"bob 4: 3/4 kind 1, inbound 3",
			"bob 5: 4/0 kind 1 by 3, inbound 4",
			"bob 6: 4/1 kind 1, inbound 4",
			"bob 7: 4/2 kind 1, inbound 4",
			"bob 8: 5/0 kind 2, inbound 4",
			"bob 9: 5/2 kind 1 by 3, inbound 5",
			"carol 1: 3/2 kind 1 by 1, inbound 1",
		)
	},
	"Topics": func(w *foldtest.World) {
		shop, other := alice.Contract("shop"), alice.Contract("other")
		sold := value.Tuple("event", "sold", "type", "thing")
		w.Apply(
			body.At(1, bob.Did(
				body.Print(shop, sold),
				body.Print(other, sold),
				body.Print(shop, value.Tuple("name", "bought")),
				// A field of the wrong type is skipped, and the tuple may be in a response.
				body.Print(shop, clarity.NewOk(value.Tuple("topic", 1, "action", value.Must(clarity.NewUTF8("sold"))))),
				// These have no topic.
				body.Print(shop, value.Text("sold")),
				body.Print(shop, value.Tuple("topic", "", "event", "sold")),
				body.Print(shop, value.Tuple("topic", strings.Repeat("x", 129), "event", "sold")),
				body.Print(shop, value.Tuple("else", "sold")),
				body.Print(shop, clarity.NewSome(clarity.NewOk(sold))),
				body.Event{Type: "contract_event", Data: map[string]any{"contract_identifier": shop, "topic": "print", "raw_value": "0xff"}},
			)),
			body.At(2, body.Unsigned(body.Print(shop, value.Tuple("topic", strings.Repeat("x", 128), "event", "sold")), body.Print(shop, sold))),
		)
		long := strings.Repeat("x", 128)
		boot := "ST000000000000000000002AMW42H"
		first := []string{
			"alice.shop 1: 1/0 sold 1/1 by bob",
			"alice.shop 2: 1/2 bought 2/1 by bob",
			"alice.shop 3: 1/3 sold 1/2 by bob",
			"alice.shop 4: 1/4 by bob",
			"alice.shop 5: 1/5 by bob",
			"alice.shop 6: 1/6 by bob",
			"alice.shop 7: 1/7 by bob",
			"alice.shop 8: 1/8 by bob",
			"alice.shop 9: 1/9 by bob",
		}
		second := []string{"alice.shop 10: 2/0 " + long + " 3/1 by " + boot, "alice.shop 11: 2/1 sold 1/3 by " + boot}
		last := "alice.other 1: 1/1 sold 1/1 by bob"
		w.WantNamed("prints", prints, slices.Concat(first, second, []string{last})...)
		w.Revert("a2")
		w.WantNamed("prints after the revert", prints, slices.Concat(first, []string{last})...)
		topics := schemas.In(`SELECT concat_ws(' ', contract, topic, name, source_seq) FROM {accounts}.contract_topic ORDER BY contract, topic`)
		w.Want("topics after the revert", topics, "2 1 sold 1", "2 2 bought 1", "3 1 sold 1")
		// The revert has freed the topic's number.
		w.Apply(body.At(2, body.Unsigned(body.Print(shop, value.Tuple("event", "closed")))))
		w.Want("topics on another branch", topics, "2 1 sold 1", "2 2 bought 1", "2 3 closed 3", "3 1 sold 1")
		w.Revert("a2", "a1")
		w.Want("topics after all reverts", topics)
	},
	// Operations checks operations from Bitcoin.
	"Operations": func(w *foldtest.World) {
		address := func(a body.Account) map[string]any { return map[string]any{"address": a.Address()} }
		op := func(status, kind string, data map[string]any, events ...body.Event) body.Transaction {
			tx := body.Transaction{Raw: []byte{0}, Status: status, Events: events}
			if kind != "" {
				tx.Members = map[string]any{"burnchain_op": map[string]any{kind: data}}
			}
			return tx
		}
		lock := func(contract string) body.Event {
			data := map[string]any{"locked_address": bob.Address(), "locked_amount": "9", "unlock_height": 900}
			if contract != "" {
				data["contract_identifier"] = contract
			}
			return event("stx_lock_event", data)
		}
		boot := "ST000000000000000000002AMW42H"
		w.Apply(body.At(1,
			op("success", "transfer_stx", map[string]any{"sender": address(alice), "recipient": address(bob)}, body.TransferSTX(alice.Address(), bob.Address(), 5)),
			op("abort_by_response", "transfer_stx", map[string]any{"sender": address(alice), "recipient": address(bob)}),
			op("success", "", nil, lock("")),
			op("success", "stack_stx", map[string]any{"sender": address(bob)}, lock(boot+".pox-4"), body.Print(boot+".pox-4", clarity.NewUint64(1))),
			op("success", "delegate_stx", map[string]any{"sender": address(alice), "delegate_to": address(bob)}, body.Print(boot+".pox-4", clarity.NewUint64(1))),
			op("abort_by_response", "vote_for_aggregate_key", map[string]any{"sender": address(carol)}),
			op("abort_by_response", "", nil),
		))
		w.WantNamed("transactions", members,
			"alice 1: 1 is 97, 0-5-0",
			"alice 2: 2 is 1, 0-0-0",
			"alice 3: 5 is 1, 0-0-0",
			"bob 1: 1 is 100, 5-0-0",
			"bob 2: 2 is 4, 0-0-0",
			"bob 3: 3 is 1, 0-0-0",
			"bob 4: 4 is 1, 0-0-0",
			boot+".pox 1: 3 is 8, 0-0-0, calls 1",
			boot+".pox-4 1: 4 is 8, 0-0-0, calls 1",
			boot+".pox-4 2: 5 is 8, 0-0-0, calls 2",
			"carol 1: 6 is 1, 0-0-0",
		)
		w.WantNamed("events", events, "alice 1: 1/0 kind 1", "bob 1: 1/0 kind 1 by 2, inbound 1", "bob 2: 3/0 kind 10, inbound 1", "bob 3: 4/0 kind 10, inbound 1")
		w.WantNamed("prints", prints, boot+".pox-4 1: 4/1 by bob", boot+".pox-4 2: 5/0 by alice")
		w.Want("transactions", typed, "1 at 1, 0: 0 1", "2 at 1, 1: 0 2", "3 at 1, 2: 2 1", "4 at 1, 3: 2 2", "5 at 1, 4: 2 3", "6 at 1, 5: 2 4", "7 at 1, 6")
	},
	// DelegatedLock checks an account whose STX another account locks: it has the event, but not the transaction.
	"DelegatedLock": func(w *foldtest.World) {
		w.Apply(body.At(1, alice.Did(event("stx_lock_event", map[string]any{"locked_address": bob.Address(), "locked_amount": "9", "unlock_height": 900}))))
		w.WantNamed("transactions", members, "alice 1: 1 is 1, 0-0-0")
		w.WantNamed("events", events, "bob 1: 1/0 kind 10")
		w.WantNamed("accounts", all, "1 alice since 1 in 1", "2 bob since 1 in 1")
		w.Revert("a1")
		w.Want("accounts after the revert", all)
	},
	// Tokens checks that events of tokens are counted, and their amounts are not added up.
	"Tokens": func(w *foldtest.World) {
		coin, art := alice.Address()+".token::coin", alice.Address()+".art::piece"
		one := fmt.Sprintf("0x%x", clarity.NewUint64(1).Raw())
		ft := func(kind, from, to string) body.Event {
			return event(kind, map[string]any{"asset_identifier": coin, "sender": from, "recipient": to, "amount": "340282366920938463463374607431768211455"})
		}
		nft := func(kind, from, to string) body.Event {
			return event(kind, map[string]any{"asset_identifier": art, "sender": from, "recipient": to, "raw_value": one})
		}
		a, b := alice.Address(), bob.Address()
		max := "340282366920938463463374607431768211455"
		w.Apply(body.At(1, body.Unsigned(
			ft("ft_mint_event", "", a), ft("ft_transfer_event", a, b), ft("ft_transfer_event", b, b), ft("ft_burn_event", b, ""),
			nft("nft_mint_event", "", a), nft("nft_transfer_event", a, b), nft("nft_burn_event", b, ""),
			event("stx_mint_event", map[string]any{"recipient": a, "amount": max}), event("stx_mint_event", map[string]any{"recipient": a, "amount": max}),
			event("stx_mint_event", map[string]any{"recipient": b, "amount": "0"}),
		)))
		w.WantNamed("transactions", schemas.In(`
			SELECT a.account || ': ' || involvement || ' ' || concat_ws(' ', stx_mints, ft_transfers, ft_mints, ft_burns, nft_transfers, nft_mints, nft_burns) ||
			       coalesce(', got ' || stx_received, '')
			FROM {accounts}.account_transaction t JOIN {accounts}.account a ON a.id = t.account WHERE a.id > 1 ORDER BY a.id`),
			"alice: 480 2 1 1 1 1, got 680564733841876926926749214863536422910", "bob: 480 1 2 1 1 1")
		w.WantNamed("events", schemas.In(`SELECT a.account || ' ' || string_agg(kind::text, ' ' ORDER BY n) FROM {accounts}.account_event e JOIN {accounts}.account a ON a.id = e.account GROUP BY a.id ORDER BY a.id`),
			"alice 5 4 8 7 2 2", "bob 4 4 6 7 9 2")
	},
	// Numbers checks that account ids freed by a revert are assigned to the next new accounts.
	"Numbers": func(w *foldtest.World) {
		w.Apply(body.At(1, alice.Did()), body.At(2, bob.Did(body.TransferSTX(alice.Address(), carol.Address(), 1))))
		w.WantNamed("accounts", all, "1 alice since 1 in 1", "2 bob since 2 in 2", "3 carol since 2 in 2")
		w.Revert("a2")
		w.WantNamed("accounts after the revert", all, "1 alice since 1 in 1")
		w.Apply(body.At(2, carol.Did(), bob.Did()))
		w.WantNamed("accounts of another branch", all, "1 alice since 1 in 1", "2 carol since 2 in 3", "3 bob since 2 in 3")
		w.Revert("a2", "a1")
		w.Apply(body.At(1, bob.Did()))
		w.WantNamed("accounts of another chain", all, "1 bob since 1 in 4")
	},
	// StrangeAccount checks principals that do not fit into a text column.
	"StrangeAccount": func(w *foldtest.World) {
		w.Apply(body.At(1, body.Unsigned(body.MintSTX("a\x00b", 3))), body.At(2, body.Unsigned(body.TransferSTX("a\x00b", "c", 2), body.TransferSTX("a\x00b", "a\uFFFDb", 2))))
		w.Want("events", events, "a\uFFFDb 1: 1/0 kind 2", "a\uFFFDb 2: 2/0 kind 1", "a\uFFFDb 3: 2/1 kind 1", "c 1: 2/0 kind 1")
		w.Want("counted once", schemas.In(`SELECT stx_transfers || ' ' || stx_sent || ' ' || stx_received FROM {accounts}.account_transaction WHERE account = 2 AND n = 2`), "2 4 2")
		w.Revert("a2", "a1")
		w.Want("accounts after all reverts", all)
	},
	// StrangePrinter checks prints of a contract with an impossible name.
	"StrangePrinter": func(w *foldtest.World) {
		printed := body.Print("nobody", clarity.NewUint64(1))
		w.Apply(body.At(1, body.Unsigned(printed)), body.At(2, body.Unsigned(body.MintSTX("nobody", 1))), body.At(3, body.Unsigned(printed, printed)))
		w.Want("prints", prints, "nobody 1: 1/0 by ST000000000000000000002AMW42H", "nobody 2: 3/0 by ST000000000000000000002AMW42H", "nobody 3: 3/1 by ST000000000000000000002AMW42H")
	},
}

// TestOutOfOrder checks that steps which do not continue the chain are refused.
func TestOutOfOrder(t *testing.T) {
	t.Parallel()
	w := rig.NewWorld(t, false)
	w.Apply(body.At(1, alice.Did()), body.At(2, alice.Did()))
	stranger := body.At(3, alice.Did())
	stranger.Parent = "b2"
	below, other := w.Blocks["a1"], w.Blocks["a2"]
	below.Kind, below.Block = projections.Revert, nil
	other.Kind, other.Block, other.IndexBlockHash = projections.Revert, nil, body.ID("x2")
	for name, step := range map[string]projections.Step{"a block on another": w.Announce(stranger), "a revert below the newest": below, "a revert of another": other} {
		if !w.Refused(step) {
			t.Errorf("%s was folded", name)
		}
	}
	w.WantNamed("transactions", members, "alice 1: 1 is 1, 0-0-0", "alice 2: 2 is 1, 0-0-0")
	if !rig.NewWorld(t, false).Refused(below) {
		t.Error("a revert was folded on an empty chain")
	}
}

// TestChecks damages rows in ways that the checks must find.
func TestChecks(t *testing.T) {
	t.Parallel()
	w := rig.NewWorld(t, false)
	topic := value.Tuple("event", "sold")
	shop := alice.Contract("shop")
	call := &transaction.ContractCall{Contract: clarity.Principal{Address: alice.Principal().Address, Contract: "shop"}, Function: "f"}
	pay := &transaction.TokenTransfer{Recipient: bob.Principal(), Amount: 5}
	for height := 1; height <= 3; height++ {
		w.Apply(body.At(height,
			body.Transaction{Raw: bob.Sign(0, 5, call), Events: []body.Event{body.Print(shop, topic), body.Print(shop, topic)}},
			body.Transaction{Raw: alice.Sign(0, 5, pay), Events: []body.Event{body.TransferSTX(alice.Address(), bob.Address(), 5)}},
		))
	}
	byName := map[string]bool{}
	for sql, want := range map[string]string{
		`UPDATE {schema}.block SET last_tx = last_tx + 1 WHERE height = 1`:     "blocks continue",
		`DELETE FROM {schema}.block WHERE height = 2`:                          "blocks continue",
		`UPDATE {schema}.block SET burn_blocks = 3 WHERE height = 2`:           "Bitcoin blocks with",
		`INSERT INTO {schema}.deployment VALUES (1, 1, 0, '{}')`:               "deployments are",
		`UPDATE {schema}.transaction SET n = 99 WHERE n = 6`:                   "transactions are numbered",
		`UPDATE {schema}.transaction SET source_seq = 3 WHERE n = 1`:           "transactions are numbered",
		`UPDATE {schema}.transaction SET microblock_sequence = 3 WHERE n = 2`:  "transactions of a block",
		`UPDATE {schema}.transaction SET type_n = 9 WHERE n = 6`:               "the transactions of a type",
		`UPDATE {schema}.block SET contract_calls = 9 WHERE height = 3`:        "totals of transactions",
		`DELETE FROM {schema}.account WHERE id = 3`:                            "accounts are numbered",
		`UPDATE {schema}.account SET id = 9 WHERE id = 3`:                      "accounts are numbered",
		`UPDATE {schema}.account SET first_height = 2 WHERE id = 3`:            "blocks name the accounts",
		`UPDATE {schema}.block SET touched = '{1,2}' WHERE height = 2`:         "blocks name the accounts",
		`UPDATE {schema}.account_event SET source_seq = 1 WHERE tx = 6`:        "blocks name the accounts",
		`UPDATE {schema}.contract_topic SET topic = 2`:                         "topics are numbered",
		`DELETE FROM {schema}.contract_topic`:                                  "topics are numbered",
		`UPDATE {schema}.contract_event SET topic = 2 WHERE n = 3`:             "topics are numbered",
		`UPDATE {schema}.account_transaction SET calls = 9 WHERE calls = 2`:    "running counts of calls",
		`UPDATE {schema}.account_event SET inbound = NULL WHERE inbound = 2`:   "running counts of inbound",
		`DELETE FROM {schema}.account_transaction WHERE account = 1 AND n = 1`: "rows of account_transaction are numbered by n",
		`UPDATE {schema}.account_transaction SET tx = tx + 1 WHERE account = 1 AND n = 2; UPDATE {schema}.account_transaction SET tx = tx - 2 WHERE account = 1 AND n = 3`: "rows of account_transaction are numbered by n",
		`UPDATE {schema}.account_event SET n = 9 WHERE n = 2`:        "rows of account_event are numbered by n",
		`UPDATE {schema}.contract_event SET n = 9 WHERE n = 2`:       "rows of contract_event are numbered by n ",
		`UPDATE {schema}.contract_event SET topic_n = 9 WHERE n = 2`: "rows of contract_event are numbered by topic_n",

		`UPDATE {schema}.contract_event SET function_n = 9 WHERE n = 2`:                        "rows of contract_event are numbered by function_n",
		`UPDATE {schema}.account_event SET asset = 1, asset_n = 9 WHERE account = 1 AND n = 1`: "rows of account_event are numbered by asset_n",
		`UPDATE {schema}.account_event SET stx_in = 9 WHERE stx_in = 2`:                        "running counts of events that give or take STX",
		`INSERT INTO {schema}.miner_reward VALUES (1, 1, 1, 2, 0, 5, 0, 5, 0, NULL)`:           "rewards of miners",
	} {
		savepoint := must.Get(w.Tx.Begin(t.Context()))(t)
		if _, err := savepoint.Exec(t.Context(), accounts.Spec().SQL(sql)); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		seen := false
		for _, c := range accounts.New().Checks() {
			if len(foldtest.Violations(t, savepoint, accounts.Spec(), c)) > 0 {
				seen = seen || strings.HasPrefix(c.Name, want)
				byName[c.Name] = true
			}
		}
		if !seen {
			t.Errorf("check %q found nothing after %s", want, sql)
		}
		must.Do(t, savepoint.Rollback(t.Context()))
	}
	for _, c := range accounts.New().Checks() {
		if !byName[c.Name] {
			t.Errorf("check %q never found anything", c.Name)
		}
	}
}
