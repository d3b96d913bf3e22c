package synthnames

import (
	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/internal/synth/synthblock"
)

// Names and Zonefiles are the contracts that are called.
const (
	Names     = bns.MainnetDeployer + "." + bns.NamesContract
	Zonefiles = bns.MainnetDeployer + "." + bns.ZonefilesContract
	Asset     = Names + "::" + bns.Asset
)

// Call is a transaction that calls a contract, with its events.
type Call struct {
	Contract, Function string
	Args               []clarity.Value
	Sender             string // an address of mainnet
	Failed             bool
	Events             []Event
	// Deploys makes the transaction the deployment of a contract with this name, whose body does all that.
	Deploys string
	// Source is the source of that contract; empty for one that is of no interest.
	Source string
}

// Event is an event of a transaction.
type Event = synthblock.Event

// Mint returns the event of a new token, which stands for a name.
func Mint(id uint64, to string) Event { return token(nodeevent.TypeNFTMint, id, "recipient", to) }

// Transfer returns the event of a token that changes hands.
func Transfer(id uint64, from, to string) Event {
	return token(nodeevent.TypeNFTTransfer, id, "sender", from, "recipient", to)
}

// Burn returns the event of a token's end.
func Burn(id uint64, from string) Event { return token(nodeevent.TypeNFTBurn, id, "sender", from) }

func token(kind string, id uint64, members ...string) Event {
	data := map[string]any{"asset_identifier": Asset, "raw_value": clarity.NewUint64(id).Hex()}
	for i := 0; i < len(members); i += 2 {
		data[members[i]] = members[i+1]
	}
	return Event{Type: kind, Data: data}
}

// BurnSTX returns the event of an account that burns µSTX.
func BurnSTX(from, amount string) Event {
	return Event{Type: nodeevent.TypeSTXBurn, Data: map[string]any{"sender": from, "amount": amount}}
}

// TransferSTX returns the event of a transfer of µSTX.
func TransferSTX(from, to, amount string) Event {
	return Event{Type: nodeevent.TypeSTXTransfer, Data: map[string]any{"sender": from, "recipient": to, "amount": amount}}
}
