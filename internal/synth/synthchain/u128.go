package synthchain

import (
	"math/big"
	"math/bits"
)

// u128 is an amount of tokens. Sums and differences wrap around, so callers compare with less first.
type u128 struct{ hi, lo uint64 }

func u64(n uint64) u128 { return u128{lo: n} }

func (a u128) add(b u128) u128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return u128{hi, lo}
}

func (a u128) sub(b u128) u128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return u128{hi, lo}
}

func (a u128) less(b u128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a u128) isZero() bool { return a == u128{} }

func (a u128) half() u128 { return u128{a.hi >> 1, a.lo>>1 | a.hi<<63} }

func (a u128) big() *big.Int {
	n := new(big.Int).SetUint64(a.hi)
	n.Lsh(n, 64)
	return n.Or(n, new(big.Int).SetUint64(a.lo))
}

func (a u128) String() string { return a.big().String() }
