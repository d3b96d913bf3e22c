package synthchain

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestU128IsArithmetic(t *testing.T) {
	word := rapid.Uint64()
	rapid.Check(t, func(t *rapid.T) {
		a, b := u128{word.Draw(t, "a.hi"), word.Draw(t, "a.lo")}, u128{word.Draw(t, "b.hi"), word.Draw(t, "b.lo")}
		modulus := new(big.Int).Lsh(big.NewInt(1), 128)
		for _, tc := range []struct {
			name string
			got  u128
			want *big.Int
		}{
			{"sum", a.add(b), new(big.Int).Add(a.big(), b.big())},
			{"difference", a.sub(b), new(big.Int).Sub(a.big(), b.big())},
			{"half", a.half(), new(big.Int).Rsh(a.big(), 1)},
		} {
			if want := tc.want.Mod(tc.want, modulus); tc.got.big().Cmp(want) != 0 {
				t.Fatalf("%s of %s and %s is %s, want %s", tc.name, a, b, tc.got, want)
			}
		}
		if got, want := a.less(b), a.big().Cmp(b.big()) < 0; got != want {
			t.Fatalf("%s < %s is %v", a, b, got)
		}
		if number, _ := uintValue(a).Int(); number.Cmp(a.big()) != 0 {
			t.Fatalf("value of %s is %s", a, number)
		}
	})
}
