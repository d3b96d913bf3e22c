package bns

import (
	"bytes"

	"strata/domain/contract"
)

// Source is what the source of a contract tells of calls that change names without a print.
type Source struct {
	// SetsPrimary and Renews say that the contract may call set-primary-name and name-renewal itself.
	SetsPrimary, Renews bool
	// Names are the contracts that the source names. It can call no other ones, except for those that come as arguments.
	Names []string
}

// ReadSource reads the source of a contract of a deployer. Clarity has no way to call a function whose name is not in
// the source of the caller, so what is not found here can't happen. What is found in a comment only is found, too.
func ReadSource(deployer string, code []byte) Source {
	return Source{
		SetsPrimary: bytes.Contains(code, []byte(SetPrimaryName)), Renews: bytes.Contains(code, []byte(NameRenewal)),
		Names: contract.NamedIn(deployer, code),
	}
}
