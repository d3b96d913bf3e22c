package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
)

// execution runs operations on top of one block: it changes the model and collects events. It is the virtual machine of
// this package and enforces the rules of STX and tokens.
type execution struct {
	*model
	chain    *Chain
	height   uint64 // of the block that is being built
	burn     uint64 // the burn height that decides whether locks have ended
	nakamoto bool
	events   []event
}

// operation is a transaction, or an operation on Bitcoin that nodes post as one. It can be executed on several
// branches, with different outcomes.
type operation struct {
	origin, sponsor *account // nil if no account sent it
	nonce           uint64   // of the origin
	sponsorNonce    uint64
	fee             uint64
	payload         transaction.Payload
	raw             []byte
	replaces        *operation // an earlier transaction with a lower fee; usually nil
	txid            hash.Hash32
	needs           func(*execution) bool // further conditions to be mined, besides nonces and fee; nil for none
	run             func(*execution) outcome
}

// payer returns the account that pays the fee.
func (o *operation) payer() *account {
	if o.sponsor != nil {
		return o.sponsor
	}
	return o.origin
}

// minable reports whether a miner may include the operation now.
func (x *execution) minable(o *operation) bool {
	if o.origin != nil {
		if x.nonce.Get(o.origin.party) != o.nonce || x.available(o.payer().party, x.burn) < o.fee {
			return false
		}
		if o.sponsor != nil && x.nonce.Get(o.sponsor.party) != o.sponsorNonce {
			return false
		}
	}
	return o.needs == nil || o.needs(x)
}

// execute executes the operation, which must be minable.
func (x *execution) execute(o *operation) *receipt {
	if o.origin != nil {
		x.nonce.Set(o.origin.party, o.nonce+1)
		if o.sponsor != nil {
			x.nonce.Set(o.sponsor.party, o.sponsorNonce+1)
		}
		if o.fee > 0 {
			x.debit(o.payer().party, o.fee)
			x.count(totalFees, o.fee)
		}
	}
	x.events = nil
	mark := x.Mark()
	out := o.run(x)
	r := &receipt{txid: o.txid, raw: o.raw, outcome: out}
	switch out.status {
	case success:
		r.events = x.events
	case abortByPostCondition:
		x.Rollback(mark)
		if x.chain.cfg.Generation < V34 {
			r.events = x.events
		}
	default:
		x.Rollback(mark)
	}
	if o.origin != nil {
		r.cost = x.chain.cost(len(o.raw))
	}
	return r
}

func (x *execution) emit(kind eventKind, data []byte) {
	x.events = append(x.events, event{kind: kind, data: data})
}

// transferSTX moves STX and reports whether it could. memo is nil if there is none, as in Clarity.
func (x *execution) transferSTX(from, to party, n uint64, memo []byte) bool {
	if from == to || n == 0 || x.available(from, x.burn) < n {
		return false
	}
	x.debit(from, n)
	x.credit(to, n)
	x.emitTransfer(from, to, n, memo)
	return true
}

func (x *execution) emitTransfer(from, to party, n uint64, memo []byte) {
	data := appendAmount([]byte(`{"amount":`), n)
	if x.chain.cfg.Generation >= V21 {
		data = appendBareHex(appendKey(data, "memo"), memo)
	}
	data = appendText(appendKey(data, "recipient"), x.text(to))
	data = appendText(appendKey(data, "sender"), x.text(from))
	x.emit(stxTransfer, append(data, '}'))
}

func (x *execution) mintSTX(to party, n uint64) {
	x.credit(to, n)
	x.count(totalMinted, n)
	data := appendAmount([]byte(`{"amount":`), n)
	data = appendText(appendKey(data, "recipient"), x.text(to))
	x.emit(stxMint, append(data, '}'))
}

// burnSTX destroys STX and reports whether it could.
func (x *execution) burnSTX(from party, n uint64) bool {
	if n == 0 || x.available(from, x.burn) < n {
		return false
	}
	x.debit(from, n)
	x.count(totalBurned, n)
	data := appendAmount([]byte(`{"amount":`), n)
	data = appendText(appendKey(data, "sender"), x.text(from))
	x.emit(stxBurn, append(data, '}'))
	return true
}

// lockSTX sets the lock of an account, which replaces an earlier lock.
func (x *execution) lockSTX(p party, l lock) {
	x.lock.Set(p, l)
	data := []byte(`{`)
	if x.chain.cfg.Generation >= V21 {
		data = appendText(append(data, `"contract_identifier":`...), x.text(l.contract))
		data = append(data, ',')
	}
	data = appendText(append(data, `"locked_address":`...), x.text(p))
	data = appendAmount(appendKey(data, "locked_amount"), l.amount)
	data = appendAmount(appendKey(data, "unlock_height"), l.until)
	x.emit(stxLock, append(data, '}'))
}

func (x *execution) mintToken(contract, to party, n u128) bool {
	total := x.supply.Get(contract).add(n)
	if n.isZero() || total.less(n) {
		return false
	}
	x.supply.Set(contract, total)
	x.giveToken(contract, to, n)
	data := appendText([]byte(`{"amount":`), n.String())
	data = appendText(appendKey(data, "asset_identifier"), x.asset(contract))
	data = appendText(appendKey(data, "recipient"), x.text(to))
	x.emit(ftMint, append(data, '}'))
	return true
}

func (x *execution) transferToken(contract, from, to party, n u128) bool {
	if from == to || n.isZero() || x.token.Get(holding{contract, from}).less(n) {
		return false
	}
	x.takeToken(contract, from, n)
	x.giveToken(contract, to, n)
	data := appendText([]byte(`{"amount":`), n.String())
	data = appendText(appendKey(data, "asset_identifier"), x.asset(contract))
	data = appendText(appendKey(data, "recipient"), x.text(to))
	data = appendText(appendKey(data, "sender"), x.text(from))
	x.emit(ftTransfer, append(data, '}'))
	return true
}

func (x *execution) burnToken(contract, from party, n u128) bool {
	if n.isZero() || x.token.Get(holding{contract, from}).less(n) {
		return false
	}
	x.takeToken(contract, from, n)
	x.supply.Set(contract, x.supply.Get(contract).sub(n))
	data := appendText([]byte(`{"amount":`), n.String())
	data = appendText(appendKey(data, "asset_identifier"), x.asset(contract))
	data = appendText(appendKey(data, "sender"), x.text(from))
	x.emit(ftBurn, append(data, '}'))
	return true
}

// mintItem creates a non-fungible token. A burned one can be minted again.
func (x *execution) mintItem(i item, to party) bool {
	if x.item.Has(i) {
		return false
	}
	x.item.Set(i, to)
	x.emit(nftMint, x.itemData(i, "recipient", to))
	return true
}

func (x *execution) transferItem(i item, from, to party) bool {
	owner, ok := x.item.Rows[i]
	if !ok || owner != from || from == to {
		return false
	}
	x.item.Set(i, to)
	data := []byte(`{"asset_identifier":`)
	data = appendText(data, x.asset(i.contract))
	value := x.itemValue(i)
	data = appendHex(appendKey(data, "raw_value"), value.Raw())
	data = appendText(appendKey(data, "recipient"), x.text(to))
	data = appendText(appendKey(data, "sender"), x.text(from))
	x.emit(nftTransfer, x.closeWithValue(data, value))
	return true
}

func (x *execution) burnItem(i item, from party) bool {
	owner, ok := x.item.Rows[i]
	if !ok || owner != from {
		return false
	}
	x.item.Remove(i)
	x.emit(nftBurn, x.itemData(i, "sender", from))
	return true
}

// itemData encodes the event of a non-fungible token that has one party, whose member is called role.
func (x *execution) itemData(i item, role string, p party) []byte {
	value := x.itemValue(i)
	data := appendText([]byte(`{"asset_identifier":`), x.asset(i.contract))
	data = appendHex(appendKey(data, "raw_value"), value.Raw())
	data = appendText(appendKey(data, role), x.text(p))
	return x.closeWithValue(data, value)
}

// print emits the event of a value that a contract prints.
func (x *execution) print(contract party, value clarity.Value) {
	data := appendText([]byte(`{"contract_identifier":`), x.text(contract))
	data = appendHex(appendKey(data, "raw_value"), value.Raw())
	data = append(data, `,"topic":"print"`...)
	x.emit(contractEvent, x.closeWithValue(data, value))
}

// closeWithValue closes an event's object. Nodes before V34 add the decoded value at its end.
func (x *execution) closeWithValue(data []byte, value clarity.Value) []byte {
	if x.chain.cfg.Generation < V34 {
		data = appendStructure(appendKey(data, "value"), value)
	}
	return append(data, '}')
}

func (x *execution) text(p party) string { return x.chain.roll.text(p) }

// asset returns the asset identifier of a contract's token.
func (x *execution) asset(contract party) string {
	return x.text(contract) + "::" + x.deployed.Get(contract).asset
}

func (x *execution) itemValue(i item) clarity.Value { return x.deployed.Get(i.contract).item(i.number) }
