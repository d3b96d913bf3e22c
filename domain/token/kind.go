package token

// Kind says what the tokens of a contract are like.
type Kind string

// Kinds, in the words of the API and of SIP-019.
const (
	// FT is one fungible token (SIP-010).
	FT Kind = "ft"
	// SFT are semi-fungible tokens: many, each with a supply of its own (SIP-013).
	SFT Kind = "sft"
	// NFT are non-fungible tokens (SIP-009).
	NFT Kind = "nft"
)

var standards = map[Kind]string{FT: "sip-010", SFT: "sip-013", NFT: "sip-009"}

// SIP is the standard that contracts of the kind follow, such as "sip-010"; empty for what is no kind.
func (k Kind) SIP() string { return standards[k] }
