package ordinals

// Network is a Bitcoin network by the name that the feed has for it.
type Network string

// Networks of the feed.
const (
	Mainnet Network = "mainnet"
	Testnet Network = "testnet"
	Signet  Network = "signet"
	Regtest Network = "regtest"
)

// JubileeHeight is the first height at which inscriptions that would have been cursed get numbers like all others. A
// network that is not known is taken for mainnet.
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
