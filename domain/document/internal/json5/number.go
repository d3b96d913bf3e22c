package json5

import (
	"math/big"
	"strings"
)

const (
	decimalDigits     = "0123456789"
	hexadecimalDigits = decimalDigits + "abcdefABCDEF"
	// finiteBits is the maximum length of an integer that is finite as a double.
	finiteBits = 1024
)

// number reads a number and returns it as JSON. It keeps a decimal number as written, except for what JSON forbids: a
// plus sign and a decimal point without digits on both sides. A number that is not finite as a double becomes null, as
// when JavaScript writes JSON. Decimal integers are exempt, because JSON can express all of them.
func (r *reader) number() (Value, error) {
	begin := r.at
	sign := ""
	if r.take("-") {
		sign = "-"
	} else {
		r.take("+")
	}
	switch {
	case r.take("Infinity"), r.take("NaN"):
		return Value{}, nil
	case r.take("0x"), r.take("0X"):
		digits := r.run(hexadecimalDigits)
		if digits == "" {
			return Value{}, r.unexpected("hexadecimal digits")
		}
		return hexadecimal(sign, digits), nil
	}

	whole := r.run(decimalDigits)
	if len(whole) > 1 && whole[0] == '0' {
		r.at -= len(whole) - 1
		return Value{}, r.unexpected("no digit after a leading zero")
	}
	fraction := ""
	if r.take(".") {
		fraction = r.run(decimalDigits)
	}
	if whole == "" && fraction == "" {
		r.at = begin
		return Value{}, r.unexpected("a value")
	}
	literal := sign + whole
	if whole == "" {
		literal += "0"
	}
	if fraction != "" {
		literal += "." + fraction
	}
	exponent, err := r.exponent()
	if err != nil {
		return Value{}, err
	}
	literal += exponent
	if strings.ContainsAny(literal, ".eE") && !Finite(literal) {
		return Value{}, nil
	}
	return Value{Kind: Number, Text: literal}, nil
}

// exponent reads an exponent as written; empty for none.
func (r *reader) exponent() (string, error) {
	begin := r.at
	if !r.take("e") && !r.take("E") {
		return "", nil
	}
	if !r.take("-") {
		r.take("+")
	}
	if r.run(decimalDigits) == "" {
		return "", r.unexpected("digits of an exponent")
	}
	return r.text[begin:r.at], nil
}

// run consumes all following bytes that are in set.
func (r *reader) run(set string) string {
	rest := r.text[r.at:]
	run := rest[:len(rest)-len(strings.TrimLeft(rest, set))]
	r.at += len(run)
	return run
}

func hexadecimal(sign, digits string) Value {
	digits = strings.TrimLeft(digits, "0")
	if len(digits)*4 > finiteBits { // also avoids a slow conversion
		return Value{}
	}
	n, ok := new(big.Int).SetString(digits, 16)
	if !ok { // all digits were zeros
		return Value{Kind: Number, Text: sign + "0"}
	}
	return Value{Kind: Number, Text: sign + n.String()}
}
