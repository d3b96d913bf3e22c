// Package c32 reads and writes c32check, the base-32 text form of Stacks addresses (SIP-005).
//
// Since 32 is a power of two, converting is slicing bits, not dividing: both directions are linear, and an address
// needs no big-integer arithmetic.
package c32
