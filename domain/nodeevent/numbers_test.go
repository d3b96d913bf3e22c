package nodeevent_test

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/nodeevent"
)

var decimal = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?0*([0-9]+))?$`)

// TestNumbers reads numbers in all their forms, also in those that JavaScript writes, into fields of 16, 64, 128 and 256 bits. What
// counts is the number as math/big reads it, unless it would take too much work.
func TestNumbers(t *testing.T) {
	t.Parallel()
	check := func(t rapid.TB, text string) {
		var want *big.Int
		parts := decimal.FindStringSubmatch(text)
		if parts != nil && len(parts[1]) <= 156 && (len(parts[3]) < 2 || len(parts[3]) == 2 && parts[3] <= "78") {
			if r, _ := new(big.Rat).SetString(text); r.IsInt() {
				want = r.Num()
			}
		}
		for _, value := range []string{`"` + text + `"`, text} {
			if !json.Valid([]byte(value)) {
				continue
			}
			for _, c := range []struct {
				bits int
				body string
				got  func(*nodeevent.Block) *big.Int
			}{
				{256, block(`"transactions":[` + tx("aa", `"burnchain_op":{"transfer_stx":{"transfered_ustx":`+value+`}}`) + `]`),
					func(b *nodeevent.Block) *big.Int { return b.Transactions[0].BurnchainOp.TransferSTX.Amount }},
				{128, block(`"reward_set":{"pox_ustx_threshold":` + value + `}`), func(b *nodeevent.Block) *big.Int { return b.RewardSet.PoxThreshold }},
				{64, block(`"tenure_height":` + value), func(b *nodeevent.Block) *big.Int { return new(big.Int).SetUint64(*b.TenureHeight) }},
				{16, block(`"parent_microblock_sequence":` + value), func(b *nodeevent.Block) *big.Int { return big.NewInt(int64(*b.ParentMicroblockSequence)) }},
			} {
				payload, err := nodeevent.Decode("/new_block", []byte(c.body))
				if fits := want != nil && want.BitLen() <= c.bits; fits != (err == nil) {
					t.Fatalf("%d bits: %s is read with %v, want %v", c.bits, value, err, want)
				} else if b, ok := payload.(*nodeevent.Block); ok && c.got(b).Cmp(want) != 0 {
					t.Fatalf("%d bits: %s is read as %v, want %v", c.bits, value, c.got(b), want)
				}
			}
		}
	}
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for _, edge := range []string{
		"0.1e78", "0.01e79", "0.01e100", "1" + zeros(78) + "e-78", "1" + zeros(79) + "e-79", zeros(155) + "7e0", zeros(156) + "7e0", strings.Repeat("9", 200),
		"1e", "1ex", "e5", ".5e1", "5.", ".", "0e-5", "0.00", "007", "1.2.3", "1_0", "1e1_0", "0x10", "0b1", "1e5e5", "1p4", "", "1 1", "-1", "+1", "1+1",
		"1e999999999", "1e-999999999", "1e99999999999999999999",
	} {
		check(t, edge)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := new(big.Int).Lsh(big.NewInt(1), rapid.SampledFrom([]uint{0, 8, 16, 20, 63, 64, 100, 127, 128, 200, 255, 256, 260}).Draw(t, "bits"))
		n.Add(n, big.NewInt(rapid.Int64Range(-2, 2).Draw(t, "beside")))
		digits := n.String() + zeros(rapid.SampledFrom([]int{0, 0, 1, 5}).Draw(t, "zeros"))
		if rapid.Bool().Draw(t, "with a dot") {
			dot := rapid.IntRange(0, len(digits)).Draw(t, "dot")
			digits = digits[:dot] + "." + digits[dot:]
		}
		check(t, digits+rapid.SampledFrom([]string{"", "", "e+0", "e0", "E1", "e+3", "e-1", "e-05", "e21", "e-78", "e"}).Draw(t, "exponent"))
	})
}
