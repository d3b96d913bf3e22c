package key

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"strata/domain/c32"
	"strata/domain/hash"
)

// ErrPublic is returned for bytes that are not a point of the curve in SEC 1 form.
var ErrPublic = errors.New("not a secp256k1 public key")

// Sizes in bytes of the two SEC 1 forms.
const (
	CompressedSize   = 33
	UncompressedSize = 65
)

// Public is a public key and the form in which it is hashed. It is comparable. The zero value is not a key.
type Public struct {
	sec1     [UncompressedSize]byte
	encoding Encoding
}

// ParsePublic parses the 33-byte or the 65-byte SEC 1 form; the key is hashed in the same form. It refuses hybrid forms
// (first byte 06 or 07). The error wraps ErrPublic.
func ParsePublic(b []byte) (Public, error) {
	encoding := Compressed
	switch {
	case len(b) == CompressedSize:
	case len(b) == UncompressedSize && b[0] == secp256k1.PubKeyFormatUncompressed:
		encoding = Uncompressed
	default:
		return Public{}, fmt.Errorf("%d bytes: %w, want 33 or 65", len(b), ErrPublic)
	}
	point, err := secp256k1.ParsePubKey(b)
	if err != nil {
		return Public{}, fmt.Errorf("%x: %w: %w", b, ErrPublic, err)
	}
	return publicOf(point, encoding), nil
}

// ParsePublicHex parses the hex, without 0x, of the bytes that ParsePublic reads.
func ParsePublicHex(s string) (Public, error) {
	if len(s) > 2*UncompressedSize {
		return Public{}, fmt.Errorf("%d hex digits: %w, want 66 or 130", len(s), ErrPublic)
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return Public{}, fmt.Errorf("%q: %w: %w", s, ErrPublic, err)
	}
	return ParsePublic(b)
}

func publicOf(point *secp256k1.PublicKey, encoding Encoding) Public {
	p := Public{encoding: encoding}
	if encoding == Uncompressed {
		copy(p.sec1[:], point.SerializeUncompressed())
	} else {
		copy(p.sec1[:], point.SerializeCompressed())
	}
	return p
}

// Encoding returns the form in which the key is hashed.
func (p Public) Encoding() Encoding { return p.encoding }

// Bytes returns the SEC 1 form that is hashed: 33 or 65 bytes.
func (p Public) Bytes() []byte {
	if p.encoding == Uncompressed {
		return p.sec1[:]
	}
	return p.sec1[:CompressedSize]
}

// CompressedBytes returns the 33-byte SEC 1 form, the only form on the wire.
func (p Public) CompressedBytes() [CompressedSize]byte {
	b := [CompressedSize]byte(p.sec1[:CompressedSize])
	if p.encoding == Uncompressed {
		// The prefix tells the parity of y, whose last byte is the last byte of the uncompressed form.
		b[0] = secp256k1.PubKeyFormatCompressedEven | p.sec1[UncompressedSize-1]&1
	}
	return b
}

// As returns the same key with another form to be hashed in.
func (p Public) As(encoding Encoding) (Public, error) {
	if p.encoding == encoding {
		return p, nil
	}
	point, err := secp256k1.ParsePubKey(p.Bytes())
	if err != nil {
		return Public{}, fmt.Errorf("key %s: %w: %w", p, ErrPublic, err)
	}
	return publicOf(point, encoding), nil
}

// Hash160 returns the hash of Bytes: the signer hash of a P2PKH spending condition.
func (p Public) Hash160() hash.Hash20 { return Hash160(p.Bytes()) }

// Address returns the single-signature (P2PKH) address: SP… on mainnet, ST… on testnets.
func (p Public) Address(mainnet bool) c32.Address {
	version := c32.TestnetSingle
	if mainnet {
		version = c32.MainnetSingle
	}
	return c32.Address{Version: version, Hash160: p.Hash160()}
}

// String returns Bytes as lower-case hex with a leading 0x.
func (p Public) String() string { return "0x" + hex.EncodeToString(p.Bytes()) }
