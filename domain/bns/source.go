package bns

import (
	"bytes"
	"regexp"
	"slices"
)

// Source is what the source of a contract tells of calls that change names without a print.
type Source struct {
	// SetsPrimary and Renews say that the contract may call set-primary-name and name-renewal itself.
	SetsPrimary, Renews bool
	// Names are the contracts that the source names. It can call no other ones, except for those that come as arguments.
	Names []string
}

// contractLiteral matches a contract in a source: .name for one of the same deployer, or 'ADDRESS.name.
var contractLiteral = regexp.MustCompile(`(?:'(S[0-9A-Z]{20,41}))?\.([a-zA-Z][a-zA-Z0-9_-]{0,127})`)

// ReadSource reads the source of a contract of a deployer. Clarity has no way to call a function whose name is not in
// the source of the caller, so what is not found here can't happen. What is found in a comment only is found, too.
func ReadSource(deployer string, code []byte) Source {
	s := Source{SetsPrimary: bytes.Contains(code, []byte(SetPrimaryName)), Renews: bytes.Contains(code, []byte(NameRenewal))}
	for _, match := range contractLiteral.FindAllSubmatch(code, -1) {
		of := deployer
		if len(match[1]) > 0 {
			of = string(match[1])
		}
		if contract := of + "." + string(match[2]); !slices.Contains(s.Names, contract) {
			s.Names = append(s.Names, contract)
		}
	}
	return s
}
