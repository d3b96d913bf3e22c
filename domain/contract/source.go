package contract

import (
	"regexp"
	"slices"
)

// literal matches a contract in a source: .name for one of the same deployer, or 'ADDRESS.name.
var literal = regexp.MustCompile(`(?:'(S[0-9A-Z]{20,41}))?\.([a-zA-Z][a-zA-Z0-9_-]{0,127})`)

// NamedIn returns the contracts that the source of a contract of a deployer names, also in comments. It can call no other
// ones, except for those that come as arguments.
func NamedIn(deployer string, source []byte) (contracts []string) {
	for _, match := range literal.FindAllSubmatch(source, -1) {
		of := deployer
		if len(match[1]) > 0 {
			of = string(match[1])
		}
		if contract := of + "." + string(match[2]); !slices.Contains(contracts, contract) {
			contracts = append(contracts, contract)
		}
	}
	return contracts
}
