package key

import (
	"crypto/sha256"

	"golang.org/x/crypto/ripemd160" //nolint:staticcheck // consensus requires this hash

	"strata/domain/hash"
)

// Hash160 returns RIPEMD-160 of SHA-256 of b, the hash in every Stacks and Bitcoin address.
func Hash160(b []byte) hash.Hash20 {
	inner := sha256.Sum256(b)
	h := ripemd160.New()
	_, _ = h.Write(inner[:]) // writing to a hash never fails
	var out hash.Hash20
	h.Sum(out[:0])
	return out
}
