package synthstaking

import "bytes"

// Contract ids of pox-5.
const (
	Mainnet = "SP000000000000000000002Q6VF78.pox-5"
	Testnet = "ST000000000000000000002AMW42H.pox-5"
)

// Key returns a signing key.
func Key(n byte) []byte { return append([]byte{2}, bytes.Repeat([]byte{n}, 32)...) }
