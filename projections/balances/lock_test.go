package balances_test

import (
	"fmt"
	"testing"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/internal/synth/value"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/schemas"
)

// boot is the boot address of testnet, which deployed the stacking contracts.
const boot = "ST000000000000000000002AMW42H"

var (
	locks = schemas.In(`
		SELECT account || ' ' || amount || ' until ' || unlock_height || ' by pox ' || pox_version || ' at ' || height || ' ' || cause || ' ' || pointer
		FROM (SELECT DISTINCT ON (account) * FROM {balances}.stx_lock ORDER BY account, height DESC, position DESC) last ORDER BY account`)
	lockCount = schemas.In(`SELECT count(*)::text FROM {balances}.stx_lock`)
)

func locked(account string, amount, until uint64, contract string) body.Event {
	data := map[string]any{"locked_address": account, "locked_amount": fmt.Sprint(amount), "unlock_height": until}
	if contract != "" {
		data["contract_identifier"] = contract
	}
	return body.Event{Type: "stx_lock_event", Data: data}
}

// unlock returns the print that a node adds to the block in which it ends the lock of a stacker without a reward slot.
func unlock(stacker clarity.Principal, contract, name string) body.Event {
	return body.Print(contract, clarity.NewOk(value.Tuple(
		"name", name, "stacker", value.Principal(stacker.String()), "balance", 1, "locked", 50, "burnchain-unlock-height", 900,
		"data", value.Tuple("first-cycle-locked", 3, "first-unlocked-cycle", 4,
			"pox-addr", value.Must(pox.AddressValue(bitcoin.PoxAddress{Version: 0, Hash: make([]byte, 20)}))),
	)))
}

func TestLocks(t *testing.T) { rig.Worlds(t, lockRules) }

var lockRules = map[string]func(w *foldtest.World){
	"Locks": func(w *foldtest.World) {
		w.Apply(
			body.At(1, body.Unsigned(locked(alice.Address(), 40, 800, "")), body.Unsigned(locked(bob.Address(), 7, 700, boot+".pox-4"))),
			body.At(2, body.Unsigned(locked(alice.Address(), 50, 900, boot+".pox-2"), locked(alice.Address(), 60, 900, boot+".pox-2"))),
			body.At(3, body.Unsigned(unlock(alice.Principal(), boot+".pox-2", "handle-unlock"))),
		)
		others := "bob 7 until 700 by pox 4 at 1 stx_lock_event /events/1"
		w.Want("locks", locks, of("alice 50 until 900 by pox 2 at 3 handle-unlock /events/0", others)...)
		w.Revert("a3")
		w.Want("locks after the revert of the end", locks, of("alice 60 until 900 by pox 2 at 2 stx_lock_event /events/1", others)...)
		w.Revert("a2")
		w.Want("locks after the next revert", locks, of("alice 40 until 800 by pox 1 at 1 stx_lock_event /events/0", others)...)
		w.Revert("a1")
		w.Want("locks after all reverts", locks)
		w.Want("holdings: a lock moves nothing", holdings)
	},
	// LockContracts checks which contracts can begin and end locks.
	"LockContracts": func(w *foldtest.World) {
		w.Apply(
			body.At(1, body.Unsigned(locked(alice.Address(), 40, 800, boot+".pox-5")), body.Unsigned(locked(bob.Address(), 7, 700, boot+".pox-99")),
				body.Unsigned(locked(carol.Address(), 8, 600, "no principal"))),
			// These prints end no lock: of another contract, of pox-5 (which reports no unlocks), with another name, with
			// an undecodable value, with another topic, not committed, and of a failed transaction.
			body.At(2,
				body.Unsigned(unlock(alice.Principal(), alice.Address()+".pox-2", "handle-unlock")),
				body.Unsigned(unlock(alice.Principal(), boot+".pox", "handle-unlock")),
				body.Unsigned(unlock(alice.Principal(), boot+".pox-5", "handle-unlock")),
				body.Unsigned(unlock(alice.Principal(), boot+".pox-2", "handle-unlocks")),
				body.Unsigned(body.Event{Type: "contract_event", Data: map[string]any{"contract_identifier": boot + ".pox-2", "topic": "print", "raw_value": "0xff"}}),
				body.Unsigned(func() body.Event {
					e := unlock(alice.Principal(), boot+".pox-2", "handle-unlock")
					e.Data["topic"] = "other"
					return e
				}()),
				body.Unsigned(func() body.Event {
					e := unlock(alice.Principal(), boot+".pox-2", "handle-unlock")
					e.Uncommitted = true
					return e
				}()),
				body.Transaction{Raw: alice.Sign(0, 0, coinbase), Status: "abort_by_response",
					Events: []body.Event{unlock(alice.Principal(), boot+".pox-2", "handle-unlock")}},
			),
		)
		w.Want("locks", locks, of(
			"alice 40 until 800 by pox 5 at 1 stx_lock_event /events/0",
			"bob 7 until 700 by pox 0 at 1 stx_lock_event /events/1",
			"carol 8 until 600 by pox 0 at 1 stx_lock_event /events/2",
		)...)
		w.Want("number of locks", lockCount, "3")
		contract := clarity.Principal{Address: alice.Principal().Address, Contract: "pool"}
		w.Apply(body.At(3, body.Unsigned(locked(contract.String(), 5, 500, boot+".pox-3"))), body.At(4, body.Unsigned(unlock(contract, boot+".pox-3", "handle-unlock"))))
		w.Want("a contract's lock", locks+` OFFSET 3`, contract.String()+" 50 until 900 by pox 3 at 4 handle-unlock /events/0")
	},
}
