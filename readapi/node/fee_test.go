package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/internal/testkit/check"
)

var hundred = fullness{100, 100, 100, 100, 100, 100}

// tenuresOf returns the blocks of tenures, oldest first. Each tenure has the given number of blocks, and in one
// dimension the use that took has for it.
func tenuresOf(dimension int, blocks int, took ...int64) (tenures []feeBlock) {
	for _, all := range took {
		for i := range blocks {
			b := feeBlock{height: int64(len(tenures)), seq: int64(len(tenures)) + 1000, begins: i == 0}
			if i == blocks-1 {
				b.took[dimension] = all
			}
			tenures = append(tenures, b)
		}
	}
	return tenures
}

func TestMarket(t *testing.T) {
	t.Parallel()
	for dimension := range hundred {
		for _, tc := range []struct {
			name   string
			blocks []feeBlock
			want   market
		}{
			{"nothing is known", nil, marketUnknown},
			{"the current tenure begins before", tenuresOf(dimension, 3, 0)[1:], marketUnknown},
			{"too few tenures", tenuresOf(dimension, 3, 100, 100, 100, 100, 100), marketNone},
			{"just enough tenures, all full", tenuresOf(dimension, 3, 100, 100, 100, 100, 100, 100), marketFull},
			{"the oldest of five is incomplete", tenuresOf(dimension, 3, 100, 100, 100, 100, 100, 100)[1:], marketNone},
			{"the current tenure has room", tenuresOf(dimension, 5, 100, 100, 100, 100, 100, 49), marketNone},
			{"the current tenure is half full", tenuresOf(dimension, 5, 100, 100, 100, 100, 100, 50), marketFull},
			{"the current tenure is too young to count", tenuresOf(dimension, 4, 100, 100, 100, 100, 100, 0), marketFull},
			{"just below the threshold", tenuresOf(dimension, 1, 90, 90, 90, 90, 89, 100), marketNone},
			{"at the threshold", tenuresOf(dimension, 1, 90, 90, 90, 90, 90, 100), marketFull},
			// (1·0 + 2·100 + 3·100 + 4·100 + 5·100) / 15 = 93.3
			{"the oldest counts least", tenuresOf(dimension, 1, 0, 100, 100, 100, 100, 100), marketFull},
			// (1·100 + … + 4·100 + 5·0) / 15 = 66.7
			{"the newest counts most", tenuresOf(dimension, 1, 100, 100, 100, 100, 0, 100), marketNone},
			{"older tenures do not count", tenuresOf(dimension, 1, 0, 0, 90, 90, 90, 90, 90, 100), marketFull},
		} {
			check.Equal(t, fmt.Sprintf("dimension %d: %s", dimension, tc.name), marketOf(tc.blocks, hundred), tc.want)
		}
	}
}

// A block that uses more never turns a full market into one with room.
func TestMarketRises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (b feeBlock) {
			b.begins = rapid.IntRange(0, 2).Draw(t, "begins") == 0
			for i := range b.took {
				b.took[i] = rapid.Int64Range(0, 60).Draw(t, "took")
			}
			return b
		}), 1, 40).Draw(t, "blocks")
		before := marketOf(blocks, hundred)
		i := rapid.IntRange(0, len(blocks)-1).Draw(t, "block")
		blocks[i].took[rapid.IntRange(0, len(hundred)-1).Draw(t, "dimension")] += rapid.Int64Range(0, 100).Draw(t, "more")
		if after := marketOf(blocks, hundred); after < before {
			t.Fatalf("%d became %d when block %d took more", before, after, i)
		}
	})
}

// An updated window equals the one that a full read would return.
func TestJoinBlocks(t *testing.T) {
	t.Parallel()
	all := tenuresOf(0, 10, 1, 2, 3, 4)
	if got, ok := joinBlocks(all[:30], all[20:]); !ok || !reflect.DeepEqual(got, all) {
		t.Errorf("new blocks: got %v, %v", got, ok)
	}
	if got, ok := joinBlocks(all, all[20:]); !ok || !reflect.DeepEqual(got, all) {
		t.Errorf("no new blocks: got %v, %v", got, ok)
	}
	fork := slices.Clone(all[20:30])
	for i := 5; i < len(fork); i++ {
		fork[i].seq += 5000
	}
	before := slices.Clone(all)
	if got, ok := joinBlocks(all, fork); !ok || !reflect.DeepEqual(got, append(slices.Clone(all[:20]), fork...)) {
		t.Errorf("a reorganisation within the window: got %v, %v", got, ok)
	}
	if !reflect.DeepEqual(all, before) {
		t.Error("joinBlocks changed the window that it was given")
	}
	deep := slices.Clone(all[20:30])
	deep[0].seq = 7
	for name, read := range map[string][]feeBlock{"deeper": deep, "a gap": {{height: 41, seq: 1041}}, "nothing": nil, "below": {{height: -1}}} {
		if got, ok := joinBlocks(all, read); ok {
			t.Errorf("%s: got %v", name, got)
		}
	}
	var long []feeBlock
	for h := range int64(feeBlocksMax + 10) {
		long = append(long, feeBlock{height: h, seq: h})
	}
	if got, ok := joinBlocks(long[:feeBlocksMax], long[feeBlocksMax-8:]); !ok || len(got) != feeBlocksMax || got[0].height != 10 {
		t.Errorf("long window: got %d blocks, want %d", len(got), feeBlocksMax)
	}
}

func TestLeastFee(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		body string
		want uint64
		ok   bool
	}{
		{`{"transaction_payload":"aabbcc"}`, 3, true},
		{`{"transaction_payload":"0xaabbcc"}`, 3, true},
		{`{"transaction_payload":"aabbcc","estimated_len":null}`, 3, true},
		{`{"transaction_payload":"aabbcc","estimated_len":2}`, 3, true},
		{`{"transaction_payload":"aabbcc","estimated_len":350}`, 350, true},
		{`{"transaction_payload":""}`, 0, true},
		{`{"estimated_len":350}`, 0, false},
		{`{"transaction_payload":7}`, 0, false},
		{`{"transaction_payload":"aa","estimated_len":-1}`, 0, false},
		{`[]`, 0, false},
		{``, 0, false},
	} {
		if got, ok := leastFee([]byte(tc.body)); got != tc.want || ok != tc.ok {
			t.Errorf("%s: got %d, %v; want %d, %v", tc.body, got, ok, tc.want, tc.ok)
		}
	}
}

// Only the fees of estimates are replaced; every other byte stays.
func TestReplaceFees(t *testing.T) {
	t.Parallel()
	add := func(fee uint64) uint64 { return fee + 1 }
	for _, tc := range []struct{ answer, want string }{
		{`{"estimations":[{"fee_rate":1.0,"fee":10},{ "fee" : 18446744073709551614 , "fee_rate":2e0}] }`, `{"estimations":[{"fee_rate":1.0,"fee":11},{ "fee" : 18446744073709551615 , "fee_rate":2e0}] }`},
		{`{"fee":1,"x":{"estimations":[{"fee":1}]},"estimations":[{"fee":1,"more":{"fee":1}}]}`, `{"fee":1,"x":{"estimations":[{"fee":1}]},"estimations":[{"fee":2,"more":{"fee":1}}]}`},
		{`{"estimations":[]}`, ""},
		{`{"estimations":[{"fee":1}`, ""},
		{`{"estimations":[{"fee":-1}]}`, ""},
		{`{"estimations":[{"fee":1.5}]}`, ""},
		{`{"estimations":[{"fee":18446744073709551616}]}`, ""},
		{`{"estimations":[{"fee":"1"}]}`, ""},
		{`no JSON`, ""},
		{``, ""},
	} {
		got, ok := replaceFees([]byte(tc.answer), add)
		if want := tc.want; ok != (want != "") || ok && string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", tc.answer, got, ok, want)
		}
	}
}

func FuzzReplaceFees(f *testing.F) {
	f.Add([]byte(`{"estimations":[{"fee_rate":1.0,"fee":10},{"fee":20}]}`))
	f.Add([]byte(`{"estimations":{"a":{"fee":1}}} {"estimations":[{"fee":2}]}`))
	f.Add([]byte(`{"estim\u0061tions":[{"fee":1}]`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		before := bytes.Clone(answer)
		same, ok := replaceFees(answer, func(fee uint64) uint64 { return fee })
		if !bytes.Equal(answer, before) {
			t.Fatal("replaceFees changed the answer that it was given")
		}
		if !ok {
			return
		}
		if !bytes.Equal(same, answer) {
			t.Fatalf("answer %q with the same fees became %q", answer, same)
		}
		other, ok := replaceFees(answer, func(uint64) uint64 { return 7 })
		if !ok {
			t.Fatalf("answer %q: the fees can be read, but not replaced", answer)
		}
		again, ok := replaceFees(other, func(fee uint64) uint64 {
			if fee != 7 {
				t.Fatalf("answer %q became %q, which still has the fee %d", answer, other, fee)
			}
			return fee
		})
		if !ok || !bytes.Equal(again, other) {
			t.Fatalf("%q became %q", other, again)
		}
	})
}

func FuzzLeastFee(f *testing.F) {
	f.Add("00ff", uint64(7))
	f.Add("0x", uint64(0))
	f.Fuzz(func(t *testing.T, payload string, length uint64) {
		text, err := json.Marshal(payload)
		if err != nil {
			t.Skip(err)
		}
		got, ok := leastFee(fmt.Appendf(nil, `{"transaction_payload":%s,"estimated_len":%d}`, text, length))
		if !ok || got < length {
			t.Fatalf("payload %q, length %d: got %d, %v", payload, length, got, ok)
		}
		if _, ok := leastFee([]byte(payload)); ok && !strings.Contains(payload, "payload") && !strings.Contains(payload, `\u`) {
			t.Fatalf("request %q: got a fee without a payload", payload)
		}
	})
}
