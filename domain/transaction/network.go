package transaction

import "fmt"

// Version is the first byte of a transaction. Only its highest bit has a meaning, but all bits are kept.
type Version uint8

// The two versions in use.
const (
	VersionMainnet Version = 0x00
	VersionTestnet Version = 0x80
)

// Mainnet reports whether the transaction's addresses are mainnet addresses. The chain id does not tell: boot
// transactions have chain id 0 on every network.
func (v Version) Mainnet() bool { return v&VersionTestnet == 0 }

// Network identifies the chain that a transaction is for.
type Network struct {
	Version Version
	ChainID uint32
}

// Name returns mainnet or testnet: which versions of addresses the network has.
func (n Network) Name() string {
	if n.Version.Mainnet() {
		return "mainnet"
	}
	return "testnet"
}

// String names the network for people.
func (n Network) String() string { return fmt.Sprintf("%s (chain id %#x)", n.Name(), n.ChainID) }

// The public networks. Private networks choose their own chain id; testnets usually set bit 31.
var (
	Mainnet = Network{Version: VersionMainnet, ChainID: 0x00000001}
	Testnet = Network{Version: VersionTestnet, ChainID: 0x80000000}
)
