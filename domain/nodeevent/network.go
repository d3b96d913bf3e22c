package nodeevent

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"slices"

	"strata/domain/transaction"
)

// NetworkPaths returns the paths of events whose transactions tell their network.
func NetworkPaths() []string { return []string{"/new_block", "/new_microblocks"} }

// rawTx is the name of the member that holds a transaction. Within a JSON string its quotes would have backslashes.
var rawTx = []byte(`"raw_tx"`)

// Network returns the network that the first transaction of an event tells which is for one: those of the genesis block
// are for none. It reads no more of the body than that, and returns false for an event that tells none.
func Network(path string, body []byte) (n transaction.Network, tells bool) {
	if !slices.Contains(NetworkPaths(), path) {
		return n, false
	}
	for {
		var found bool
		if _, body, found = bytes.Cut(body, rawTx); !found {
			return n, false
		}
		value := bytes.TrimPrefix(bytes.TrimLeft(body, " \t\r\n:"), []byte(`"`))
		var begin [5]byte // version and chain id
		digits := hex.NewDecoder(bytes.NewReader(bytes.TrimPrefix(value, []byte("0x"))))
		if _, err := io.ReadFull(digits, begin[:]); err != nil {
			continue
		}
		n.Version, n.ChainID = transaction.Version(begin[0]), binary.BigEndian.Uint32(begin[1:])
		if n.ChainID != 0 && (n.Version == transaction.VersionMainnet || n.Version == transaction.VersionTestnet) {
			return n, true
		}
	}
}
