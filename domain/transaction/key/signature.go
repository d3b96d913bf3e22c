package key

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"strata/domain/hash"
)

// ErrRecover is returned for a signature from which no public key can be recovered: its recovery id is above 3, r or s
// is out of range, or no curve point matches them.
var ErrRecover = errors.New("no public key can be recovered")

// SignatureSize is the size in bytes of a recoverable signature.
const SignatureSize = 65

// compactOffset is the number that Bitcoin's compact signature form adds to the recovery id. For a compressed key it
// also adds compactCompressed.
const (
	compactOffset     = 27
	compactCompressed = 4
)

// Signature is a recoverable ECDSA signature in wire form: recovery id (0..3), r (32 bytes), s (32 bytes). The zero
// value means "not signed".
type Signature [SignatureSize]byte

// IsZero reports whether all 65 bytes are zero, as before signing and in boot transactions.
func (s Signature) IsZero() bool { return s == Signature{} }

// String returns lower-case hex with a leading 0x.
func (s Signature) String() string { return "0x" + hex.EncodeToString(s[:]) }

// MarshalText returns the text that String returns.
func (s Signature) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Recover returns the public key whose private key signed digest with sig, in the given encoding. It accepts high-S
// signatures, because consensus accepted them before epoch 4.0 and recorded blocks hold them. The error wraps
// ErrRecover.
func Recover(digest hash.Hash32, sig Signature, encoding Encoding) (Public, error) {
	if sig[0] > 3 {
		return Public{}, fmt.Errorf("recovery id %d: %w, want 0 to 3", sig[0], ErrRecover)
	}
	compact := sig
	compact[0] += compactOffset + compactCompressed
	point, _, err := ecdsa.RecoverCompact(compact[:], digest[:])
	if err != nil {
		return Public{}, fmt.Errorf("signature %s over %s: %w: %w", sig, digest, ErrRecover, err)
	}
	return publicOf(point, encoding), nil
}
