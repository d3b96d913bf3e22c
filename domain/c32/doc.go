// Package c32 reads and writes c32check, the base-32 text form of Stacks addresses (SIP-005).
//
// Because 32 is a power of two, conversion only regroups bits: both directions take linear time, and an address needs
// no big-integer arithmetic.
package c32
