package transaction

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// ErrKeys is returned for keys that do not fit a hash mode or an account.
var ErrKeys = errors.New("keys do not fit the hash mode")

// Bitcoin script opcodes.
const (
	opPush0         = 0x00
	opPush1         = 0x51
	opPush16        = 0x60
	opCheckMultisig = 0xae
)

// SignerHash returns the signer hash of a condition, derived from its keys, each in the form in which it is hashed.
// Single-signature modes ignore required. The error wraps ErrKeys if the number of keys or their encoding does not fit
// the mode.
func SignerHash(mode HashMode, required uint16, keys ...key.Public) (hash.Hash20, error) {
	if mode.Single() && len(keys) != 1 {
		return hash.Hash20{}, fmt.Errorf("%d keys for %s: %w, want 1", len(keys), mode, ErrKeys)
	}
	if mode.Segwit() {
		for i := range keys {
			if keys[i].Encoding() != key.Compressed {
				return hash.Hash20{}, fmt.Errorf("uncompressed key %d for %s: %w", i, mode, ErrKeys)
			}
		}
	}
	switch mode {
	case P2PKH:
		return keys[0].Hash160(), nil
	case P2WPKHP2SH:
		inner := keys[0].Hash160()
		return key.Hash160(append([]byte{0x00, byte(len(inner))}, inner[:]...)), nil
	case P2SH, P2SHOrderIndependent:
		return key.Hash160(MultisigScript(required, keys...)), nil
	case P2WSHP2SH, P2WSHP2SHOrderIndependent:
		inner := sha256.Sum256(MultisigScript(required, keys...))
		return key.Hash160(append([]byte{0x00, byte(len(inner))}, inner[:]...)), nil
	}
	return hash.Hash20{}, fmt.Errorf("hash mode %d: %w, want 0, 1, 2, 3, 5 or 7", mode, ErrKeys)
}

// MultisigScript returns the Bitcoin script of an m-of-n multisig (BIP-11), with the keys in the given order.
func MultisigScript(required uint16, keys ...key.Public) []byte {
	script := make([]byte, 0, 8+len(keys)*(1+key.UncompressedSize))
	script = appendPush(script, int(required))
	for i := range keys {
		b := keys[i].Bytes()
		script = append(script, byte(len(b)))
		script = append(script, b...)
	}
	script = appendPush(script, len(keys))
	return append(script, opCheckMultisig)
}

// appendPush appends the shortest instruction that pushes n: an opcode for n up to 16, otherwise a little-endian number
// whose highest bit is the sign.
func appendPush(script []byte, n int) []byte {
	switch {
	case n == 0:
		return append(script, opPush0)
	case n <= opPush16-opPush1+1:
		return append(script, byte(opPush1+n-1))
	}
	var number []byte
	for ; n > 0; n >>= 8 {
		number = append(number, byte(n))
	}
	if number[len(number)-1]&0x80 != 0 {
		number = append(number, 0)
	}
	return append(append(script, byte(len(number))), number...)
}
