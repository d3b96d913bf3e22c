package vm

import (
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
)

// MintToken creates fungible tokens of a contract and reports whether it could.
func (x *Execution) MintToken(contract, to ledger.Party, n ledger.Amount) bool {
	total := x.Supply.Get(contract).Add(n)
	if n.IsZero() || total.Less(n) {
		return false
	}
	x.Supply.Set(contract, total)
	x.GiveToken(contract, to, n)
	x.emit(nodejson.FTMint(x.asset(contract), x.text(to), n.String()))
	return true
}

// TransferToken moves fungible tokens of a contract and reports whether it could.
func (x *Execution) TransferToken(contract, from, to ledger.Party, n ledger.Amount) bool {
	if from == to || n.IsZero() || x.Token.Get(ledger.Holding{Contract: contract, Owner: from}).Less(n) {
		return false
	}
	x.TakeToken(contract, from, n)
	x.GiveToken(contract, to, n)
	x.emit(nodejson.FTTransfer(x.asset(contract), x.text(from), x.text(to), n.String()))
	return true
}

// BurnToken destroys fungible tokens of a contract and reports whether it could.
func (x *Execution) BurnToken(contract, from ledger.Party, n ledger.Amount) bool {
	if n.IsZero() || x.Token.Get(ledger.Holding{Contract: contract, Owner: from}).Less(n) {
		return false
	}
	x.TakeToken(contract, from, n)
	x.Supply.Set(contract, x.Supply.Get(contract).Sub(n))
	x.emit(nodejson.FTBurn(x.asset(contract), x.text(from), n.String()))
	return true
}

// MintItem creates a non-fungible token and reports whether it could. A burned one can be minted again.
func (x *Execution) MintItem(i ledger.Item, to ledger.Party) bool {
	if x.Owner.Has(i) {
		return false
	}
	x.Owner.Set(i, to)
	x.NextItem.Set(i.Contract, max(x.NextItem.Get(i.Contract), i.Number+1))
	x.emit(nodejson.NFTMint(x.Generation, x.asset(i.Contract), x.ItemID(i), x.text(to)))
	return true
}

// TransferItem moves a non-fungible token and reports whether it could.
func (x *Execution) TransferItem(i ledger.Item, from, to ledger.Party) bool {
	owner, ok := x.Owner.Rows[i]
	if !ok || owner != from || from == to {
		return false
	}
	x.Owner.Set(i, to)
	x.emit(nodejson.NFTTransfer(x.Generation, x.asset(i.Contract), x.ItemID(i), x.text(from), x.text(to)))
	return true
}

// BurnItem destroys a non-fungible token and reports whether it could.
func (x *Execution) BurnItem(i ledger.Item, from ledger.Party) bool {
	owner, ok := x.Owner.Rows[i]
	if !ok || owner != from {
		return false
	}
	x.Owner.Remove(i)
	x.emit(nodejson.NFTBurn(x.Generation, x.asset(i.Contract), x.ItemID(i), x.text(from)))
	return true
}
