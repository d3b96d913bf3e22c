package ledger

import (
	"encoding/binary"
	"math/big"
	"math/bits"

	"strata/domain/clarity"
	"strata/internal/synth/value"
)

// Amount is an amount of tokens, a number of 128 bits. Sums and differences wrap around, so callers compare with Less
// first.
type Amount struct{ Hi, Lo uint64 }

// MaxAmount is the greatest amount, which is also the greatest Clarity uint.
var MaxAmount = Amount{^uint64(0), ^uint64(0)}

// NewAmount returns n as an amount.
func NewAmount(n uint64) Amount { return Amount{Lo: n} }

// Add returns a + b.
func (a Amount) Add(b Amount) Amount {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(a.Hi, b.Hi, carry)
	return Amount{hi, lo}
}

// Sub returns a - b.
func (a Amount) Sub(b Amount) Amount {
	lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(a.Hi, b.Hi, borrow)
	return Amount{hi, lo}
}

// Less reports whether a < b.
func (a Amount) Less(b Amount) bool { return a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo }

// IsZero reports whether a is 0.
func (a Amount) IsZero() bool { return a == Amount{} }

// Half returns a / 2, rounded down.
func (a Amount) Half() Amount { return Amount{a.Hi >> 1, a.Lo>>1 | a.Hi<<63} }

// Big returns a as a big integer.
func (a Amount) Big() *big.Int {
	n := new(big.Int).SetUint64(a.Hi)
	n.Lsh(n, 64)
	return n.Or(n, new(big.Int).SetUint64(a.Lo))
}

// String returns a in decimal.
func (a Amount) String() string { return a.Big().String() }

// Value returns a as a Clarity uint.
func (a Amount) Value() clarity.Value {
	raw := make([]byte, 0, 17)
	raw = append(raw, byte(clarity.TypeUint))
	raw = binary.BigEndian.AppendUint64(raw, a.Hi)
	raw = binary.BigEndian.AppendUint64(raw, a.Lo)
	return value.Must(clarity.DecodeAll(raw))
}
