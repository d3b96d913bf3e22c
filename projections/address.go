package projections

import (
	"strings"

	"strata/domain/c32"
)

// MainnetContract reports whether the address of a contract is one of mainnet. tells is false for what is no contract, and for a
// version of addresses that no network has.
func MainnetContract(id string) (mainnet, tells bool) {
	text, _, isContract := strings.Cut(id, ".")
	address, err := c32.ParseAddress(text)
	if err != nil || !isContract {
		return false, false
	}
	return address.IsMainnet(), address.IsMainnet() || address.Version == c32.TestnetSingle || address.Version == c32.TestnetMulti
}
