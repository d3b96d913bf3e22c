package transaction

import "strata/domain/c32"

// HashMode says how the signer hash of a spending condition is made from public keys (SIP-005; 5 and 7 since
// SIP-021).
type HashMode uint8

// The hash modes that exist.
const (
	P2PKH                     HashMode = 0 // one key
	P2SH                      HashMode = 1 // several keys, each signature covers the one before
	P2WPKHP2SH                HashMode = 2 // one compressed key
	P2WSHP2SH                 HashMode = 3 // several compressed keys, each signature covers the one before
	P2SHOrderIndependent      HashMode = 5 // as 1, but all signatures cover the same hash
	P2WSHP2SHOrderIndependent HashMode = 7 // as 3, but all signatures cover the same hash
)

// Valid reports whether the mode exists.
func (m HashMode) Valid() bool { return m.Single() || m.Sequential() || m.OrderIndependent() }

// Single reports whether the condition has exactly one signature.
func (m HashMode) Single() bool { return m == P2PKH || m == P2WPKHP2SH }

// Sequential reports whether the condition has several signatures, each over a hash of the one before.
func (m HashMode) Sequential() bool { return m == P2SH || m == P2WSHP2SH }

// OrderIndependent reports whether the condition has several signatures, all over the same hash.
func (m HashMode) OrderIndependent() bool {
	return m == P2SHOrderIndependent || m == P2WSHP2SHOrderIndependent
}

// Segwit reports whether the mode allows compressed keys only.
func (m HashMode) Segwit() bool {
	return m == P2WPKHP2SH || m == P2WSHP2SH || m == P2WSHP2SHOrderIndependent
}

// AddressVersion is the c32 version of a signer's address: single-signature P2PKH has one, all other modes share
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

func (m HashMode) String() string {
	switch m {
	case P2PKH:
		return "p2pkh"
	case P2SH:
		return "p2sh"
	case P2WPKHP2SH:
		return "p2wpkh-p2sh"
	case P2WSHP2SH:
		return "p2wsh-p2sh"
	case P2SHOrderIndependent:
		return "p2sh-order-independent"
	case P2WSHP2SHOrderIndependent:
		return "p2wsh-p2sh-order-independent"
	}
	return "unknown"
}
