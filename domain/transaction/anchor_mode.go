package transaction

// AnchorMode says in which kind of block a transaction wants to be mined. Nakamoto has one kind only, and ignores
// it. Coinbases and poison-microblock transactions must be AnchorOnChainOnly.
type AnchorMode uint8

// The anchor modes.
const (
	AnchorOnChainOnly  AnchorMode = 1
	AnchorOffChainOnly AnchorMode = 2
	AnchorAny          AnchorMode = 3
)

// Valid reports whether the mode exists.
func (m AnchorMode) Valid() bool { return m >= AnchorOnChainOnly && m <= AnchorAny }

// String is the name that the APIs show.
func (m AnchorMode) String() string {
	switch m {
	case AnchorOnChainOnly:
		return "on_chain_only"
	case AnchorOffChainOnly:
		return "off_chain_only"
	case AnchorAny:
		return "any"
	}
	return "unknown"
}
