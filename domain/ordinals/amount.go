package ordinals

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// AmountDecimals is the number of decimals of every BRC-20 amount in this package. It is the most that a token may
// have.
const AmountDecimals = 18

// These are the bounds that indexers have for amounts. They also bound the work that a text can ask for.
const (
	amountBits      = 128
	maxAmountDigits = 39 // of 2^128
)

// ErrAmount is the error for a text that is not an amount.
var ErrAmount = errors.New("want decimal digits, at most 18 of them after a point, and 128 bits in all")

// ParseAmount converts a decimal such as 9000.5, without sign or exponent, to units of 10^-18. It refuses more than 18
// decimals, and more than 2^128-1 units.
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
	if len(digits) <= maxAmountDigits {
		units, ok = units.SetString(digits, 10)
	}
	if !ok || units.BitLen() > amountBits {
		return nil, fmt.Errorf("amount %.80q: %w", text, ErrAmount)
	}
	return units, nil
}

// BaseUnits converts units of 10^-18 to the base units of a token with the given number of decimals. It rounds halves
// away from zero. An amount of the token itself needs no rounding.
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

// FormatAmount writes units of 10^-18 as a decimal number with the given number of decimals, such as 9000.500 for 3
// decimals.
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
