package pox_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

const (
	stacker  = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"
	operator = "SP2GKVKM12JZ0YW3ZJH3GMBJYGVNM0BS94ERA45AM"
)

// tuple returns a tuple of alternating names and values. An int becomes a uint, text that starts with SP a principal,
// other text a string-ascii, bytes a buffer, and nil none.
func tuple(pairs ...any) clarity.Value {
	for i, v := range pairs {
		if text, ok := v.(string); ok && strings.HasPrefix(text, "SP") {
			pairs[i] = value.Principal(text)
		}
	}
	return value.Tuple(pairs...)
}

func rewardAddress() clarity.Value {
	return tuple("hashbytes", make([]byte, 20), "version", []byte{0})
}

func event(name string, data clarity.Value) clarity.Value {
	return clarity.NewOk(tuple("name", name, "stacker", stacker, "balance", 1000, "locked", 100,
		"burnchain-unlock-height", 7, "data", data))
}

func TestDecode(t *testing.T) {
	address := rewardAddress()
	const zeroAddress = "1111111111111111111114oLvT2"
	const zeroRaw = "0x000000000000000000000000000000000000000000"
	type base struct{ locked, balance, unlock string }
	key := []byte{2, 3}
	for _, tc := range []struct {
		name string
		data clarity.Value
		base base
		want string // data
	}{
		{"handle-unlock", tuple("first-cycle-locked", 1, "first-unlocked-cycle", 2, "pox-addr", address),
			base{"100", "1100", "7"}, `{"first_cycle_locked":"1","first_unlocked_cycle":"2"}`},
		{"stack-stx", tuple("lock-amount", 300, "lock-period", 2, "start-burn-height", 5, "unlock-burn-height", 9, "pox-addr", address),
			base{"300", "700", "9"}, `{"lock_amount":"300","lock_period":"2","start_burn_height":"5","unlock_burn_height":"9","signer_key":null,"end_cycle_id":null,"start_cycle_id":null}`},
		{"stack-stx", tuple("lock-amount", 3000, "lock-period", 2, "start-burn-height", 5, "unlock-burn-height", 9, "pox-addr", clarity.NewSome(address),
			"signer-key", clarity.NewSome(must.Get(clarity.NewBuffer(key))(t)), "signer-sig", nil, "max-amount", 1, "auth-id", nil, "start-cycle-id", 3, "end-cycle-id", clarity.NewSome(clarity.NewUint64(4))),
			base{"3000", "0", "9"}, `{"lock_amount":"3000","lock_period":"2","start_burn_height":"5","unlock_burn_height":"9","signer_key":"0x0203","end_cycle_id":"4","start_cycle_id":"3"}`},
		{"stack-increase", tuple("increase-by", 50, "total-locked", 150, "pox-addr", address, "signer-key", key),
			base{"150", "950", "7"}, `{"increase_by":"50","total_locked":"150","signer_key":"0x0203","end_cycle_id":null,"start_cycle_id":null}`},
		{"stack-extend", tuple("extend-count", 1, "unlock-burn-height", 9, "pox-addr", address, "start-cycle-id", nil),
			base{"100", "1000", "9"}, `{"extend_count":"1","unlock_burn_height":"9","signer_key":null,"end_cycle_id":null,"start_cycle_id":null}`},
		{"delegate-stx", tuple("amount-ustx", 8, "delegate-to", operator, "unlock-burn-height", clarity.NewSome(clarity.NewUint64(9)), "pox-addr", clarity.NewSome(address)),
			base{"100", "1000", "9"}, `{"amount_ustx":"8","delegate_to":"` + operator + `","unlock_burn_height":"9","end_cycle_id":null,"start_cycle_id":null}`},
		{"delegate-stack-stx", tuple("lock-amount", 300, "lock-period", 2, "start-burn-height", 5, "unlock-burn-height", 9, "pox-addr", address, "delegator", operator, "stacker", stacker),
			base{"300", "700", "9"}, `{"lock_amount":"300","lock_period":"2","start_burn_height":"5","unlock_burn_height":"9","delegator":"` + operator + `","end_cycle_id":null,"start_cycle_id":null}`},
		{"delegate-stack-increase", tuple("increase-by", 5000, "total-locked", 150, "pox-addr", address, "delegator", operator+".pool"),
			base{"5100", "0", "7"}, `{"increase_by":"5000","total_locked":"150","delegator":"` + operator + `.pool","end_cycle_id":null,"start_cycle_id":null}`},
		{"delegate-stack-extend", tuple("extend-count", 1, "unlock-burn-height", 9, "pox-addr", address, "delegator", operator),
			base{"100", "1000", "9"}, `{"extend_count":"1","unlock_burn_height":"9","delegator":"` + operator + `","end_cycle_id":null,"start_cycle_id":null}`},
		{"stack-aggregation-commit", tuple("reward-cycle", 4, "amount-ustx", 8, "pox-addr", address, "delegator", operator, "signer-key", key),
			base{"100", "1000", "7"}, `{"reward_cycle":"4","amount_ustx":"8","signer_key":"0x0203","end_cycle_id":null,"start_cycle_id":null}`},
		{"stack-aggregation-commit-indexed", tuple("reward-cycle", 4, "amount-ustx", 8, "pox-addr", address, "delegator", operator),
			base{"100", "1000", "7"}, `{"reward_cycle":"4","amount_ustx":"8","signer_key":null,"end_cycle_id":null,"start_cycle_id":null}`},
		{"stack-aggregation-increase", tuple("reward-cycle", 4, "reward-cycle-index", 0, "amount-ustx", 8, "pox-addr", address, "delegator", operator, "signer-key", key),
			base{"100", "1000", "7"}, `{"reward_cycle":"4","amount_ustx":"8","end_cycle_id":null,"start_cycle_id":null}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, ok, err := pox.Decode(event(tc.name, tc.data))
			if err != nil || !ok {
				t.Fatalf("Decode: %t, %v", ok, err)
			}
			want := `{"name":"` + tc.name + `","stacker":"` + stacker + `","locked":"` + tc.base.locked + `","balance":"` + tc.base.balance +
				`","burnchain_unlock_height":"` + tc.base.unlock + `","pox_addr":"` + zeroAddress + `","pox_addr_raw":"` + zeroRaw + `","data":` + tc.want + `}`
			if got, err := e.JSON(bitcoin.Mainnet); err != nil || string(got) != want {
				t.Errorf("got %s, %v\nwant %s", got, err, want)
			}
		})
	}
}

func TestDecodeWithoutAddress(t *testing.T) {
	for _, tc := range []struct {
		name, event string
		data        clarity.Value
		raw         string
	}{
		{"delegation without address", "delegate-stx", tuple("amount-ustx", 8, "delegate-to", operator, "unlock-burn-height", nil, "pox-addr", nil), "null"},
		{"revocation", "revoke-delegate-stx", tuple("delegate-to", operator, "start-cycle-id", 3, "end-cycle-id", nil), "null"},
		{"tuple that is not an address", "handle-unlock", tuple("first-cycle-locked", 1, "first-unlocked-cycle", 2,
			"pox-addr", tuple("hashbytes", []byte{1}, "version", []byte{9})), `"0x0901"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, ok, err := pox.Decode(event(tc.event, tc.data))
			if err != nil || !ok {
				t.Fatalf("Decode: %t, %v", ok, err)
			}
			got, err := e.JSON(bitcoin.Mainnet)
			if want := `"pox_addr":null,"pox_addr_raw":` + tc.raw; err != nil || !strings.Contains(string(got), want) {
				t.Errorf("got %s, %v, want %s in it", got, err, want)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	complete := tuple("first-cycle-locked", 1, "first-unlocked-cycle", 2, "pox-addr", rewardAddress())
	for _, tc := range []struct {
		name string
		in   clarity.Value
	}{
		{"zero value", clarity.Value{}},
		{"not a response", clarity.NewNone()},
		{"not a tuple", clarity.NewOk(clarity.NewNone())},
		{"unknown name", event("stack-everything", complete)},
		{"no stacker", clarity.NewOk(tuple("name", "handle-unlock", "balance", 1, "locked", 1, "burnchain-unlock-height", 1, "data", complete))},
		{"no balance", clarity.NewOk(tuple("name", "handle-unlock", "stacker", stacker, "locked", 1, "burnchain-unlock-height", 1, "data", complete))},
		{"balance as text", clarity.NewOk(tuple("name", "handle-unlock", "stacker", stacker, "balance", "1", "locked", 1, "burnchain-unlock-height", 1, "data", complete))},
		{"balance as int", clarity.NewOk(tuple("name", "handle-unlock", "stacker", stacker, "balance", clarity.NewInt64(-1), "locked", 1, "burnchain-unlock-height", 1, "data", complete))},
		{"no data", clarity.NewOk(tuple("name", "handle-unlock", "stacker", stacker, "balance", 1, "locked", 1, "burnchain-unlock-height", 1))},
		{"missing field", event("handle-unlock", tuple("first-cycle-locked", 1, "pox-addr", rewardAddress()))},
		{"none for a required field", event("handle-unlock", tuple("first-cycle-locked", 1, "first-unlocked-cycle", nil, "pox-addr", rewardAddress()))},
		{"missing address", event("handle-unlock", tuple("first-cycle-locked", 1, "first-unlocked-cycle", 2))},
		{"address of two versions", event("handle-unlock", tuple("first-cycle-locked", 1, "first-unlocked-cycle", 2, "pox-addr", tuple("version", []byte{1, 2}, "hashbytes", []byte{1})))},
		{"signer key as number", event("stack-increase", tuple("increase-by", 50, "total-locked", 150, "pox-addr", rewardAddress(), "signer-key", 1))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if e, ok, err := pox.Decode(tc.in); ok || !errors.Is(err, pox.ErrEvent) {
				t.Errorf("got %+v, %t, %v, want %v", e, ok, err, pox.ErrEvent)
			}
		})
	}
	if e, ok, err := pox.Decode(clarity.NewErr(clarity.NewInt64(24))); ok || err != nil {
		t.Errorf("failed call: got %+v, %t, %v, want no event", e, ok, err)
	}
}

func TestVersion(t *testing.T) {
	for text, want := range map[string]int{
		"SP000000000000000000002Q6VF78.pox":   1,
		"SP000000000000000000002Q6VF78.pox-4": 4,
		"ST000000000000000000002AMW42H.pox-2": 2,
		"ST000000000000000000002AMW42H.pox-5": 5,
		"SP000000000000000000002Q6VF78.pox-6": 0,
		"SP000000000000000000002Q6VF78":       0,
		stacker + ".pox-4":                    0,
	} {
		p := must.Get(clarity.ParsePrincipal(text))(t)
		if got, ok := pox.Version(p); got != want || ok != (want > 0) {
			t.Errorf("Version(%s) = %d, %t, want %d", text, got, ok, want)
		}
	}
}

func TestDecodePrint(t *testing.T) {
	lockup := tuple("type", "l1", "txs", clarity.NewSome(must.Get(clarity.NewList(tuple("vout", 1), tuple("vout", 2)))(t)))
	v := tuple("topic", "register-for-bond", "signer", operator+".signer", "staker", stacker, "amount-ustx", 1, "sats-total", 2,
		"bond-index", 3, "first-reward-cycle", 4, "unlock-burn-height", clarity.NewSome(clarity.NewUint64(5)), "unlock-cycle", nil,
		"is-l1-lock", true, "btc-lockup", lockup)
	p, err := pox.DecodePrint(v)
	if err != nil || p.Topic != "register-for-bond" {
		t.Fatalf("got %+v, %v", p, err)
	}
	if n, ok := p.Uint("amount-ustx"); !ok || n.Int64() != 1 {
		t.Errorf("amount-ustx = %v, %t", n, ok)
	}
	if n, ok := p.Uint("unlock-burn-height"); !ok || n.Int64() != 5 {
		t.Errorf("unlock-burn-height = %v, %t", n, ok)
	}
	for _, field := range []string{"unlock-cycle", "staker", "nothing"} {
		if n, ok := p.Uint(field); ok {
			t.Errorf("Uint(%s) = %v, want none", field, n)
		}
	}
	if staker, ok := p.Principal("staker"); !ok || staker.String() != stacker {
		t.Errorf("staker = %s, %t", staker, ok)
	}
	if yes, ok := p.Bool("is-l1-lock"); !ok || !yes {
		t.Errorf("is-l1-lock = %t, %t", yes, ok)
	}
	if b, ok := p.Buffer("staker"); ok {
		t.Errorf("Buffer(staker) = %x, want none", b)
	}
	const want = `{"topic":"register-for-bond","data":{"amount_ustx":"1","bond_index":"3","btc_lockup":{"txs":[{"vout":"1"},{"vout":"2"}],"type":"l1"},` +
		`"first_reward_cycle":"4","is_l1_lock":true,"sats_total":"2","signer":"` + operator + `.signer","staker":"` + stacker + `","unlock_burn_height":"5","unlock_cycle":null}}`
	if got, err := json.Marshal(p); err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if p, err := pox.DecodePrint(tuple("topic", "pause-rewards")); err != nil {
		t.Errorf("print with only a topic: %+v, %v", p, err)
	}
	for name, v := range map[string]clarity.Value{
		"zero value":    {},
		"not a tuple":   clarity.NewBool(true),
		"no topic":      tuple("staker", stacker),
		"unknown topic": tuple("topic", "unknown"),
		"missing field": tuple("topic", "grant-signer-key", "signer-key", []byte{1}, "signer-manager", stacker),
	} {
		if p, err := pox.DecodePrint(v); !errors.Is(err, pox.ErrEvent) {
			t.Errorf("%s: %+v, %v, want %v", name, p, err, pox.ErrEvent)
		}
	}
}

func TestAddressVectors(t *testing.T) {
	vector.Each(t, "pox_addresses.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			TupleHex string `json:"tuple_hex"`
			Mainnet  string
		}](t, row)
		v := decoded(t, want.TupleHex)
		p, err := pox.Address(v)
		if err != nil || p == nil {
			t.Fatalf("Address = %v, %v", p, err)
		}
		if got, ok := p.Text(bitcoin.Mainnet); !ok || got != want.Mainnet {
			t.Errorf("Text = %s, %t, want %s", got, ok, want.Mainnet)
		}
		if again, err := pox.AddressValue(*p); err != nil || !again.Equal(v) {
			t.Errorf("AddressValue = %s, %v, want %s", again.Hex(), err, want.TupleHex)
		}
	})
}

func TestEventVectors(t *testing.T) {
	vector.Each(t, "pox_events.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			Hex   string
			Event map[string]any
		}](t, row)
		e, ok, err := pox.Decode(decoded(t, want.Hex))
		if err != nil || !ok {
			t.Fatalf("Decode: %t, %v", ok, err)
		}
		addresses, _ := want.Event["pox_addr"].(map[string]any)
		for name, network := range map[string]bitcoin.Network{"mainnet": bitcoin.Mainnet, "testnet": bitcoin.Testnet, "regtest": bitcoin.Regtest} {
			want.Event["pox_addr"] = addresses[name]
			b := must.Get(e.JSON(network))(t)
			if got := must.Get(object(b))(t); !reflect.DeepEqual(got, want.Event) {
				t.Errorf("%s: got %v, want %v", name, got, want.Event)
			}
		}
	})
}

func object(b []byte) (m map[string]any, err error) { return m, json.Unmarshal(b, &m) }

func decoded(tb testing.TB, s string) clarity.Value {
	tb.Helper()
	return must.Get(clarity.DecodeAll(vector.Bytes(tb, s)))(tb)
}

func FuzzDecode(f *testing.F) {
	f.Add(event("handle-unlock", tuple("first-cycle-locked", 1, "first-unlocked-cycle", 2, "pox-addr", rewardAddress())).Raw())
	f.Add(event("revoke-delegate-stx", tuple("delegate-to", operator)).Raw())
	f.Add(tuple("topic", "register-signer", "signer", operator, "signer-key", []byte{1}).Raw())
	f.Fuzz(func(t *testing.T, b []byte) {
		v, _, err := clarity.Decode(b)
		if err != nil {
			return
		}
		if e, ok, err := pox.Decode(v); err == nil && ok {
			if js, err := e.JSON(bitcoin.Regtest); err != nil || !json.Valid(js) {
				t.Errorf("JSON of %+v = %s, %v", e, js, err)
			}
		} else if err != nil && !errors.Is(err, pox.ErrEvent) {
			t.Errorf("%s: %v", v.Repr(), err)
		}
		if p, err := pox.DecodePrint(v); err == nil {
			if js, err := json.Marshal(p); err != nil {
				t.Errorf("JSON of %s = %s, %v", v.Repr(), js, err)
			}
		}
	})
}
