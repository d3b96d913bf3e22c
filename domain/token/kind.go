package token

// Kind is the kind of a contract's tokens.
type Kind string

// Kinds, with the names in the API and in SIP-019.
const (
	// FT is one fungible token (SIP-010).
	FT Kind = "ft"
	// SFT is many semi-fungible tokens, each with its own supply (SIP-013).
	SFT Kind = "sft"
	// NFT is many non-fungible tokens (SIP-009).
	NFT Kind = "nft"
)

var standards = map[Kind]string{FT: "sip-010", SFT: "sip-013", NFT: "sip-009"}

// SIP returns the standard for contracts of the kind, such as "sip-010"; empty for an unknown kind.
func (k Kind) SIP() string { return standards[k] }
