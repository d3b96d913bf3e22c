package pox

import (
	"strata/domain/c32"
	"strata/domain/clarity"
)

// versions maps the name of each proof-of-transfer contract to its version.
var versions = map[string]int{"pox": 1, "pox-2": 2, "pox-3": 3, "pox-4": 4, "pox-5": 5}

// Version returns the version, 1 to 5, of a proof-of-transfer contract of the boot address of mainnet or testnet. It
// returns false for any other principal. Decode reads the events of versions 2 to 4, DecodePrint those of version 5.
func Version(contract clarity.Principal) (int, bool) {
	boot := contract.Address.Hash160 == [20]byte{} &&
		(contract.Address.Version == c32.MainnetSingle || contract.Address.Version == c32.TestnetSingle)
	version, ok := versions[contract.Contract]
	if !boot || !ok {
		return 0, false
	}
	return version, true
}
