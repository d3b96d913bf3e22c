package key

import (
	"crypto/sha256"

	"golang.org/x/crypto/ripemd160" //nolint:staticcheck // consensus fixes the hash, there is no choice

	"strata/domain/hash"
)

// Hash160 is RIPEMD-160 over SHA-256, the hash behind every Stacks and Bitcoin address.
func Hash160(b []byte) hash.Hash20 {
	inner := sha256.Sum256(b)
	h := ripemd160.New()
	_, _ = h.Write(inner[:]) // a hash never fails to take bytes
	var out hash.Hash20
	h.Sum(out[:0])
	return out
}
