package transaction

// Version is the first byte of a transaction. Only its highest bit has a meaning; the byte is kept as it came.
type Version uint8

// The two versions in use.
const (
	VersionMainnet Version = 0x00
	VersionTestnet Version = 0x80
)

// Mainnet reports whether addresses of the transaction are mainnet addresses. The chain id has no say in it: boot
// transactions have chain id 0 on every network.
func (v Version) Mainnet() bool { return v&VersionTestnet == 0 }

// Network is what a transaction says about the chain that it is for.
type Network struct {
	Version Version
	ChainID uint32
}

// The public networks. Private networks choose their own chain id, customarily with bit 31 set for testnets.
var (
	Mainnet = Network{Version: VersionMainnet, ChainID: 0x00000001}
	Testnet = Network{Version: VersionTestnet, ChainID: 0x80000000}
)
