package ordinals

// Network is the feed's name of a Bitcoin network.
type Network string

// Networks of the feed.
const (
	Mainnet Network = "mainnet"
	Testnet Network = "testnet"
	Signet  Network = "signet"
	Regtest Network = "regtest"
)

// JubileeHeight returns the height of the jubilee. From this height on, inscriptions that would have been cursed before
// are numbered like all others. An unknown network counts as mainnet.
func (n Network) JubileeHeight() uint64 {
	switch n {
	case Testnet:
		return 2_544_192
	case Signet:
		return 175_392
	case Regtest:
		return 110
	}
	return 824_544
}
