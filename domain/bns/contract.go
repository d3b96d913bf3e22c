package bns

import (
	"fmt"
	"slices"

	"strata/domain/clarity"
)

// Names of the contracts and of the non-fungible token that stands for a name. The token's id is a uint.
const (
	NamesContract     = "BNS-V2"
	ZonefilesContract = "zonefile-resolver"
	Asset             = "BNS-V2"
)

// Deployers of the contracts. Another deployment on mainnet, by SP2JMM3PH9AGMASBD11SHG4HWDS6CTY9MGN6CW48G, was
// abandoned and does not count.
const (
	MainnetDeployer = "SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF"
	TestnetDeployer = "ST2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D9SZJQ0M"
)

// Contracts are the ids of the contracts that form a registry: contracts for names and resolvers of zonefiles.
// Different networks may be among them, because a log has one network only.
type Contracts struct {
	Names, Zonefiles []string
}

// ContractsOf returns the contracts of deployers, which are addresses; without any, those of mainnet and testnet. The
// error says which text is not an address.
func ContractsOf(deployers ...string) (Contracts, error) {
	if len(deployers) == 0 {
		deployers = []string{MainnetDeployer, TestnetDeployer}
	}
	var c Contracts
	for _, deployer := range deployers {
		p, err := clarity.ParsePrincipal(deployer)
		if err != nil || p.IsContract() {
			return Contracts{}, fmt.Errorf("deployer of %s: %q is not an address", NamesContract, deployer)
		}
		if names := p.String() + "." + NamesContract; !slices.Contains(c.Names, names) {
			c.Names = append(c.Names, names)
			c.Zonefiles = append(c.Zonefiles, p.String()+"."+ZonefilesContract)
		}
	}
	return c, nil
}

// KnownContracts returns the contracts of mainnet and testnet.
func KnownContracts() Contracts {
	c, err := ContractsOf()
	if err != nil {
		panic(err) // the constants are addresses
	}
	return c
}

// IsNames reports whether a contract registers names.
func (c Contracts) IsNames(contract string) bool { return slices.Contains(c.Names, contract) }

// IsZonefiles reports whether a contract resolves zonefiles.
func (c Contracts) IsZonefiles(contract string) bool { return slices.Contains(c.Zonefiles, contract) }

// IsAsset reports whether an asset is that of names.
func (c Contracts) IsAsset(asset string) bool {
	const suffix = "::" + Asset
	return len(asset) > len(suffix) && asset[len(asset)-len(suffix):] == suffix && c.IsNames(asset[:len(asset)-len(suffix)])
}
