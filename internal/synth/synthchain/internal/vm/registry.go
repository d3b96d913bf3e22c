package vm

import (
	"encoding/hex"
	"strconv"
	"strings"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthnames"
	"strata/internal/synth/value"
)

// errNotNow is the error with which BNS-V2 refuses what somebody thought up for another state of it.
const errNotNow = 114

// RegistryContract returns a contract of BNS-V2: that of names, or the resolver of zonefiles.
func (r *Rules) RegistryContract(contract string) ledger.Party {
	deployer, name := bns.MainnetDeployer, bns.NamesContract
	if r.Network == node.Testnet {
		deployer = bns.TestnetDeployer
	}
	if contract == synthnames.Zonefiles {
		name = bns.ZonefilesContract
	}
	return r.Roll.Number(value.Must(clarity.ParsePrincipal(deployer + "." + name)))
}

// Register executes a call of BNS-V2 that was thought up for a state of it. In any other state the contract refuses the
// call.
func (x *Execution) Register(before, after *synthnames.State, events []synthnames.Event) nodejson.Outcome {
	if x.Registry.Value != before || !x.Nakamoto || int64(x.Burn) != after.BurnHeight {
		return Failed(errNotNow)
	}
	for _, e := range events {
		if !x.registryEvent(e) {
			return Failed(1)
		}
	}
	x.Registry.Set(after)
	return Succeeded()
}

// registryEvent does what an event of BNS-V2 tells, and reports whether it could.
func (x *Execution) registryEvent(e synthnames.Event) bool {
	text := func(member string) string { s, _ := e.Data[member].(string); return s }
	printed := func() clarity.Value {
		return value.Must(clarity.DecodeAll(value.Must(hex.DecodeString(strings.TrimPrefix(text("raw_value"), "0x")))))
	}
	party := func(member string) ledger.Party { return x.registryParty(text(member)) }
	amount := func() uint64 { return value.Must(strconv.ParseUint(text("amount"), 10, 64)) }
	asset := x.text(x.RegistryContract(synthnames.Names)) + "::" + bns.Asset
	switch e.Type {
	case nodeevent.TypeSTXBurn:
		return x.BurnSTX(party("sender"), amount())
	case nodeevent.TypeSTXTransfer:
		return x.TransferSTX(party("sender"), party("recipient"), amount(), nil)
	case nodeevent.TypeNFTMint:
		x.emit(nodejson.NFTMint(x.Generation, asset, printed(), text("recipient")))
	case nodeevent.TypeNFTTransfer:
		x.emit(nodejson.NFTTransfer(x.Generation, asset, printed(), text("sender"), text("recipient")))
	case nodeevent.TypeNFTBurn:
		x.emit(nodejson.NFTBurn(x.Generation, asset, printed(), text("sender")))
	case nodeevent.TypeContract:
		x.Print(x.registryParty(text("contract_identifier")), printed())
	}
	return true
}

// registryParty returns a principal in an event of BNS-V2, on the network of the chain.
func (x *Execution) registryParty(text string) ledger.Party {
	if text == synthnames.Names || text == synthnames.Zonefiles {
		return x.RegistryContract(text)
	}
	return x.Roll.Number(value.Must(clarity.ParsePrincipal(text)))
}
