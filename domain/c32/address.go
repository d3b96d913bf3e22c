package c32

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// Address versions in use (SIP-005). Any version from 0 to 31 is legal inside a principal.
const (
	MainnetSingle byte = 22 // SP: one signature
	MainnetMulti  byte = 20 // SM: every other hash mode
	TestnetSingle byte = 26 // ST: one signature
	TestnetMulti  byte = 21 // SN: every other hash mode
)

const (
	// MaxVersion is the highest version that fits in one c32 digit.
	MaxVersion byte = 31

	// MaxAddressLength is the number of characters of the longest address. The shortest in use has 28.
	MaxAddressLength = 41

	checksumLength = 4
	payloadLength  = 20 + checksumLength
	minLength      = 6
)

var (
	// ErrPrefix is returned for an address that does not start with S.
	ErrPrefix = errors.New("address does not start with S")

	// ErrLength is returned for an address that does not hold exactly 20 bytes of hash and 4 of checksum.
	ErrLength = errors.New("wrong address length")

	// ErrChecksum is returned for an address whose checksum does not match, because some character is wrong.
	ErrChecksum = errors.New("address checksum mismatch")

	// ErrVersion is returned for a version above MaxVersion, which has no text form.
	ErrVersion = errors.New("address version above 31")
)

// Address is a Stacks address: a version and the hash160 of a public key or script. It is comparable.
type Address struct {
	Version byte
	Hash160 [20]byte
}

// IsMainnet reports whether the address is one of the main network.
func (a Address) IsMainnet() bool { return a.Version == MainnetSingle || a.Version == MainnetMulti }

// ParseAddress parses an address. It accepts lower case, and reads O as 0 and I and L as 1. The error quotes the text
// and wraps ErrPrefix, ErrLength, ErrCharacter or ErrChecksum.
func ParseAddress(s string) (Address, error) {
	a, err := parseAddress(s)
	if err != nil {
		return Address{}, fmt.Errorf("address %.80q: %w", s, err)
	}
	return a, nil
}

func parseAddress(s string) (Address, error) {
	if len(s) < minLength || len(s) > MaxAddressLength {
		return Address{}, ErrLength
	}
	if s[0] != 'S' && s[0] != 's' {
		return Address{}, ErrPrefix
	}
	a := Address{Version: digits[s[1]]}
	if a.Version == notADigit {
		return Address{}, fmt.Errorf("version %q: %w", s[1], ErrCharacter)
	}
	body := s[2:]
	zeros, n, err := measure(body)
	if err != nil {
		return Address{}, err
	}
	if zeros+n != payloadLength {
		return Address{}, ErrLength
	}
	var payload [payloadLength]byte
	fill(payload[:], body)
	copy(a.Hash160[:], payload[:])
	if a.checksum() != [checksumLength]byte(payload[len(a.Hash160):]) {
		return Address{}, ErrChecksum
	}
	return a, nil
}

// Valid reports whether the address has a text form: its version is at most MaxVersion.
func (a Address) Valid() bool { return a.Version <= MaxVersion }

// String returns the canonical upper-case text, or "" for a version above MaxVersion, which has none.
func (a Address) String() string {
	var text [MaxAddressLength]byte
	return string(a.AppendTo(text[:0]))
}

// AppendTo appends the text that String returns to dst.
func (a Address) AppendTo(dst []byte) []byte {
	if !a.Valid() {
		return dst
	}
	var payload [payloadLength]byte
	copy(payload[:], a.Hash160[:])
	sum := a.checksum()
	copy(payload[len(a.Hash160):], sum[:])

	return appendEncoded(append(dst, 'S', alphabet[a.Version]), payload[:])
}

// MarshalText returns the text that String returns, or ErrVersion when there is none.
func (a Address) MarshalText() ([]byte, error) {
	if !a.Valid() {
		return nil, fmt.Errorf("address version %d: %w", a.Version, ErrVersion)
	}
	return a.AppendTo(nil), nil
}

// UnmarshalText parses text as ParseAddress does.
func (a *Address) UnmarshalText(text []byte) error {
	parsed, err := ParseAddress(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// checksum returns the first four bytes of the double SHA-256 over version and hash.
func (a Address) checksum() [checksumLength]byte {
	var body [21]byte
	body[0] = a.Version
	copy(body[1:], a.Hash160[:])
	once := sha256.Sum256(body[:])
	twice := sha256.Sum256(once[:])
	return [checksumLength]byte(twice[:])
}
