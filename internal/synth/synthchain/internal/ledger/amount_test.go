package ledger

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestAmountIsArithmetic(t *testing.T) {
	word := rapid.Uint64()
	rapid.Check(t, func(t *rapid.T) {
		a, b := Amount{word.Draw(t, "a.hi"), word.Draw(t, "a.lo")}, Amount{word.Draw(t, "b.hi"), word.Draw(t, "b.lo")}
		modulus := new(big.Int).Lsh(big.NewInt(1), 128)
		for _, tc := range []struct {
			name string
			got  Amount
			want *big.Int
		}{
			{"sum", a.Add(b), new(big.Int).Add(a.Big(), b.Big())},
			{"difference", a.Sub(b), new(big.Int).Sub(a.Big(), b.Big())},
			{"half", a.Half(), new(big.Int).Rsh(a.Big(), 1)},
		} {
			if want := tc.want.Mod(tc.want, modulus); tc.got.Big().Cmp(want) != 0 {
				t.Fatalf("%s of %s and %s is %s, want %s", tc.name, a, b, tc.got, want)
			}
		}
		if got, want := a.Less(b), a.Big().Cmp(b.Big()) < 0; got != want {
			t.Fatalf("%s < %s is %v", a, b, got)
		}
		if number, _ := a.Value().Int(); number.Cmp(a.Big()) != 0 {
			t.Fatalf("value of %s is %s", a, number)
		}
	})
}
