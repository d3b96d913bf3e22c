package ledger

import (
	"cmp"
	"math/big"
	"slices"
	"sort"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/operation"
	"strata/readapi/rosetta/internal/wire"
)

// assembly makes operations of the rows of a block.
type assembly struct {
	network    bitcoin.Network
	currencies Currencies
	// What changed balances, in the order of its sources, and, for those of one source, in the order of the account's changes.
	entries []entry
	rewards []entry // in the order of the account's changes
	events  []event // in the order of transactions
	locks   []lockRow
	// expiries are the locks that ended at a block.
	expiries []expiry
	// operations are those of all transactions so far: they share one array.
	operations []operation.Operation
}

// newAssembly returns an assembly of rows, which it takes over. Events are in the order of transactions.
func newAssembly(network bitcoin.Network, currencies Currencies, entries []entry, events []event, locks []lockRow, expiries []expiry) *assembly {
	a := &assembly{network: network, currencies: currencies, events: events, locks: locks, expiries: expiries}
	a.entries = entries[:0]
	for i := range entries {
		if entries[i].cause == causeReward {
			a.rewards = append(a.rewards, entries[i])
			continue
		}
		a.entries = append(a.entries, entries[i])
	}
	slices.SortFunc(a.entries, func(x, y entry) int { return cmp.Or(x.compare(y.seq, y.source), cmp.Compare(x.n, y.n)) })
	slices.SortFunc(a.rewards, func(x, y entry) int { return cmp.Or(cmp.Compare(x.n, y.n), x.compare(y.seq, y.source)) })
	slices.SortStableFunc(a.locks, func(x, y lockRow) int { return x.compare(y.seq, y.source) })
	return a
}

// entriesOf returns what a source changed.
func (a *assembly) entriesOf(seq int64, from source) []entry {
	return equal(a.entries, func(e *entry) int { return e.compare(seq, from) })
}

// eventsOf returns the events of a transaction.
func (a *assembly) eventsOf(seq int64, tx int32) []event {
	return equal(a.events, func(e *event) int { return cmp.Or(cmp.Compare(e.seq, seq), cmp.Compare(e.tx, tx)) })
}

// equal returns the part of a sorted list whose elements compare as 0.
func equal[T any](sorted []T, compare func(*T) int) []T {
	from := sort.Search(len(sorted), func(i int) bool { return compare(&sorted[i]) >= 0 })
	to := from
	for to < len(sorted) && compare(&sorted[to]) == 0 {
		to++
	}
	return sorted[from:to:to]
}

// transaction returns a transaction with its operations. If it carries what no transaction of its block did, the block is
// carries; otherwise that is nil.
func (a *assembly) transaction(r *view.TransactionRow, interfaces view.CalledInterfaces, carries *Block) Transaction {
	t := Transaction{Hash: r.ID.String(), Row: r}
	transfer, isTransfer := r.Tx.Payload.(*transaction.TokenTransfer)
	if isTransfer && !transaction.IsBurnchainOp(r.RawTx) {
		t.Memo = operation.Memo(transfer.Memo[:])
	}
	first := len(a.operations)
	ops := a.fee(a.operations, r)
	events := a.eventsOf(r.Seq, r.Index)
	if isTransfer && !hasTransfer(events) && (r.Status != operation.Success || transfer.Amount == 0) && !transaction.IsBurnchainOp(r.RawTx) {
		ops = append(ops, operation.TransferOf(r.Tx, r.Status)...)
	}
	if main, ok := operation.MainOf(r.Tx, r.Sender, r.Status, callOf(r, interfaces)); ok {
		ops = append(ops, main)
	}
	if carries != nil {
		ops = a.carried(ops, carries, t.Hash)
	}
	memos, sentMany := operation.SentMemos(r.Tx)
	sent := 0
	for i := range events {
		e := &events[i]
		memo := operation.Memo(e.memo)
		if e.kind == nodeevent.TypeSTXTransfer {
			switch {
			case isTransfer:
				memo = t.Memo
			case sentMany:
				text := memos(sent)
				memo = &text
			}
			sent++
		}
		ops = a.event(ops, e, memo)
	}
	a.operations, t.Operations = ops, ops[first:len(ops):len(ops)]
	return t
}

func hasTransfer(events []event) bool {
	for i := range events {
		if events[i].kind == nodeevent.TypeSTXTransfer {
			return true
		}
	}
	return false
}

// callOf returns a function that returns the detail of a mined call.
func callOf(r *view.TransactionRow, interfaces view.CalledInterfaces) func(*transaction.ContractCall) operation.CallDetail {
	return func(p *transaction.ContractCall) operation.CallDetail {
		signature, arguments := interfaces.Call(r, p)
		return operation.CallDetail{Call: p, Signature: signature, Arguments: arguments, Result: r.RawResult()}
	}
}

// fee appends the fee that a mined transaction paid. It was paid whatever the status of the transaction.
func (a *assembly) fee(ops []operation.Operation, r *view.TransactionRow) []operation.Operation {
	if transaction.IsBurnchainOp(r.RawTx) {
		return ops
	}
	detail := operation.FeeDetail{Sponsored: r.Tx.Sponsored()}
	for _, e := range a.entriesOf(r.Seq, source{ofTransactions, r.Index}) {
		if e.cause == causeFee {
			return append(ops, operation.Operation{Kind: operation.Fee, Status: operation.Success, Account: e.account, Value: e.delta, Currency: wire.STX(), Detail: detail})
		}
	}
	fee, ok := operation.FeeOf(r.Tx, operation.Success)
	if !ok {
		return ops
	}
	fee.Value = "0" // the ledger has no payment
	return append(ops, fee)
}

// carried appends the operations that no transaction of a block did: matured rewards, and locks that ended.
func (a *assembly) carried(ops []operation.Operation, block *Block, carrier string) []operation.Operation {
	for _, seq := range block.seqs {
		for _, e := range a.rewards {
			if e.seq == seq {
				ops = append(ops, operation.Operation{Kind: operation.Reward, Status: operation.Success, Account: e.account, Value: e.delta, Currency: wire.STX()})
			}
		}
	}
	for _, e := range a.expiries {
		if e.height != block.Index {
			continue
		}
		op := operation.Operation{Kind: operation.Unlock, Status: operation.Success, Account: e.account, Value: e.unlocked, Currency: wire.STX(), Detail: operation.UnlockDetail{Carrier: carrier}}
		if strings.HasPrefix(e.unlocked, "-") {
			op.Kind, op.Detail = operation.Lock, operation.LockDetail{Locked: e.locked, UnlockHeight: e.unlockHeight}
		}
		ops = append(ops, op)
	}
	return ops
}

// event appends the operations of an event: what the ledger has of it, or what it says.
func (a *assembly) event(ops []operation.Operation, e *event, memo *string) []operation.Operation {
	from := source{ofEvents, e.index}
	switch {
	case movesAsset(e.kind):
		return a.move(ops, e, a.entriesOf(e.seq, from), memo)
	case e.kind == nodeevent.TypeContract:
		detail := operation.LogDetail{Contract: string(e.contract), Topic: string(e.topic), Value: e.value}
		ops = append(ops, operation.Operation{Kind: operation.Log, Status: operation.Success, Detail: detail})
		if reported, ok := operation.StackingOf(detail.Contract, e.value, a.network); ok && e.topic == topicPrint {
			reported.Status = operation.Success
			ops = append(ops, reported)
		}
	}
	if len(a.locks) == 0 {
		return ops
	}
	for _, l := range equal(a.locks, func(l *lockRow) int { return l.compare(e.seq, from) }) {
		ops = append(ops, lockOperation(&l, e))
	}
	return ops
}

// lockOperation returns the change of what is locked: an event tells the total.
func lockOperation(l *lockRow, e *event) operation.Operation {
	before, _ := new(big.Int).SetString(l.before, 10)
	after, _ := new(big.Int).SetString(l.amount, 10)
	change := before.Sub(before, after)
	op := operation.Operation{Kind: operation.Lock, Status: operation.Success, Account: l.account, Value: change.String(), Currency: wire.STX()}
	if change.Sign() > 0 {
		op.Kind = operation.Unlock
	}
	op.Detail = operation.LockDetail{Locked: l.amount, UnlockHeight: l.unlockHeight, Contract: string(e.contract)}
	return op
}

// move appends the debit and the credit of an event.
func (a *assembly) move(ops []operation.Operation, e *event, entries []entry, memo *string) []operation.Operation {
	kind := operation.Transfer
	switch e.kind {
	case nodeevent.TypeSTXMint, nodeevent.TypeFTMint, nodeevent.TypeNFTMint:
		kind = operation.Mint
	case nodeevent.TypeSTXBurn, nodeevent.TypeFTBurn, nodeevent.TypeNFTBurn:
		kind = operation.Burn
	}
	if len(entries) == 2 && entries[0].account != string(e.from) {
		entries[0], entries[1] = entries[1], entries[0]
	}
	for i := range entries {
		entry := &entries[i]
		op := operation.Operation{
			Kind: kind, Status: operation.Success, Account: entry.account, Value: entry.delta, Currency: a.currency(e, string(entry.asset)), Pair: i > 0,
		}
		if entry.asset == assetSTX {
			op.Detail = operation.TransferDetail{Memo: memo}
		}
		ops = append(ops, op)
	}
	return ops
}

func (a *assembly) currency(e *event, asset string) wire.Currency {
	switch e.kind {
	case nodeevent.TypeNFTTransfer, nodeevent.TypeNFTMint, nodeevent.TypeNFTBurn:
		return NonFungible(asset, e.value)
	}
	if asset == assetSTX {
		return wire.STX()
	}
	return a.currencies.Of(asset)
}
