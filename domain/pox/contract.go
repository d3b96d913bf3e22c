package pox

import (
	"strata/domain/c32"
	"strata/domain/clarity"
)

// versions of the contract, by name.
var versions = map[string]int{"pox": 1, "pox-2": 2, "pox-3": 3, "pox-4": 4, "pox-5": 5}

// Version returns which proof-of-transfer contract a principal is, 1 to 5: one deployed by the boot address of mainnet
// or testnet. Events of versions 2 to 4 are read by Decode, of version 5 by DecodePrint.
func Version(contract clarity.Principal) (int, bool) {
	boot := contract.Address.Hash160 == [20]byte{} &&
		(contract.Address.Version == c32.MainnetSingle || contract.Address.Version == c32.TestnetSingle)
	version, ok := versions[contract.Contract]
	if !boot || !ok {
		return 0, false
	}
	return version, true
}
