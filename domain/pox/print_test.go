package pox_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"testing"

	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

func TestPrintVectors(t *testing.T) {
	topics := map[string]bool{}
	vector.Each(t, "pox5_events.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			Hex   string
			Event struct {
				Name string
				Data map[string]any
			}
		}](t, row)
		p := must.Get(pox.DecodePrint(decoded(t, want.Hex)))(t)
		topics[p.Topic] = true
		b := must.Get(json.Marshal(p))(t)
		got := vector.Decode[struct {
			Topic string
			Data  map[string]any
		}](t, b)
		if got.Topic != want.Event.Name || !reflect.DeepEqual(got.Data, want.Event.Data) {
			t.Errorf("got %s %v, want %v", got.Topic, got.Data, want.Event)
		}
	})
	if len(topics) != 19 {
		t.Errorf("the vectors have %d topics, want all 19", len(topics))
	}
}

func TestTopic(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   clarity.Value
		want string
	}{
		{"known", tuple("topic", "pause-rewards"), "pause-rewards"},
		{"unknown", tuple("topic", "mint-money", "amount", 1), "mint-money"},
		{"number", tuple("topic", 1), ""},
		{"no tuple", clarity.NewNone(), ""},
		{"zero value", clarity.Value{}, ""},
	} {
		if got, ok := pox.Topic(tc.in); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: got %q, %t, want %q", tc.name, got, ok, tc.want)
		}
	}
}

// The amounts are those of a calculation that the contract itself made.
func TestEarned(t *testing.T) {
	for _, tc := range []struct{ shares, perToken, want string }{
		{"20000000", "1000000000000000", "20000"},
		{"75000000000", "906666666666", "67999"},
		{"0", "906666666666", "0"},
		{"340282366920938463463374607431768211455", "340282366920938463463374607431768211455", "115792089237316195423570985008687907852589419931798687112530"},
	} {
		shares, _ := new(big.Int).SetString(tc.shares, 10)
		perToken, _ := new(big.Int).SetString(tc.perToken, 10)
		if got := pox.Earned(shares, perToken); got.String() != tc.want {
			t.Errorf("Earned(%s, %s) = %s, want %s", tc.shares, tc.perToken, got, tc.want)
		}
	}
}

func TestClock(t *testing.T) {
	c := pox.MainnetClock
	for height, want := range map[int64]int64{666049: -1, 666050: 0, 668149: 0, 668150: 1, 962149: 140, 962150: 141, 0: -318} {
		if got := c.Cycle(height); got != want {
			t.Errorf("Cycle(%d) = %d, want %d", height, got, want)
		}
	}
	if start, prepare := c.Start(pox.MainnetFirstStakingCycle), c.PrepareStart(pox.MainnetFirstStakingCycle-1); start != 962150 || prepare != 962050 {
		t.Errorf("cycle 141 begins at %d, after a prepare phase from %d on", start, prepare)
	}
}

func FuzzDecodePrint(f *testing.F) {
	f.Add(tuple("topic", "register-signer", "signer", operator, "signer-key", []byte{1}).Raw())
	f.Add(tuple("topic", "pause-rewards").Raw())
	f.Add(tuple("topic", "claim-staker-rewards-for-signer", "signer-manager", operator, "staker", stacker, "reward-cycle", 1, "bond-index", nil, "rewards-claimed", 7).Raw())
	f.Add(tuple("topic", "unknown").Raw())
	f.Fuzz(func(t *testing.T, b []byte) {
		v, _, err := clarity.Decode(b)
		if err != nil {
			return
		}
		p, err := pox.DecodePrint(v)
		if err != nil {
			if !errors.Is(err, pox.ErrEvent) {
				t.Errorf("%s: %v", v.Repr(), err)
			}
			return
		}
		if topic, ok := pox.Topic(v); !ok || topic != p.Topic {
			t.Errorf("%s: got the topic %q, and then %q", v.Repr(), p.Topic, topic)
		}
		if js, err := json.Marshal(p); err != nil || !json.Valid(js) {
			t.Errorf("JSON of %s = %s, %v", v.Repr(), js, err)
		}
	})
}
