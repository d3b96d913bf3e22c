// Package hash defines the fixed-size identifiers that everything else is keyed by: 32-byte hashes (block hashes, index
// block hashes, transaction ids, Bitcoin hashes) and 20-byte hashes (consensus hashes, hash160).
//
// The text form is lower-case hex with a leading 0x, as Stacks nodes and existing APIs write it. Parsing also accepts
// upper case and hex without 0x.
package hash

import (
	"bytes"
	"crypto/sha512"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
)

// ErrLength is returned for text or bytes that do not have the exact length of the type.
var ErrLength = errors.New("wrong length")

// Hash32 is a 32-byte hash. The zero value is 32 zero bytes, which Stacks uses for "none".
type Hash32 [32]byte

// Hash20 is a 20-byte hash.
type Hash20 [20]byte

// Parse32 parses 64 hex digits, with or without 0x.
func Parse32(s string) (Hash32, error) {
	var h Hash32
	return h, parse(h[:], []byte(s))
}

// Parse20 parses 40 hex digits, with or without 0x.
func Parse20(s string) (Hash20, error) {
	var h Hash20
	return h, parse(h[:], []byte(s))
}

func (h Hash32) String() string { return "0x" + hex.EncodeToString(h[:]) }
func (h Hash20) String() string { return "0x" + hex.EncodeToString(h[:]) }

// IsZero reports whether all bytes are zero.
func (h Hash32) IsZero() bool { return h == Hash32{} }

// IsZero reports whether all bytes are zero.
func (h Hash20) IsZero() bool { return h == Hash20{} }

// MarshalText returns the text that String returns.
func (h Hash32) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// MarshalText returns the text that String returns.
func (h Hash20) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText parses text as Parse32 does.
func (h *Hash32) UnmarshalText(text []byte) error { return parse(h[:], text) }

// UnmarshalText parses text as Parse20 does.
func (h *Hash20) UnmarshalText(text []byte) error { return parse(h[:], text) }

// Value returns the bytes of the hash, which the database stores as bytea.
func (h Hash32) Value() (driver.Value, error) { return h[:], nil }

// Value returns the bytes of the hash, which the database stores as bytea.
func (h Hash20) Value() (driver.Value, error) { return h[:], nil }

// Scan reads a bytea of exactly 32 bytes.
func (h *Hash32) Scan(src any) error { return scan(h[:], src) }

// Scan reads a bytea of exactly 20 bytes.
func (h *Hash20) Scan(src any) error { return scan(h[:], src) }

// ScanBytes reads a bytea of exactly 32 bytes, without a copy of them.
func (h *Hash32) ScanBytes(b []byte) error { return scanBytes(h[:], b) }

// ScanBytes reads a bytea of exactly 20 bytes, without a copy of them.
func (h *Hash20) ScanBytes(b []byte) error { return scanBytes(h[:], b) }

// IndexBlockHash returns the id of a Stacks block that is unique across forks: SHA-512/256 over the block's header hash
// followed by the consensus hash of its sortition (SIP-005 "index block hash"; "block id" in Nakamoto).
func IndexBlockHash(block Hash32, consensus Hash20) Hash32 {
	var b [52]byte
	copy(b[:32], block[:])
	copy(b[32:], consensus[:])
	return sha512.Sum512_256(b[:])
}

func parse(dst, text []byte) error {
	text = bytes.TrimPrefix(text, []byte("0x"))
	if len(text) != hex.EncodedLen(len(dst)) {
		return fmt.Errorf("hash %.80q: %w, want %d hex digits", text, ErrLength, hex.EncodedLen(len(dst)))
	}
	if _, err := hex.Decode(dst, text); err != nil {
		return fmt.Errorf("hash %.80q: %w", text, err)
	}
	return nil
}

func scan(dst []byte, src any) error {
	b, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("hash from %T: want bytea", src)
	}
	return scanBytes(dst, b)
}

func scanBytes(dst, b []byte) error {
	if b == nil {
		return errors.New("hash from NULL: want bytea")
	}
	if len(b) != len(dst) {
		return fmt.Errorf("hash of %d bytes: %w, want %d", len(b), ErrLength, len(dst))
	}
	copy(dst, b)
	return nil
}
