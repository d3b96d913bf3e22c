package apitest

import (
	domain "strata/domain/ordinals"
)

// known is an inscription as far as lists go by it.
type Known struct {
	ID, Address, GenesisAddress, MimeType string
	Number, Sat, Height, TxIndex, Time    int64
	Rarity                                domain.Rarity
	Recursive                             bool
}
