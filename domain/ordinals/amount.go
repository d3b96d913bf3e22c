package ordinals

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// AmountDecimals is the number of decimals that BRC-20 amounts are kept with, whatever the token has: the most that a
// token may have.
const AmountDecimals = 18

// Amounts are bounded as indexers bound them, which also bounds the work that a text can ask for.
const (
	amountBits       = 128
	mostAmountDigits = 39 // of 2^128
)

// ErrAmount is returned for a text that is no amount.
var ErrAmount = errors.New("want decimal digits, at most 18 of them after a point, and 128 bits in all")

// ParseAmount reads a decimal such as 9000.5, without sign or exponent, into units of 10^-18. More than 18 decimals are
// an error, as is more than 2^128-1 units.
func ParseAmount(text string) (*big.Int, error) {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if !isDigits(whole) || hasPoint && !isDigits(fraction) || len(fraction) > AmountDecimals {
		return nil, fmt.Errorf("amount %.80q: %w", text, ErrAmount)
	}
	digits := strings.TrimLeft(whole+fraction+strings.Repeat("0", AmountDecimals-len(fraction)), "0")
	if digits == "" {
		return new(big.Int), nil
	}
	units, ok := new(big.Int), false
	if len(digits) <= mostAmountDigits {
		units, ok = units.SetString(digits, 10)
	}
	if !ok || units.BitLen() > amountBits {
		return nil, fmt.Errorf("amount %.80q: %w", text, ErrAmount)
	}
	return units, nil
}

// BaseUnits converts units of 10^-18 to those of a token with some decimals. What is finer is rounded, a half away
// from zero; an amount of the token itself has nothing finer.
func BaseUnits(units *big.Int, decimals uint8) *big.Int {
	if decimals >= AmountDecimals {
		return new(big.Int).Mul(units, powerOfTen(decimals-AmountDecimals))
	}
	unit := powerOfTen(AmountDecimals - decimals)
	half := new(big.Int).Rsh(unit, 1)
	rounded := new(big.Int).Abs(units)
	rounded.Quo(rounded.Add(rounded, half), unit)
	if units.Sign() < 0 {
		rounded.Neg(rounded)
	}
	return rounded
}

// FormatAmount writes units of 10^-18 with exactly as many decimals as a token has, such as 9000.500 for 3 of them.
func FormatAmount(units *big.Int, decimals uint8) string {
	base := BaseUnits(units, decimals)
	digits := new(big.Int).Abs(base).String()
	if missing := int(decimals) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	text := digits
	if decimals > 0 {
		point := len(digits) - int(decimals)
		text = digits[:point] + "." + digits[point:]
	}
	if base.Sign() < 0 {
		text = "-" + text
	}
	return text
}

func powerOfTen(n uint8) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
