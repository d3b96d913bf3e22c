package transaction

import "strata/domain/c32"

// HashMode tells how the signer hash of a spending condition is derived from public keys (SIP-005; modes 5 and 7 since
// SIP-021).
type HashMode uint8

// The hash modes.
const (
	P2PKH                     HashMode = 0 // one key
	P2SH                      HashMode = 1 // several keys; each signature covers the one before
	P2WPKHP2SH                HashMode = 2 // one compressed key
	P2WSHP2SH                 HashMode = 3 // several compressed keys; each signature covers the one before
	P2SHOrderIndependent      HashMode = 5 // like 1, but all signatures cover the same hash
	P2WSHP2SHOrderIndependent HashMode = 7 // like 3, but all signatures cover the same hash
)

// Valid reports whether m is one of the hash modes.
func (m HashMode) Valid() bool { return m.Single() || m.Sequential() || m.OrderIndependent() }

// Single reports whether a condition of this mode has exactly one signature.
func (m HashMode) Single() bool { return m == P2PKH || m == P2WPKHP2SH }

// Sequential reports whether a condition of this mode has several signatures, each over a hash of the one before.
func (m HashMode) Sequential() bool { return m == P2SH || m == P2WSHP2SH }

// OrderIndependent reports whether a condition of this mode has several signatures, all over the same hash.
func (m HashMode) OrderIndependent() bool {
	return m == P2SHOrderIndependent || m == P2WSHP2SHOrderIndependent
}

// Segwit reports whether the mode allows compressed keys only.
func (m HashMode) Segwit() bool {
	return m == P2WPKHP2SH || m == P2WSHP2SH || m == P2WSHP2SHOrderIndependent
}

// AddressVersion returns the c32 version of a signer's address. P2PKH has a version of its own; all other modes share
// another.
func (m HashMode) AddressVersion(mainnet bool) byte {
	switch {
	case m == P2PKH && mainnet:
		return c32.MainnetSingle
	case m == P2PKH:
		return c32.TestnetSingle
	case mainnet:
		return c32.MainnetMulti
	}
	return c32.TestnetMulti
}

var hashModeNames = [...]string{
	P2PKH:                     "p2pkh",
	P2SH:                      "p2sh",
	P2WPKHP2SH:                "p2wpkh-p2sh",
	P2WSHP2SH:                 "p2wsh-p2sh",
	P2SHOrderIndependent:      "p2sh-order-independent",
	P2WSHP2SHOrderIndependent: "p2wsh-p2sh-order-independent",
}

func (m HashMode) String() string { return nameIn(hashModeNames[:], uint8(m)) }
