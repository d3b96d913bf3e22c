package body

import (
	"fmt"

	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/domain/token"
	"strata/domain/transaction"
)

// Contract returns the id of a contract of the account.
func (a Account) Contract(name string) string { return a.Address() + "." + name }

// Deploys returns a transaction in which the account deploys a contract. The interface goes into the body as JSON; nil
// leaves it out, as some nodes do.
func (a Account) Deploys(name string, contractInterface any, events ...Event) Transaction {
	return Transaction{
		Raw:     a.Sign(0, 0, &transaction.SmartContract{ContractName: name, Code: []byte("(ok true)")}),
		Events:  events,
		Members: map[string]any{"contract_interface": contractInterface},
	}
}

// Did returns a transaction that the account signs, with the given events.
func (a Account) Did(events ...Event) Transaction {
	return Transaction{Raw: a.Sign(0, 0, &transaction.Coinbase{}), Events: events}
}

// Print returns the event of a contract that prints a value.
func Print(contract string, value clarity.Value) Event {
	return Event{Type: nodeevent.TypeContract, Data: map[string]any{
		"contract_identifier": contract, "topic": token.PrintTopic, "raw_value": value.Hex(),
	}}
}

// At returns the block at a height of branch a.
func At(height int, transactions ...Transaction) Block {
	return Block{
		Name: fmt.Sprintf("a%d", height), Parent: fmt.Sprintf("a%d", height-1), Burn: fmt.Sprintf("%da", 100+height), Transactions: transactions,
	}
}

// Unsigned returns a transaction of the boot address, without fee and nonce, with the given events.
func Unsigned(events ...Event) Transaction {
	return Transaction{Raw: Boot(&transaction.Coinbase{}), Events: events}
}

// MintSTX returns the event of STX minted for an account.
func MintSTX(to string, amount uint64) Event {
	return Event{Type: nodeevent.TypeSTXMint, Data: map[string]any{"recipient": to, "amount": fmt.Sprint(amount)}}
}

// BurnSTX returns the event of STX burned by an account.
func BurnSTX(from string, amount uint64) Event {
	return Event{Type: nodeevent.TypeSTXBurn, Data: map[string]any{"sender": from, "amount": fmt.Sprint(amount)}}
}

// TransferSTX returns the event of a transfer of STX.
func TransferSTX(from, to string, amount uint64) Event {
	return Event{Type: nodeevent.TypeSTXTransfer, Data: map[string]any{"sender": from, "recipient": to, "amount": fmt.Sprint(amount)}}
}

// MintNFT returns the event of the mint of a non-fungible token, whose id is any value.
func MintNFT(asset string, id clarity.Value) Event {
	return Event{Type: nodeevent.TypeNFTMint, Data: map[string]any{
		"asset_identifier": asset, "recipient": Account("holder").Address(), "raw_value": id.Hex(),
	}}
}

// MintFT returns the event of the mint of an amount of a fungible token.
func MintFT(asset, amount string) Event {
	return Event{Type: nodeevent.TypeFTMint, Data: map[string]any{
		"asset_identifier": asset, "recipient": Account("holder").Address(), "amount": amount,
	}}
}

// BurnFT returns the event of the burn of an amount of a fungible token.
func BurnFT(asset, amount string) Event {
	return Event{Type: nodeevent.TypeFTBurn, Data: map[string]any{
		"asset_identifier": asset, "sender": Account("holder").Address(), "amount": amount,
	}}
}
