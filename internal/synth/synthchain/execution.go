package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
)

// execution runs operations on top of one block: it changes the model and collects events. It is the virtual machine
// of this package, and knows what STX and tokens may and may not do.
type execution struct {
	*model
	chain    *Chain
	height   uint64 // of the block in the making
	burn     uint64 // the burn height that locks are measured with
	nakamoto bool
	events   []event
}

// operation is something that can be executed: a transaction, or what looks like one. It can be executed on several
// branches, with different outcomes.
type operation struct {
	origin, sponsor *account // nil for what no account sent
	nonce, paid     uint64   // nonces of origin and sponsor
	fee             uint64
	payload         transaction.Payload
	raw             []byte
	replaces        *operation // announced before, with a lower fee; nil mostly
	txid            hash.Hash32
	needs           func(*execution) bool // whether it may be mined at all, apart from nonces and fee; nil: always
	run             func(*execution) outcome
}

// fees tells who pays.
func (o *operation) payer() *account {
	if o.sponsor != nil {
		return o.sponsor
	}
	return o.origin
}

// minable reports whether a miner may include the operation now.
func (x *execution) minable(o *operation) bool {
	if o.origin != nil {
		if x.nonce.get(o.origin.party) != o.nonce || x.available(o.payer().party, x.burn) < o.fee {
			return false
		}
		if o.sponsor != nil && x.nonce.get(o.sponsor.party) != o.paid {
			return false
		}
	}
	return o.needs == nil || o.needs(x)
}

// execute includes the operation, which must be minable.
func (x *execution) execute(o *operation) *receipt {
	if o.origin != nil {
		x.nonce.set(o.origin.party, o.nonce+1)
		if o.sponsor != nil {
			x.nonce.set(o.sponsor.party, o.paid+1)
		}
		if o.fee > 0 {
			x.debit(o.payer().party, o.fee)
			x.count(totalFees, o.fee)
		}
	}
	x.events = nil
	mark := x.mark()
	out := o.run(x)
	r := &receipt{txid: o.txid, raw: o.raw, outcome: out}
	switch out.status {
	case success:
		r.events = x.events
	case abortByPostCondition:
		x.rollback(mark)
		if x.chain.cfg.Generation < V34 {
			r.events = x.events
		}
	default:
		x.rollback(mark)
	}
	if o.origin != nil {
		r.cost = x.chain.cost(len(o.raw))
	}
	return r
}

func (x *execution) emit(kind eventKind, data []byte) {
	x.events = append(x.events, event{kind: kind, data: data})
}

// transferSTX moves STX and tells whether it could. The memo is nil unless given, as Clarity has it.
func (x *execution) transferSTX(from, to party, n uint64, memo []byte) bool {
	if from == to || n == 0 || x.available(from, x.burn) < n {
		return false
	}
	x.debit(from, n)
	x.credit(to, n)
	x.tellTransfer(from, to, n, memo)
	return true
}

func (x *execution) tellTransfer(from, to party, n uint64, memo []byte) {
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

// burnSTX destroys STX and tells whether it could.
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

// lockSTX sets the lock of an account, which replaces an earlier one.
func (x *execution) lockSTX(p party, l lock) {
	x.lock.set(p, l)
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
	total := x.supply.get(contract).add(n)
	if n.isZero() || total.less(n) {
		return false
	}
	x.supply.set(contract, total)
	x.giveToken(contract, to, n)
	data := appendText([]byte(`{"amount":`), n.String())
	data = appendText(appendKey(data, "asset_identifier"), x.asset(contract))
	data = appendText(appendKey(data, "recipient"), x.text(to))
	x.emit(ftMint, append(data, '}'))
	return true
}

func (x *execution) transferToken(contract, from, to party, n u128) bool {
	if from == to || n.isZero() || x.token.get(holding{contract, from}).less(n) {
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
	if n.isZero() || x.token.get(holding{contract, from}).less(n) {
		return false
	}
	x.takeToken(contract, from, n)
	x.supply.set(contract, x.supply.get(contract).sub(n))
	data := appendText([]byte(`{"amount":`), n.String())
	data = appendText(appendKey(data, "asset_identifier"), x.asset(contract))
	data = appendText(appendKey(data, "sender"), x.text(from))
	x.emit(ftBurn, append(data, '}'))
	return true
}

// mintItem creates a non-fungible token, anew if it was burned before.
func (x *execution) mintItem(i item, to party) bool {
	if x.item.has(i) {
		return false
	}
	x.item.set(i, to)
	x.emit(nftMint, x.itemData(i, "recipient", to))
	return true
}

func (x *execution) transferItem(i item, from, to party) bool {
	owner, ok := x.item.rows[i]
	if !ok || owner != from || from == to {
		return false
	}
	x.item.set(i, to)
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
	owner, ok := x.item.rows[i]
	if !ok || owner != from {
		return false
	}
	x.item.remove(i)
	x.emit(nftBurn, x.itemData(i, "sender", from))
	return true
}

// itemData is the event of a token that has one party.
func (x *execution) itemData(i item, role string, p party) []byte {
	value := x.itemValue(i)
	data := appendText([]byte(`{"asset_identifier":`), x.asset(i.contract))
	data = appendHex(appendKey(data, "raw_value"), value.Raw())
	data = appendText(appendKey(data, role), x.text(p))
	return x.closeWithValue(data, value)
}

// print emits what a contract prints.
func (x *execution) print(contract party, value clarity.Value) {
	data := appendText([]byte(`{"contract_identifier":`), x.text(contract))
	data = appendHex(appendKey(data, "raw_value"), value.Raw())
	data = append(data, `,"topic":"print"`...)
	x.emit(contractEvent, x.closeWithValue(data, value))
}

// closeWithValue ends an event's object, with the value in the form that nodes used to add.
func (x *execution) closeWithValue(data []byte, value clarity.Value) []byte {
	if x.chain.cfg.Generation < V34 {
		data = appendStructure(appendKey(data, "value"), value)
	}
	return append(data, '}')
}

func (x *execution) text(p party) string { return x.chain.roll.text(p) }

// asset is the identifier of the token of a contract.
func (x *execution) asset(contract party) string {
	return x.text(contract) + "::" + x.deployed.get(contract).asset
}

func (x *execution) itemValue(i item) clarity.Value { return x.deployed.get(i.contract).item(i.number) }
