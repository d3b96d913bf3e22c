package ledger

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/contract"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/operation"
	"strata/readapi/rosetta/internal/wire"
)

// txKey is the key of a transaction: the event with its block, and its index there.
type txKey struct {
	seq   int64
	index int32
}

// changeKey is the key of what changed balances: an event, a fee or a reward.
type changeKey struct {
	seq     int64
	pointer string
}

// assembly makes operations of the rows of a block.
type assembly struct {
	network    bitcoin.Network
	currencies Currencies
	entries    map[changeKey][]entry
	events     map[txKey][]event
	locks      map[changeKey][]lockRow
	rewards    map[int64][]entry  // by the event with the block
	expiries   map[int64][]expiry // by height
}

func newAssembly(network bitcoin.Network, currencies Currencies, entries []entry, events []event, locks []lockRow, expiries []expiry) *assembly {
	a := &assembly{
		network: network, currencies: currencies, rewards: map[int64][]entry{}, expiries: map[int64][]expiry{},
		entries: map[changeKey][]entry{}, events: map[txKey][]event{}, locks: map[changeKey][]lockRow{},
	}
	for _, e := range entries {
		if e.cause == causeReward {
			a.rewards[e.seq] = append(a.rewards[e.seq], e)
			continue
		}
		key := changeKey{e.seq, e.pointer}
		a.entries[key] = append(a.entries[key], e)
	}
	for _, e := range events {
		key := txKey{e.seq, e.tx}
		a.events[key] = append(a.events[key], e)
	}
	for _, l := range locks {
		key := changeKey{l.seq, l.pointer}
		a.locks[key] = append(a.locks[key], l)
	}
	for _, e := range expiries {
		a.expiries[e.height] = append(a.expiries[e.height], e)
	}
	return a
}

// transaction returns a transaction with its operations. If it carries what no transaction of its block did, the block is
// carries; otherwise that is nil.
func (a *assembly) transaction(r *view.TransactionRow, interfaces view.CalledInterfaces, carries *Block) Transaction {
	body := view.RenderTransaction(r, view.Rendering{Interfaces: interfaces})
	t := Transaction{Hash: r.ID.String(), Shown: &body, Raw: r.RawTx}
	transfer, isTransfer := r.Tx.Payload.(*transaction.TokenTransfer)
	if isTransfer && !transaction.IsBurnchainOp(r.RawTx) {
		t.Memo = operation.Memo(transfer.Memo[:])
	}
	t.Operations = a.fee(r)
	events := a.events[txKey{r.Seq, r.Index}]
	if isTransfer && !hasTransfer(events) && (r.Status != operation.Success || transfer.Amount == 0) && !transaction.IsBurnchainOp(r.RawTx) {
		t.Operations = append(t.Operations, operation.TransferOf(r.Tx, r.Status)...)
	}
	if main, ok := operation.MainOf(r.Tx, body.SenderAddress, r.Status, callOf(&body)); ok {
		t.Operations = append(t.Operations, main)
	}
	if carries != nil {
		t.Operations = append(t.Operations, a.carried(carries, t.Hash)...)
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
		t.Operations = append(t.Operations, a.event(e, memo)...)
	}
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
func callOf(body *view.TransactionBody) func(*transaction.ContractCall) operation.CallDetail {
	return func(p *transaction.ContractCall) operation.CallDetail {
		detail := operation.CallDetail{Call: p, Signature: body.ContractCall.FunctionSignature, Arguments: []contract.CallArgument{}}
		detail.Result, _ = hex.DecodeString(strings.TrimPrefix(string(body.TxResult.Hex), "0x"))
		if body.ContractCall.FunctionArgs != nil {
			detail.Arguments = *body.ContractCall.FunctionArgs
		}
		return detail
	}
}

// fee returns the fee that a mined transaction paid. It was paid whatever the status of the transaction.
func (a *assembly) fee(r *view.TransactionRow) []operation.Operation {
	if transaction.IsBurnchainOp(r.RawTx) {
		return nil
	}
	detail := operation.FeeDetail{Sponsored: r.Tx.Sponsored()}
	for _, e := range a.entries[changeKey{r.Seq, fmt.Sprintf("/transactions/%d", r.Index)}] {
		if e.cause == causeFee {
			return []operation.Operation{{Kind: operation.Fee, Status: operation.Success, Account: e.account, Value: e.delta, Currency: wire.STX(), Detail: detail}}
		}
	}
	fee, ok := operation.FeeOf(r.Tx, operation.Success)
	if !ok {
		return nil
	}
	fee.Value = "0" // the ledger has no payment
	return []operation.Operation{fee}
}

// carried returns the operations that no transaction of a block did: matured rewards, and locks that ended.
func (a *assembly) carried(block *Block, carrier string) (all []operation.Operation) {
	for _, seq := range block.seqs {
		for _, e := range a.rewards[seq] {
			all = append(all, operation.Operation{Kind: operation.Reward, Status: operation.Success, Account: e.account, Value: e.delta, Currency: wire.STX()})
		}
	}
	for _, e := range a.expiries[block.Index] {
		op := operation.Operation{Kind: operation.Unlock, Status: operation.Success, Account: e.account, Value: e.unlocked, Currency: wire.STX(), Detail: operation.UnlockDetail{Carrier: carrier}}
		if strings.HasPrefix(e.unlocked, "-") {
			op.Kind, op.Detail = operation.Lock, operation.LockDetail{Locked: e.locked, UnlockHeight: e.unlockHeight}
		}
		all = append(all, op)
	}
	return all
}

// event returns the operations of an event: what the ledger has of it, or what it says.
func (a *assembly) event(e *event, memo *string) (all []operation.Operation) {
	key := changeKey{e.seq, eventPointer(e.pointer)}
	switch {
	case movesAsset(e.kind):
		return a.move(e, a.entries[key], memo)
	case e.kind == nodeevent.TypeContract:
		detail := operation.LogDetail{Contract: view.ValueOf(e.contract), Topic: view.ValueOf(e.topic), Value: e.value}
		all = append(all, operation.Operation{Kind: operation.Log, Status: operation.Success, Detail: detail})
		if reported, ok := operation.StackingOf(detail.Contract, e.value, a.network); ok && detail.Topic == "print" {
			reported.Status = operation.Success
			all = append(all, reported)
		}
	}
	for _, l := range a.locks[key] {
		all = append(all, lockOperation(&l, e))
	}
	return all
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
	op.Detail = operation.LockDetail{Locked: l.amount, UnlockHeight: l.unlockHeight, Contract: view.ValueOf(e.contract)}
	return op
}

// move returns the debit and the credit of an event.
func (a *assembly) move(e *event, entries []entry, memo *string) (all []operation.Operation) {
	kind := operation.Transfer
	switch e.kind {
	case nodeevent.TypeSTXMint, nodeevent.TypeFTMint, nodeevent.TypeNFTMint:
		kind = operation.Mint
	case nodeevent.TypeSTXBurn, nodeevent.TypeFTBurn, nodeevent.TypeNFTBurn:
		kind = operation.Burn
	}
	if len(entries) == 2 && entries[0].account != view.ValueOf(e.from) {
		entries[0], entries[1] = entries[1], entries[0]
	}
	for i, entry := range entries {
		op := operation.Operation{Kind: kind, Status: operation.Success, Account: entry.account, Value: entry.delta, Currency: a.currency(e, entry.asset), Pair: i > 0}
		if entry.asset == assetSTX {
			op.Detail = operation.TransferDetail{Memo: memo}
		}
		all = append(all, op)
	}
	return all
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
