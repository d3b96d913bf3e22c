package ordinals_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
	"strata/internal/testkit/must"
)

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "0.0": "0", "1": "1000000000000000000", "007": "7000000000000000000", "9000.000000000000000000": "9000000000000000000000",
		"0.000000000000000001": "1", "18446744073709551615.999999999999999999": "18446744073709551615999999999999999999",
		"340282366920938463463.374607431768211455": "340282366920938463463374607431768211455",
	} {
		units, err := ordinals.ParseAmount(text)
		if err != nil || units.String() != want {
			t.Errorf("ParseAmount(%q): got %v, %v, want %s", text, units, err, want)
		}
	}
	for _, text := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", " 1", "1 ", "1.2.3", "0x1", "Infinity", "0.0000000000000000001", "0.0000000000000000000",
		"340282366920938463463.374607431768211456", "1000000000000000000000000", strings.Repeat("9", 100_000),
	} {
		if units, err := ordinals.ParseAmount(text); !errors.Is(err, ordinals.ErrAmount) {
			t.Errorf("ParseAmount(%.40q): got %v, %v, want ErrAmount", text, units, err)
		} else if len(err.Error()) > 300 {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
	}
}

func TestFormatAmount(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		amount   string
		decimals uint8
		want     string
	}{
		{"10000", 18, "10000.000000000000000000"},
		{"0", 18, "0.000000000000000000"},
		{"0", 0, "0"},
		{"1.5", 0, "2"},
		{"1.499999999999999999", 0, "1"},
		{"0.05", 1, "0.1"},
		{"0.04", 1, "0.0"},
		{"9.95", 1, "10.0"},
		{"21000000", 2, "21000000.00"},
		{"0.000000000000000001", 18, "0.000000000000000001"},
		{"0.000000000000000001", 20, "0.00000000000000000100"},
	} {
		units := must.Get(ordinals.ParseAmount(tt.amount))(t)
		same(t, tt.amount, ordinals.FormatAmount(units, tt.decimals), tt.want)
		if units.Sign() > 0 {
			minus := ordinals.FormatAmount(new(big.Int).Neg(units), tt.decimals)
			if strings.Trim(tt.want, "0.") == "" {
				same(t, "minus "+tt.amount, minus, tt.want)
			} else {
				same(t, "minus "+tt.amount, minus, "-"+tt.want)
			}
		}
	}
}

func TestAmountReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		decimals := rapid.Uint8Range(0, 18).Draw(t, "decimals")
		base := new(big.Int).SetUint64(rapid.Uint64().Draw(t, "base units"))
		// The same number with a decimal point, by the slow arithmetic of big.Rat.
		text := new(big.Rat).SetFrac(base, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)).FloatString(int(decimals))
		units := must.Get(ordinals.ParseAmount(text))(t)
		if got := ordinals.BaseUnits(units, decimals); got.Cmp(base) != 0 {
			t.Fatalf("%s: got %s base units, want %s", text, got, base)
		}
		if got := ordinals.FormatAmount(units, decimals); got != text {
			t.Fatalf("got %s, want %s", got, text)
		}
	})
}

func TestBaseUnitsDoesNotChangeItsArgument(t *testing.T) {
	t.Parallel()
	units := big.NewInt(-1_500_000_000_000_000_000)
	same(t, "rounded", ordinals.BaseUnits(units, 0).String(), "-2")
	same(t, "argument", units.String(), "-1500000000000000000")
}
