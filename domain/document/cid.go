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

// cidLengthMax bounds what is tried as a content identifier, whose decoding costs the square of its length. A label of
// a host name has 63 characters at most; the identifiers of SHA-512, the longest in use, have 114 in base 32 and 141 in
// base 16.
const cidLengthMax = 150

// isCID says if the text is a content identifier of IPFS (github.com/multiformats/cid): version 0, which is the SHA-256
// of something in base 58, or version 1, whose first character tells the base (github.com/multiformats/multibase).
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
	_, n = binary.Uvarint(b) // of what is there: any codec
	return n > 0 && isMultihash(b[n:])
}

// isMultihash says if the bytes are a hash with the number of its function and its length before it
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

// decodeMultibase is nil when the text is not of that base, or the base is none that identifiers are written in.
func decodeMultibase(base byte, text string) []byte {
	var b []byte
	var err error
	switch base {
	case 'b':
		// The text is in one case, and so is the letter before it.
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

// decodeBase36 reads digits and letters of either case; leading zeros are zero bytes.
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
