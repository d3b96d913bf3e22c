package projections_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections/balances"
	"strata/projections/pox"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestSkippedTransactions folds transactions that a node of epoch 4.0 included without executing them: they pay their
// fee and use their nonces, and nothing else happens, whatever the body says.
func TestSkippedTransactions(t *testing.T) {
	t.Parallel()
	alice, bob, carol := body.Account("alice"), body.Account("bob"), body.Account("carol")
	mint := func(to body.Account) body.Event {
		return body.Event{Type: "stx_mint_event", Data: map[string]any{"recipient": to.Address(), "amount": "1000"}}
	}
	move := func(from, to body.Account) body.Event {
		return body.Event{Type: "stx_transfer_event", Data: map[string]any{"sender": from.Address(), "recipient": to.Address(), "amount": "50", "memo": ""}}
	}
	skipped := func(raw []byte, events ...body.Event) body.Transaction {
		return body.Transaction{Raw: raw, Status: "problematic_skipped", Events: events, Members: map[string]any{
			"problematic_skipped": 2, "raw_result": "0x0809", "vm_error": "Problematic", "contract_interface": nil,
		}}
	}
	pay := &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 50}
	deploy := func(version uint8) transaction.Payload {
		return &transaction.VersionedSmartContract{ClarityVersion: version, SmartContract: transaction.SmartContract{ContractName: fmt.Sprintf("c%d", version), Code: []byte("(ok true)")}}
	}
	plain := func(raw []byte, contractInterface any) body.Transaction {
		return body.Transaction{Raw: raw, Members: map[string]any{"contract_interface": contractInterface}}
	}
	posts := []replay.Post{
		body.Block{Name: body.Genesis, Burn: "1a", Transactions: []body.Transaction{body.Account("miner").Did(mint(alice), mint(bob), mint(carol))}}.Post(),
		body.Block{
			Name: "a1", Parent: body.Genesis, Burn: "2a", Transactions: []body.Transaction{
				skipped(alice.Sign(0, 10, pay), move(alice, carol)),
				skipped(alice.Sponsor(1, bob, 0, 20, pay)),
				skipped(alice.Sign(2, 30, deploy(6))),
				plain(carol.Sign(0, 1, deploy(4)), map[string]any{"functions": []any{}}),
				plain(carol.Sign(1, 1, deploy(5)), nil), // the node has disabled interfaces
				{Raw: carol.Sign(2, 1, deploy(6)), Status: "abort_by_response", Members: map[string]any{"contract_interface": map[string]any{}}},
			},
		}.Post(),
	}
	log := replay.NewLog(t)
	replay.Append(t, log, posts...)
	replay.Run(t, log, rig.Chain(t), balances.New(nil))
	rig.Compare(t, "STX", map[string]string{alice.Address(): "960", bob.Address(): "980", carol.Address(): "997"},
		rig.Pairs(t, log.Pool(), schemas.In(`SELECT account, balance::text FROM {balances}.holding WHERE asset = 'stx' AND account <> '`)+body.Account("miner").Address()+`'`))
	rig.Compare(t, "next nonce", map[string]string{alice.Address(): "3", bob.Address(): "1", carol.Address(): "3"},
		rig.Pairs(t, log.Pool(), schemas.In(`SELECT DISTINCT ON (account) account, next_nonce::text FROM {balances}.nonce WHERE height = 1 ORDER BY account, height DESC`)))
	rig.Compare(t, "contract", map[string]string{carol.Contract("c4"): `4 {"functions":[]}`, carol.Contract("c5"): "5"},
		rig.Pairs(t, log.Pool(), schemas.In(`SELECT contract_id, concat_ws(' ', clarity_version, interface) FROM {chain}.contract`)))
	rig.Compare(t, "status", map[string]string{"problematic_skipped Problematic 0": "3", "success 0": "2", "abort_by_response 0": "1"},
		rig.Pairs(t, log.Pool(), schemas.In(`SELECT concat_ws(' ', status, vm_error, event_count), count(*)::text FROM {chain}.transaction
			WHERE source_seq = 2 GROUP BY 1`)))
}

// TestRecordedEpoch4 folds what a node posted on a chain through all epochs up to 4.0.
func TestRecordedEpoch4(t *testing.T) {
	t.Parallel()
	posts := replay.Archive(t, "node", "nakamoto-epoch4.tsv.gz")
	log := replay.NewLog(t)
	replay.Append(t, log, posts...)
	replay.Run(t, log, rig.Chain(t), balances.New(nil), pox.New())

	// From epoch 4.0 on, one address of the sBTC signers is paid, and nothing is burned.
	rig.Compare(t, "payouts of Bitcoin blocks above the unlock of pox-4", map[string]string{"1 tb1p 0": "true"},
		rig.Pairs(t, log.Pool(), schemas.In(`
			SELECT DISTINCT concat_ws(' ', b.slots, left(s.address, 4), b.burn_amount), 'true'
			FROM {pox}.burn_block b LEFT JOIN {pox}.slot s USING (height)
			WHERE b.height > (SELECT max(pox_v4_unlock_height) FROM {chain}.block) + 20`)))
	rig.Compare(t, "outputs that differ from the payments of their Bitcoin block", nil, rig.Pairs(t, log.Pool(), schemas.In(`
		SELECT p.height || ' ' || p.recipient, sum(p.amount)::text FROM {pox}.payout p GROUP BY p.height, p.recipient
		HAVING sum(p.amount) <> (SELECT sum(r.amount) FROM {pox}.reward r WHERE r.height = p.height AND r.recipient = p.recipient)`)))
	rig.Compare(t, "Clarity versions", map[string]string{"6": "true"},
		rig.Pairs(t, log.Pool(), schemas.In(`SELECT DISTINCT clarity_version::text, 'true' FROM {chain}.contract WHERE clarity_version > 3 AND contract_id NOT LIKE 'ST000%'`)))

	kinds := map[string]int{}
	for _, item := range replay.Decode(t, posts) {
		if item.Block == nil {
			continue
		}
		for i, tx := range item.Block.Decoded {
			if tx == nil {
				continue
			}
			for c := range tx.PostConditions.All() {
				kinds[c.Type.String()]++
				if item.Block.Transactions[i].Status == nodeevent.StatusAbortByPostCondition {
					kinds[c.Type.String()+" violated"]++
				}
			}
		}
	}
	for _, kind := range []string{"staking", "staking violated", "pox", "pox violated"} {
		if kinds[kind] == 0 {
			t.Errorf("no post-condition of kind %s, only %v", kind, kinds)
		}
	}
	var unknown []string
	for path := range rig.Pairs(t, log.Pool(), schemas.In(`SELECT path, '' FROM {chain}.unknown_field`)) {
		unknown = append(unknown, path)
	}
	if len(unknown) > 0 {
		t.Errorf("nobody decodes %s", strings.Join(unknown, ", "))
	}
}
