package document

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// cidLengthMax is the maximum length of a content identifier. Decoding one takes quadratic time. The longest
// identifiers in use, of SHA-512 hashes, have 114 characters in base 32 and 141 in base 16; a label of a host name has
// at most 63.
const cidLengthMax = 150

// isCID reports whether the text is a content identifier of IPFS (github.com/multiformats/cid). Version 0 is a SHA-256
// hash in base 58. In version 1, the first character tells the base (github.com/multiformats/multibase).
func isCID(text string) bool {
	if text == "" || len(text) > cidLengthMax {
		return false
	}
	if len(text) == 46 && strings.HasPrefix(text, "Qm") {
		return isMultihash(base58.Decode(text))
	}
	b := decodeMultibase(text[0], text[1:])
	version, n := binary.Uvarint(b)
	if n <= 0 || version != 1 {
		return false
	}
	b = b[n:]
	_, n = binary.Uvarint(b) // any codec
	return n > 0 && isMultihash(b[n:])
}

// isMultihash reports whether the bytes are the number of a hash function, a length, and a hash of that length
// (github.com/multiformats/multihash).
func isMultihash(b []byte) bool {
	_, n := binary.Uvarint(b)
	if n <= 0 {
		return false
	}
	b = b[n:]
	length, n := binary.Uvarint(b)
	return n > 0 && length > 0 && length == uint64(len(b)-n)
}

// decodeMultibase returns nil if the text is malformed, or if the base is not one that identifiers use.
func decodeMultibase(base byte, text string) []byte {
	var b []byte
	var err error
	switch base {
	case 'b':
		// The text has the same case as the letter for its base.
		if text != strings.ToLower(text) {
			return nil
		}
		b, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(text))
	case 'B':
		b, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	case 'f', 'F':
		b, err = hex.DecodeString(text)
	case 'k', 'K':
		b = decodeBase36(text)
	case 'u':
		b, err = base64.RawURLEncoding.DecodeString(text)
	case 'z':
		b = base58.Decode(text)
	}
	if err != nil {
		return nil
	}
	return b
}

// decodeBase36 decodes digits and letters of either case. Leading zeros are zero bytes.
func decodeBase36(text string) []byte {
	digits := strings.TrimLeft(text, "0")
	for _, c := range []byte(digits) {
		if c < '0' || '9' < c && c < 'A' || 'Z' < c && c < 'a' || 'z' < c {
			return nil
		}
	}
	n, ok := new(big.Int).SetString(digits, 36)
	if !ok {
		return nil
	}
	return append(bytes.Repeat([]byte{0}, len(text)-len(digits)), n.Bytes()...)
}
