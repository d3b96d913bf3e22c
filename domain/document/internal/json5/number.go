package json5

import (
	"math/big"
	"strings"
)

const (
	decimalDigits     = "0123456789"
	hexadecimalDigits = decimalDigits + "abcdefABCDEF"
	// finiteBits is how long an integer may be that a double can still be near to.
	finiteBits = 1024
)

// number reads a number and gives it as JSON. A decimal one stays as it is written, but for what JSON does not allow:
// a plus sign, a bare decimal point. What is no finite double becomes null, as it does when JavaScript writes JSON;
// decimal integers are exempt, because any of them can be written.
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

// exponent reads an exponent, if there is one, as it is written.
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

// run passes as many of the given bytes as there are.
func (r *reader) run(of string) string {
	rest := r.text[r.at:]
	run := rest[:len(rest)-len(strings.TrimLeft(rest, of))]
	r.at += len(run)
	return run
}

func hexadecimal(sign, digits string) Value {
	digits = strings.TrimLeft(digits, "0")
	if len(digits)*4 > finiteBits { // also spares the conversion, which takes long for long ones
		return Value{}
	}
	n, ok := new(big.Int).SetString(digits, 16)
	if !ok { // there is no digit left
		return Value{Kind: Number, Text: sign + "0"}
	}
	return Value{Kind: Number, Text: sign + n.String()}
}
