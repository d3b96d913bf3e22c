package pox_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/value"
	"strata/rig/body"
	"strata/rig/replay"
)

const pox5Contract = "SP000000000000000000002Q6VF78.pox-5"

// pox5Fields are the fields of a print: numbers, buffers, and principals as text.
type pox5Fields map[string]any

// pox5 returns the event of a print of pox-5.
func pox5(t *testing.T, topic string, fields pox5Fields) body.Event {
	t.Helper()
	pairs := []any{"topic", topic}
	for name, v := range fields {
		if principal, ok := v.(string); ok {
			v = value.Principal(principal)
		}
		pairs = append(pairs, name, v)
	}
	return body.Print(pox5Contract, value.Tuple(pairs...))
}

const stx = 1_000_000

// TestPox5Stackers folds what pox-5 prints, and then a block with the set of signers of cycle 10.
func TestPox5Stackers(t *testing.T) {
	t.Parallel()
	var (
		alice, bob, carol = body.Account("alice").Address(), body.Account("bob").Address(), body.Account("carol").Address()
		one, two          = body.Account("manager").Contract("one"), body.Account("manager").Contract("two")
		keyOne, keyTwo    = bytes.Repeat([]byte{2}, 33), bytes.Repeat([]byte{3}, 33)
	)
	register := func(manager string, key []byte) body.Event {
		return pox5(t, "register-signer", pox5Fields{"signer": manager, "signer-key": key})
	}
	stake := func(staker, manager string, amount, first, cycles int) body.Event {
		return pox5(t, "stake", pox5Fields{"staker": staker, "signer": manager, "amount-ustx": amount * stx, "num-cycles": cycles,
			"first-reward-cycle": first, "unlock-cycle": first + cycles, "unlock-burn-height": 0})
	}
	update := func(staker, old, manager string, amount, first, unlock int) body.Event {
		return pox5(t, "stake-update", pox5Fields{"staker": staker, "old-signer": old, "signer": manager, "amount-ustx": amount * stx,
			"amount-increase": 0, "cycles-to-extend": 0, "num-cycles": unlock - first, "unlock-cycle": unlock, "unlock-burn-height": 0, "prev-unlock-height": 0})
	}
	unstake := func(staker, manager string, amount, first, unlock int) body.Event {
		return pox5(t, "unstake", pox5Fields{"staker": staker, "signer": manager, "amount-ustx": amount * stx,
			"first-reward-cycle": first, "unlock-cycle": unlock, "unlock-burn-height": 0})
	}
	bond := func(staker, manager string, amount, first int) body.Event {
		return pox5(t, "register-for-bond", pox5Fields{"staker": staker, "signer": manager, "amount-ustx": amount * stx, "sats-total": 5, "bond-index": 0,
			"first-reward-cycle": first, "unlock-cycle": first + 12, "unlock-burn-height": 0, "is-l1-lock": 0, "btc-lockup": 0})
	}
	move := func(staker, old, manager string, amount, first, cycles int) body.Event {
		return pox5(t, "update-bond-registration", pox5Fields{"staker": staker, "old-signer": old, "signer": manager, "bond-index": 0, "amount-ustx": amount * stx,
			"amount-sats": 5, "first-reward-cycle": first, "num-cycles": cycles, "is-l1-lock": 0})
	}
	name := map[string]string{alice: "alice", bob: "bob", carol: "carol", one: "one", two: "two"}
	for _, c := range []struct {
		what   string
		events []body.Event
		want   string // stackers behind each key: name, manager and amount in STX
	}{
		{"stakes", []body.Event{register(one, keyOne), register(two, keyTwo), stake(alice, one, 60_000, 10, 1), stake(bob, two, 70_000, 8, 3), stake(carol, one, 61_000, 9, 2)},
			"02 1 carol one 61000, 02 2 alice one 60000, 03 1 bob two 70000"},
		{"over, and not begun", []body.Event{register(one, keyOne), stake(alice, one, 60_000, 8, 2), stake(bob, one, 70_000, 11, 3)}, ""},
		{"an update", []body.Event{register(one, keyOne), register(two, keyTwo), stake(alice, one, 60_000, 8, 5), update(alice, one, two, 65_000, 10, 15)},
			"03 1 alice two 65000"},
		{"an update from the next cycle on", []body.Event{register(one, keyOne), register(two, keyTwo), stake(alice, one, 60_000, 8, 5), update(alice, one, two, 65_000, 11, 15)},
			"02 1 alice one 60000"},
		{"an extension", []body.Event{register(one, keyOne), stake(alice, one, 60_000, 8, 2), update(alice, one, one, 60_000, 9, 12)}, "02 1 alice one 60000"},
		{"ended before", []body.Event{register(one, keyOne), stake(alice, one, 60_000, 8, 9), unstake(alice, one, 60_000, 8, 10)}, ""},
		{"ends after", []body.Event{register(one, keyOne), stake(alice, one, 60_000, 8, 9), unstake(alice, one, 60_000, 8, 11)}, "02 1 alice one 60000"},
		{"ended and begun again", []body.Event{register(one, keyOne), stake(alice, one, 60_000, 8, 9), unstake(alice, one, 60_000, 8, 9), stake(alice, one, 51_000, 10, 1)},
			"02 1 alice one 51000"},
		{"a bond", []body.Event{register(one, keyOne), bond(alice, one, 60_000, 5)}, "02 1 alice one 60000"},
		{"a bond with another manager", []body.Event{register(one, keyOne), register(two, keyTwo), bond(alice, one, 60_000, 5), move(alice, one, two, 60_000, 7, 10)},
			"03 1 alice two 60000"},
		{"the last key counts", []body.Event{register(one, keyOne), stake(alice, one, 60_000, 8, 5), register(one, keyTwo)}, "03 1 alice one 60000"},
		{"a manager below the minimum", []body.Event{register(one, keyOne), stake(alice, one, 49_999, 8, 5)}, ""},
		{"two managers with one key, one of them below the minimum", []body.Event{register(one, keyOne), register(two, keyOne), stake(alice, one, 49_999, 8, 5), stake(bob, two, 50_000, 8, 5)},
			"02 1 bob two 50000"},
		{"no key", []body.Event{stake(alice, one, 60_000, 8, 5)}, ""},
		{"of another contract", []body.Event{register(one, keyOne), {Type: "contract_event", Data: map[string]any{
			"contract_identifier": alice + ".pox-5", "topic": "print", "raw_value": stake(alice, one, 60_000, 8, 5).Data["raw_value"]}}}, ""},
	} {
		set := func(b *body.Block) {
			b.Members = map[string]any{"cycle_number": 10, "reward_set": map[string]any{
				"rewarded_addresses": []any{}, "pox_ustx_threshold": nil, "start_cycle_state": map[string]any{"missed_reward_slots": []any{}},
				"signers": []any{
					map[string]any{"signing_key": hex.EncodeToString(keyOne), "stacked_amt": "2", "weight": 2},
					map[string]any{"signing_key": hex.EncodeToString(keyTwo), "stacked_amt": "1", "weight": 1},
				},
			}}
		}
		genesis := body.Block{Name: body.Genesis, Burn: "1a"}
		staking := body.Block{Name: "a1", Parent: body.Genesis, Burn: "2a"}
		for i, e := range c.events {
			staking.Transactions = append(staking.Transactions, body.Transaction{Raw: body.Account(fmt.Sprint(i)).Did(e).Raw, Events: []body.Event{e}})
		}
		// The set's block comes with a stake that is too late for it, and is announced on two forks.
		late := body.Account("late").Did(stake(body.Account("late").Address(), one, 99_000, 10, 1))
		prepare := body.Block{Name: "a2", Parent: "a1", Burn: "3a", Transactions: []body.Transaction{late}}
		other := body.Block{Name: "b2", Parent: "a1", Burn: "4a", Transactions: []body.Transaction{late}}
		set(&prepare)
		set(&other)
		posts := []replay.Post{genesis.Post(), staking.Post(), prepare.Post(), other.Post()}
		rig.InBatches(t, posts, []int{1, 100}, func(tx pgx.Tx, size int) {
			got := rig.Texts(t, tx, `
				SELECT concat_ws(' ', left(encode(g.signing_key, 'hex'), 2), s.place, s.stacker, s.pool, (s.amount / 1000000)::bigint)
				FROM {schema}.stacker s JOIN {schema}.signer g ON g.cycle_number = s.cycle_number AND g.place = s.signer ORDER BY g.place, s.place`)
			text := strings.Join(got, ", ")
			for id, short := range name {
				text = strings.ReplaceAll(text, " "+id+" ", " "+short+" ")
			}
			if text != c.want {
				t.Errorf("%s: got %s, want %s", c.what, text, c.want)
			}
			counts := strings.Join(rig.Texts(t, tx, `SELECT string_agg(solo || '+' || pooled, ' ' ORDER BY place) FROM {schema}.signer`), "")
			want := fmt.Sprintf("0+%d 0+%d", strings.Count(c.want, "02 "), strings.Count(c.want, "03 "))
			if counts != want {
				t.Errorf("%s: the signers have %s stackers, want %s", c.what, counts, want)
			}
		})
	}
}
