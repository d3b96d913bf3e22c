package pox_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/internal/synth/value"
	"strata/projections"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

const (
	alice = body.Account("alice")
	bob   = body.Account("bob")
	carol = body.Account("carol")
	dave  = body.Account("dave")
	pool  = body.Account("pool")
	other = body.Account("other pool")
)

const boot = "ST000000000000000000002AMW42H."

// key returns a signing key.
func key(n byte) []byte { return bytes.Repeat([]byte{n}, 33) }

// data are the fields of a print by name: numbers, accounts, keys and reward addresses.
type data map[string]any

// printed returns the event that a stacking contract prints for a stacker. locked is the amount locked before.
func printed(contract, name string, stacker body.Account, locked uint64, d data) body.Event {
	tuple := func(members data) clarity.Value {
		var pairs []any
		for member, v := range members {
			if account, ok := v.(body.Account); ok {
				v = value.Principal(account.Address())
			}
			pairs = append(pairs, member, v)
		}
		return value.Tuple(pairs...)
	}
	if n, ok := d["pays"].(int); ok {
		delete(d, "pays")
		d["pox-addr"] = tuple(data{"version": []byte{0}, "hashbytes": bytes.Repeat([]byte{byte(n)}, 20)})
	}
	if end, ok := d["end-cycle-id"].(int); ok {
		d["end-cycle-id"] = value.Some(end)
	}
	return body.Print(boot+contract, clarity.NewOk(tuple(data{
		"name": name, "stacker": stacker, "balance": uint64(1_000_000), "locked": locked, "burnchain-unlock-height": 0, "data": tuple(d),
	})))
}

func stacks(stacker body.Account, amount, start, end, pays int, signer []byte) body.Event {
	return printed("pox-4", "stack-stx", stacker, 0, data{
		"lock-amount": amount, "lock-period": end - start, "start-burn-height": 1, "unlock-burn-height": end * 100,
		"start-cycle-id": start, "end-cycle-id": end, "pays": pays, "signer-key": signer,
	})
}

func delegatedTo(by, stacker body.Account, amount, start, end, pays int) body.Event {
	return printed("pox-4", "delegate-stack-stx", stacker, 0, data{
		"lock-amount": amount, "lock-period": end - start, "start-burn-height": 1, "unlock-burn-height": end * 100, "delegator": by,
		"start-cycle-id": start, "end-cycle-id": end, "pays": pays,
	})
}

func commits(by body.Account, cycle, pays int, signer []byte) body.Event {
	return printed("pox-4", "stack-aggregation-commit-indexed", by, 0, data{
		"reward-cycle": cycle, "amount-ustx": 1, "delegator": by, "pays": pays, "signer-key": signer,
		"start-cycle-id": cycle, "end-cycle-id": cycle + 1,
	})
}

func delegates(contract string, stacker, to body.Account, amount, until int) body.Event {
	d := data{"amount-ustx": amount, "delegate-to": to, "pox-addr": clarity.NewNone(), "unlock-burn-height": clarity.NewNone()}
	if until > 0 {
		d["unlock-burn-height"] = clarity.NewSome(clarity.NewUint64(uint64(until)))
	}
	return printed(contract, "delegate-stx", stacker, 0, d)
}

func revokes(contract string, stacker, from body.Account) body.Event {
	return printed(contract, "revoke-delegate-stx", stacker, 0, data{"delegate-to": from})
}

// set returns the members of a block with a cycle's set of signers: each key with its weight.
func set(cycle int, weights map[byte]int) map[string]any {
	signers := []any{}
	for n, weight := range weights {
		signers = append(signers, map[string]any{"signing_key": hex.EncodeToString(key(n)), "stacked_amt": fmt.Sprint(weight * 1000), "weight": weight})
	}
	return map[string]any{"cycle_number": cycle, "reward_set": map[string]any{"rewarded_addresses": []any{}, "signers": signers, "pox_ustx_threshold": "1"}}
}

// line is a chain of genesis and blocks a1, a2, …, each with one transaction.
type line []body.Block

func (l *line) block(members map[string]any, events ...body.Event) {
	n := len(*l)
	b := body.Block{Name: fmt.Sprintf("a%d", n), Parent: fmt.Sprintf("a%d", n-1), Burn: fmt.Sprintf("%da", 100+n), Members: members,
		Transactions: []body.Transaction{alice.Did(events...)}}
	switch n {
	case 0:
		b.Name, b.Parent = body.Genesis, ""
	case 1:
		b.Parent = body.Genesis
	}
	*l = append(*l, b)
}

func (l *line) posts() (posts []replay.Post) {
	for _, b := range *l {
		posts = append(posts, b.Post())
	}
	return posts
}

// stackersSQL selects the stackers behind signers in order of place.
const stackersSQL = `
	SELECT concat_ws(' ', s.cycle_number, get_byte(g.signing_key, 0), s.stacker, s.amount, CASE WHEN s.pool IS NULL THEN 'solo' ELSE 'pooled' END, get_byte(s.pox_addr, 1))
	FROM {schema}.stacker s JOIN {schema}.signer g ON g.cycle_number = s.cycle_number AND g.place = s.signer
	ORDER BY s.cycle_number, s.signer, s.place`

// TestStackers checks which stackers are behind which signer in which cycle.
func TestStackers(t *testing.T) {
	t.Parallel()
	var l line
	l.block(nil)
	l.block(nil,
		stacks(alice, 1000, 10, 12, 1, key(1)),
		delegatedTo(pool, bob, 500, 10, 11, 2),
		delegatedTo(pool, carol, 700, 10, 11, 2),
		commits(pool, 10, 2, key(2)),
		delegatedTo(pool, dave, 200, 10, 11, 2), // comes after the commitment
	)
	l.block(nil,
		// Neither another pool nor another reward address of the same pool is ever committed.
		delegatedTo(other, "erin", 900, 10, 11, 2),
		delegatedTo(pool, "frank", 900, 10, 11, 3),
		printed("pox-4", "delegate-stack-increase", bob, 500, data{
			"increase-by": 250, "total-locked": 750, "delegator": pool, "pays": 2, "start-cycle-id": 10, "end-cycle-id": 11,
		}),
		commits(pool, 10, 2, key(3)),
		// Cycles locked before keep their key, whatever first cycle the extension names.
		printed("pox-4", "stack-extend", alice, 1000, data{
			"extend-count": 2, "unlock-burn-height": 1400, "pays": 1, "start-cycle-id": 10, "end-cycle-id": 14, "signer-key": key(4),
		}),
		printed("pox-4", "stack-increase", alice, 1000, data{
			"increase-by": 5, "total-locked": 1005, "pays": 1, "start-cycle-id": 11, "end-cycle-id": 14, "signer-key": key(1),
		}),
		stacks("greta", 5000, 10, 11, 9, key(9)), // her key is not in the set
	)
	l.block(set(10, map[byte]int{1: 7, 2: 9, 3: 9, 5: 1}), stacks("henry", 9000, 10, 11, 8, key(1))) // after the set was computed
	l.block(set(11, map[byte]int{1: 1}))
	l.block(set(12, map[byte]int{4: 1, 1: 2}))
	l.block(set(12, map[byte]int{1: 3})) // ignored: the cycle is known
	l.block(set(13, nil))                // nobody stacks in it
	l.block(map[string]any{"cycle_number": 14, "reward_set": map[string]any{"rewarded_addresses": []any{}, "pox_ustx_threshold": nil}})
	l.block(map[string]any{"cycle_number": 15, "reward_set": map[string]any{ // before there were signers
		"rewarded_addresses": []any{"bc1q6h0dfhzp6mmvzw5h0hlwt9zgv3ykgkjd2k5hxj"}, "pox_ustx_threshold": "1",
	}})
	tx := rig.Begin(t)
	steps := rig.Steps(t, tx, l.posts())
	rig.Fold(t, tx, steps, func() int { return 2 })
	row := func(cycle, signer int, who body.Account, amount int, kind string, pays int) string {
		return fmt.Sprintf("%d %d %s %d %s %d", cycle, signer, who.Address(), amount, kind, pays)
	}
	want := []string{
		row(10, 2, bob, 750, "pooled", 2), row(10, 2, carol, 700, "pooled", 2), row(10, 3, dave, 200, "pooled", 2), row(10, 1, alice, 1000, "solo", 1),
		row(11, 1, alice, 1005, "solo", 1),
		row(12, 4, alice, 1005, "solo", 1),
	}
	if got := rig.Texts(t, tx, stackersSQL); got[0] == row(10, 2, carol, 700, "pooled", 2) {
		t.Error("the largest amount does not come first")
	}
	foldtest.Same(t, "stackers", rig.Texts(t, tx, stackersSQL), want)
	foldtest.Same(t, "signers", rig.Texts(t, tx, `
		SELECT concat_ws(' ', cycle_number, place, get_byte(signing_key, 0), weight, stacked, solo, pooled) FROM {schema}.signer ORDER BY cycle_number, place`), []string{
		"10 1 2 9 9000 0 2", "10 2 3 9 9000 0 1", "10 3 1 7 7000 1 0", "10 4 5 1 1000 0 0",
		"11 1 1 1 1000 1 0", "12 1 1 2 2000 0 0", "12 2 4 1 1000 1 0",
	})
	foldtest.Same(t, "cycles", rig.Texts(t, tx, `SELECT concat_ws(' ', cycle_number, height, total_weight, total_stacked, total_signers) FROM {schema}.cycle ORDER BY 1`),
		[]string{"10 3 26 26000 4", "11 4 1 1000 1", "12 5 3 3000 2", "13 7 0 0 0", "14 8 0 0 0"})
	rig.Fold(t, tx, foldtest.Back(steps), func() int { return 3 })
	foldtest.Same(t, "everything reverted", rig.Dump(t, tx), nil)
}

// openSQL selects the delegations in force at the height $1.
const openSQL = `
	SELECT concat_ws(' ', contract, stacker, pool, amount, unlock_height) FROM {schema}.delegation
	WHERE height <= $1 AND (until_height IS NULL OR until_height > $1) ORDER BY contract, n`

// TestDelegations checks the delegations at every height, also after reverts.
func TestDelegations(t *testing.T) {
	t.Parallel()
	var l line
	l.block(nil)
	l.block(nil, delegates("pox-4", alice, pool, 100, 0), delegates("pox-4", bob, pool, 200, 500), delegates("pox-3", alice, other, 7, 0))
	l.block(nil, revokes("pox-4", alice, pool))
	l.block(nil, delegates("pox-4", alice, other, 300, 0), revokes("pox-4", carol, pool))
	l.block(nil, delegates("pox-4", dave, pool, 1, 0), revokes("pox-4", dave, pool), delegates("pox-4", dave, other, 2, 0))
	tx := rig.Begin(t)
	steps := rig.Steps(t, tx, l.posts())
	rig.Fold(t, tx, steps, func() int { return len(steps) })
	row := func(contract int, who, to body.Account, rest string) string {
		return fmt.Sprint(contract, " ", who.Address(), " ", to.Address(), " ", rest)
	}
	old := row(3, alice, other, "7")
	as := map[int][]string{
		0: nil,
		1: {old, row(4, alice, pool, "100"), row(4, bob, pool, "200 500")},
		2: {old, row(4, bob, pool, "200 500")},
		3: {old, row(4, bob, pool, "200 500"), row(4, alice, other, "300")},
		4: {old, row(4, bob, pool, "200 500"), row(4, alice, other, "300"), row(4, dave, other, "2")},
	}
	expect := func(what string, tx pgx.Tx, tip int) {
		t.Helper()
		for height := range tip + 1 {
			foldtest.Same(t, fmt.Sprint(what, ", delegations at ", height), rig.Texts(t, tx, openSQL, height), as[height])
		}
	}
	expect("at once", tx, 4)
	reverts := foldtest.Back(steps)
	for i := range 4 {
		rig.Fold(t, tx, reverts[i:i+1], func() int { return 1 })
		expect(fmt.Sprint(i+1, " reverted"), tx, 3-i)
		if open := rig.Texts(t, tx, `SELECT stacker FROM {schema}.delegation WHERE until_height > (SELECT max(height) FROM {schema}.block)`); len(open) > 0 {
			t.Errorf("%d reverted: delegations of %v end above the tip", i+1, open)
		}
	}
	replay.End(t, tx)
	one := rig.Begin(t)
	rig.FoldPosts(t, one, l.posts(), 1)
	expect("one by one", one, 4)
}

// TestEvents checks that events are numbered by contract and by stacker, and that other prints are left out.
func TestEvents(t *testing.T) {
	t.Parallel()
	var l line
	l.block(nil)
	refused := body.Print(boot+"pox-4", clarity.NewErr(clarity.NewUint64(3)))
	strange := body.Print(boot+"pox-4", clarity.NewOk(clarity.NewUint64(3)))
	elsewhere := delegates("pox-4", alice, pool, 1, 0)
	elsewhere.Data["contract_identifier"] = alice.Contract("pox-4")
	first := body.Print(boot+"pox", clarity.NewOk(clarity.NewUint64(3)))
	undone := delegates("pox-4", alice, pool, 1, 0)
	undone.Uncommitted = true
	l.block(nil, delegates("pox-4", alice, pool, 1, 0), refused, strange, elsewhere, first, undone, delegates("pox-2", bob, pool, 1, 0), revokes("pox-4", bob, pool))
	l.block(nil, revokes("pox-4", alice, pool))
	tx := rig.Begin(t)
	outcome := rig.FoldPosts(t, tx, l.posts(), 1)
	foldtest.Same(t, "events", rig.Texts(t, tx, `SELECT concat_ws(' ', contract, n, stacker, stacker_n, height, tx_index, event_index) FROM {schema}.event ORDER BY contract, n`), []string{
		"2 1 " + bob.Address() + " 1 1 0 5", "4 1 " + alice.Address() + " 1 1 0 0", "4 2 " + bob.Address() + " 1 1 0 6", "4 3 " + alice.Address() + " 2 2 0 0",
	})
	if outcome.Tip == nil || outcome.Tip.Height != 2 || outcome.Tip.BurnBlockHeight != 102 {
		t.Errorf("got the tip %+v, want height 2", outcome.Tip)
	}
}

// TestTouched checks which shards each step touches.
func TestTouched(t *testing.T) {
	t.Parallel()
	var l line
	l.block(nil)
	l.block(nil, delegates("pox-4", alice, pool, 1, 0))
	l.block(set(10, map[byte]int{1: 1}))
	l.block(nil)
	posts := append(l.posts(), body.BurnBlock{Name: "104a", Members: map[string]any{
		"reward_recipients": []any{map[string]any{"recipient": "paid", "amt": 5}}, "reward_slot_holders": []any{"holder"},
	}}.Post())
	tx := rig.Begin(t)
	steps := rig.Steps(t, tx, posts)
	all := append(steps, foldtest.Back(steps)...)
	names := []string{"stacking:4", "stacking:3", "cycles", "bitcoin", "bitcoin:paid", "bitcoin:holder", "bitcoin:nobody"}
	want := []string{"", "stacking:4", "cycles", "", "bitcoin bitcoin:paid bitcoin:holder", "", "cycles", "stacking:4", "", "bitcoin bitcoin:paid bitcoin:holder"}
	if len(all) != len(want) {
		t.Fatalf("got %d steps, want %d", len(all), len(want))
	}
	for i, step := range all {
		outcome := rig.Fold(t, tx, []projections.Step{step}, func() int { return 1 })
		var got []string
		for _, name := range names {
			if outcome.Touched.Includes(name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want[i] {
			t.Errorf("step %d, %s: touched %v, want %s", i, step.Kind, got, want[i])
		}
	}
}
