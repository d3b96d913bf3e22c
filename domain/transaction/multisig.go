package transaction

import (
	"fmt"
	"math"

	"strata/domain/c32"
	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// Multisig is an account of several key holders, of whom a required number must sign.
type Multisig struct {
	mode     HashMode
	required uint16
	holders  []key.Public
	signer   hash.Hash20
}

// NewMultisig returns an account in one of the hash modes P2SH, P2WSHP2SH, P2SHOrderIndependent and
// P2WSHP2SHOrderIndependent. The address depends on the order of the holders. The error wraps ErrKeys.
func NewMultisig(mode HashMode, required int, holders ...key.Public) (Multisig, error) {
	if mode.Single() {
		return Multisig{}, fmt.Errorf("multisig in hash mode %s: %w", mode, ErrKeys)
	}
	if required < 1 || required > len(holders) || required > math.MaxUint16 {
		return Multisig{}, fmt.Errorf("%d signatures of %d holders: %w", required, len(holders), ErrKeys)
	}
	signer, err := SignerHash(mode, uint16(required), holders...)
	if err != nil {
		return Multisig{}, err
	}
	return Multisig{mode: mode, required: uint16(required), holders: holders, signer: signer}, nil
}

// Address returns the address of the account on mainnet or on testnets.
func (m Multisig) Address(mainnet bool) c32.Address {
	return c32.Address{Version: m.mode.AddressVersion(mainnet), Hash160: m.signer}
}

// Condition returns an unsigned spending condition of the account.
func (m Multisig) Condition(nonce, fee uint64) SpendingCondition {
	return SpendingCondition{
		HashMode:           m.mode,
		Signer:             m.signer,
		Nonce:              nonce,
		Fee:                fee,
		SignaturesRequired: m.required,
	}
}
