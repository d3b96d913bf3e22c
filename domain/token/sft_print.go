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

// SFTPrint is what a contract prints when it mints, burns or transfers an amount of a semi-fungible token (SIP-013): the
// chain itself has no events for them. Anybody can print it, so it counts for contracts of kind SFT only.
type SFTPrint struct {
	Event SFTEvent
	// TokenID and Amount are from 0 to 2^128-1.
	TokenID *big.Int
	Amount  *big.Int
}

// ParseSFTPrint reads a printed value, such as {type: "sft_mint", token-id: u1, amount: u100, recipient: …}; false when
// it is no such print. Who sends and receives does not matter to a token, and may be missing.
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
