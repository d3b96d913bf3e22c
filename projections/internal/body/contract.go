package body

import (
	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/token"
	"strata/domain/transaction"
)

// Contract is the id of a contract of the account.
func (a Account) Contract(name string) string { return a.Address() + "." + name }

// Deploys is the transaction with which the account deploys a contract. The interface goes into the body as it is, as
// json.RawMessage or what gives JSON; nil for a node that leaves it out.
func (a Account) Deploys(name string, contractInterface any, events ...Event) Transaction {
	return Transaction{
		Raw:     a.Sign(0, 0, &transaction.SmartContract{ContractName: name, Code: []byte("(ok true)")}),
		Events:  events,
		Members: map[string]any{"contract_interface": contractInterface},
	}
}

// Did is a transaction that the account signed, with these events.
func (a Account) Did(events ...Event) Transaction {
	return Transaction{Raw: a.Sign(0, 0, &transaction.Coinbase{}), Events: events}
}

// Print is a value that a contract printed.
func Print(contract string, value clarity.Value) Event {
	return Event{Type: nodeevent.TypeContract, Data: map[string]any{
		"contract_identifier": contract, "topic": token.PrintTopic, "raw_value": value.Hex(),
	}}
}

// MintNFT is the creation of a token that is named by a value.
func MintNFT(asset string, id clarity.Value) Event {
	return Event{Type: nodeevent.TypeNFTMint, Data: map[string]any{
		"asset_identifier": asset, "recipient": Account("holder").Address(), "raw_value": id.Hex(),
	}}
}

// MintFT is the creation of units of a fungible token.
func MintFT(asset, amount string) Event {
	return Event{Type: nodeevent.TypeFTMint, Data: map[string]any{
		"asset_identifier": asset, "recipient": Account("holder").Address(), "amount": amount,
	}}
}

// BurnFT is their end.
func BurnFT(asset, amount string) Event {
	return Event{Type: nodeevent.TypeFTBurn, Data: map[string]any{
		"asset_identifier": asset, "sender": Account("holder").Address(), "amount": amount,
	}}
}
