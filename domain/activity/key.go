package activity

import (
	"crypto/sha256"
	"encoding/binary"
)

// AssetKey returns the key of an asset in the lists of accounts: the first 8 bytes of the SHA-256 of its identifier.
// Rows of lists are many, and identifiers are long.
func AssetKey(identifier string) int64 {
	sum := sha256.Sum256([]byte(identifier))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// FunctionKey returns the key of a function in the lists of contracts: the first 4 bytes of the SHA-256 of its name.
func FunctionKey(name string) int32 {
	sum := sha256.Sum256([]byte(name))
	return int32(binary.BigEndian.Uint32(sum[:]))
}
