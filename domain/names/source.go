package names

import (
	"bytes"

	"strata/domain/contract"
)

// Source is what the source of a contract tells of calls of the registry that print nothing.
type Source struct {
	// Renews says that the contract may call name-renewal, and Prices that it may call a function that changes prices.
	Renews, Prices bool
	// Registry says that the source names the registry.
	Registry bool
	// Names are the other contracts that the source names.
	Names []string
}

// ReadSource reads the source of a contract of a deployer. Clarity has no way to call a function whose name is not in the
// source of the caller, so what is not found here can't happen. What is found in a comment only is found, too.
func ReadSource(deployer string, code []byte) Source {
	s := Source{
		Renews: bytes.Contains(code, []byte(functionRenewal)),
		Prices: bytes.Contains(code, []byte(functionUpdate)) || bytes.Contains(code, []byte(functionFreeze)),
	}
	for _, named := range contract.NamedIn(deployer, code) {
		if IsContractText(named) {
			s.Registry = true
		} else {
			s.Names = append(s.Names, named)
		}
	}
	return s
}
