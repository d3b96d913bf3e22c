package transaction

// AnchorMode tells in which kind of block a transaction may be mined. Nakamoto has only one kind and ignores the mode.
// Coinbases and poison-microblock transactions must be AnchorOnChainOnly.
type AnchorMode uint8

// The anchor modes.
const (
	AnchorOnChainOnly  AnchorMode = 1
	AnchorOffChainOnly AnchorMode = 2
	AnchorAny          AnchorMode = 3
)

// Valid reports whether m is one of the anchor modes.
func (m AnchorMode) Valid() bool { return m >= AnchorOnChainOnly && m <= AnchorAny }

var anchorModeNames = [...]string{
	AnchorOnChainOnly:  "on_chain_only",
	AnchorOffChainOnly: "off_chain_only",
	AnchorAny:          "any",
}

// String returns the name that existing APIs show, or "unknown".
func (m AnchorMode) String() string { return nameIn(anchorModeNames[:], uint8(m)) }
