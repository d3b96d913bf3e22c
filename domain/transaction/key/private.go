package key

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"strata/domain/c32"
	"strata/domain/hash"
)

// ErrPrivate is returned for a private key that has the wrong length or is outside 1..n-1. The message never holds the
// key.
var ErrPrivate = errors.New("not a secp256k1 private key")

// PrivateSize is the size in bytes of a private key, without the marker byte of its text form.
const PrivateSize = 32

// compressedMarker is the last byte of a private key whose public key is hashed compressed.
const compressedMarker = 0x01

// Private is a private key and the form in which its public key is hashed. Printing or logging it shows a placeholder;
// only Hex returns the secret.
type Private struct {
	scalar   *secp256k1.PrivateKey
	encoding Encoding
}

// NewPrivate returns the key with the given 32 bytes. The error wraps ErrPrivate if they are zero or not below the
// group order.
func NewPrivate(secret [PrivateSize]byte, encoding Encoding) (Private, error) {
	var scalar secp256k1.ModNScalar
	if overflow := scalar.SetBytes(&secret); overflow != 0 || scalar.IsZero() {
		return Private{}, fmt.Errorf("secret out of range: %w", ErrPrivate)
	}
	return Private{scalar: secp256k1.NewPrivateKey(&scalar), encoding: encoding}, nil
}

// ParsePrivate parses hex without 0x: 64 digits for a key whose public key is hashed uncompressed, or 66 digits ending
// in 01 for one whose public key is hashed compressed, as is usual. The error wraps ErrPrivate.
func ParsePrivate(s string) (Private, error) {
	b, err := hex.DecodeString(s)
	if err != nil {
		return Private{}, fmt.Errorf("secret is not hex: %w", ErrPrivate)
	}
	switch {
	case len(b) == PrivateSize:
		return NewPrivate([PrivateSize]byte(b), Uncompressed)
	case len(b) == PrivateSize+1 && b[PrivateSize] == compressedMarker:
		return NewPrivate([PrivateSize]byte(b[:PrivateSize]), Compressed)
	}
	return Private{}, fmt.Errorf("secret of %d bytes: %w, want 32, or 33 ending in 01", len(b), ErrPrivate)
}

// FromSeed derives a compressed key from a seed by SHA-256. Should the result be out of range, which has a probability
// of 2^-128, it is hashed again. FromSeed is meant for generated chains, whose keys are no secret.
func FromSeed(seed []byte) Private {
	for {
		secret := sha256.Sum256(seed)
		if k, err := NewPrivate(secret, Compressed); err == nil {
			return k
		}
		seed = secret[:]
	}
}

// Public returns the public key, in the encoding of the private key.
func (k Private) Public() Public { return publicOf(k.scalar.PubKey(), k.encoding) }

// Address returns the single-signature (P2PKH) address of the key.
func (k Private) Address(mainnet bool) c32.Address { return k.Public().Address(mainnet) }

// Sign returns the deterministic (RFC 6979), low-S signature over digest.
func (k Private) Sign(digest hash.Hash32) Signature {
	sig := Signature(ecdsa.SignCompact(k.scalar, digest[:], true))
	sig[0] -= compactOffset + compactCompressed
	return sig
}

// Hex returns the secret in the form that ParsePrivate reads.
func (k Private) Hex() string {
	b := k.scalar.Serialize()
	if k.encoding == Compressed {
		b = append(b, compressedMarker)
	}
	return hex.EncodeToString(b)
}

// String returns a placeholder, so that no secret ends up in a log by accident.
func (k Private) String() string { return "private key (hidden)" }

// GoString returns the placeholder of String.
func (k Private) GoString() string { return k.String() }

// LogValue returns the placeholder of String.
func (k Private) LogValue() slog.Value { return slog.StringValue(k.String()) }
