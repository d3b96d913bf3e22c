package token

import (
	"math/big"

	"strata/domain/clarity"
)

// SFTEvent says what happened to a semi-fungible token.
type SFTEvent string

// Events of SIP-013.
const (
	SFTMint     SFTEvent = "sft_mint"
	SFTBurn     SFTEvent = "sft_burn"
	SFTTransfer SFTEvent = "sft_transfer"
)

// SFTPrint is what a contract prints when it mints, burns or transfers an amount of a semi-fungible token (SIP-013).
// The chain itself has no events for semi-fungible tokens. Any contract can print such a value, so it counts only for
// contracts of kind SFT.
type SFTPrint struct {
	Event SFTEvent
	// TokenID and Amount are from 0 to 2^128-1.
	TokenID *big.Int
	Amount  *big.Int
}

// ParseSFTPrint parses a printed value such as {type: "sft_mint", token-id: u1, amount: u100, recipient: …}; false if
// it is not an SFT print. Sender and recipient may be missing: they do not matter to the token.
func ParseSFTPrint(v clarity.Value) (SFTPrint, bool) {
	word, _ := wordIn(v, "type")
	p := SFTPrint{Event: SFTEvent(word)}
	switch p.Event {
	case SFTMint, SFTBurn, SFTTransfer:
	default:
		return SFTPrint{}, false
	}
	var ok bool
	if p.TokenID, ok = uintIn(v, "token-id"); !ok {
		return SFTPrint{}, false
	}
	if p.Amount, ok = uintIn(v, "amount"); !ok {
		return SFTPrint{}, false
	}
	return p, true
}

func uintIn(tuple clarity.Value, field string) (*big.Int, bool) {
	v, _ := tuple.Field(field)
	if v.Type() != clarity.TypeUint {
		return nil, false
	}
	return v.Int()
}
