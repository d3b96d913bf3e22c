package bns

import (
	"math/big"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// blockFacts are the transactions of a block that concern names.
type blockFacts struct {
	step         *projections.Step
	burnHeight   int64 // what the contract reads
	transactions []transactionFacts
}

// transactionFacts is a successful transaction that concerns names.
type transactionFacts struct {
	index   int
	txid    hash.Hash32
	pointer string // to the transaction
	facts   []fact
	call    *bns.Call // a top-level call that prints nothing, or not all
	caller  string
}

// fact is an event of a transaction: what is one of *tokenMove, *contractPrint and *stxBurn.
type fact struct {
	index   int // of the event in the transaction
	pointer string
	what    any
}

// tokenMove is an event of the token that stands for a name. A mint has no sender, and a burn no recipient.
type tokenMove struct {
	id       int64
	from, to string
}

// contractPrint is a print of one of the contracts.
type contractPrint struct {
	bns.Print
	zonefile bool
	known    bool // the print was decoded
}

// stxBurn is STX that an account burned, in µSTX.
type stxBurn struct {
	sender string
	amount *big.Int
}

// transactionPrint is the topic of prints in the events of nodes.
const transactionPrint = "print"

// factsOf returns what a block says about names. parent is the block before it; nil if there is none.
func (b *batch) factsOf(step *projections.Step, parent *tip) blockFacts {
	all := blockFacts{step: step, burnHeight: readHeight(step.Block.Block, parent)}
	effective := step.Block.EffectiveEvents()
	for _, tx := range step.Block.ExecutionOrder() {
		t := transactionFacts{index: tx.Index, txid: tx.TxID, pointer: tx.Pointer()}
		concerns := false
		for i, event := range effective[tx.Index] {
			what, about := b.factOf(event)
			if what != nil {
				t.facts = append(t.facts, fact{i, event.Pointer(), what})
				concerns = concerns || about
			}
		}
		if tx.Succeeded() {
			decoded := step.Block.Decoded[tx.Index]
			t.call, t.caller = b.callOf(decoded)
			b.silentOf(decoded, &all, &t)
		}
		if concerns || t.call != nil {
			all.transactions = append(all.transactions, t)
		}
	}
	return all
}

// silentOf notes what a successful transaction may do that nothing shows.
func (b *batch) silentOf(tx *transaction.Transaction, block *blockFacts, t *transactionFacts) {
	if tx == nil {
		return
	}
	switch p := tx.Payload.(type) {
	case *transaction.SmartContract:
		b.deploy(tx, p.Code, block, t)
	case *transaction.VersionedSmartContract:
		b.deploy(tx, p.Code, block, t)
	}
	b.actsOf(tx, block, t)
}

// readHeight returns the Bitcoin height that a contract reads in a block: that of the block's tenure since epoch 3.0,
// and before that the one of the parent block.
func readHeight(block *nodeevent.Block, parent *tip) int64 {
	switch {
	case block.IsNakamoto():
	case block.ParentBurnBlockHeight != nil:
		return int64(*block.ParentBurnBlockHeight)
	case parent != nil:
		return parent.BurnBlockHeight
	}
	return int64(block.BurnBlockHeight)
}

// factOf returns the fact in an event; nil for none. about is false if the fact alone does not concern names.
func (b *batch) factOf(event *nodeevent.Event) (what any, about bool) {
	switch data := event.Data.(type) {
	case *nodeevent.STXBurn:
		return &stxBurn{data.Sender, data.Amount}, false
	case *nodeevent.NFTMint:
		return b.tokenMoveOf(data.Asset, data.RawValue, "", data.Recipient)
	case *nodeevent.NFTTransfer:
		return b.tokenMoveOf(data.Asset, data.RawValue, data.Sender, data.Recipient)
	case *nodeevent.NFTBurn:
		return b.tokenMoveOf(data.Asset, data.RawValue, data.Sender, "")
	case *nodeevent.ContractEvent:
		return b.contractPrintOf(data)
	}
	return nil, false
}

func (b *batch) tokenMoveOf(asset string, rawID []byte, from, to string) (any, bool) {
	if !b.contracts.IsAsset(asset) {
		return nil, false
	}
	id, err := clarity.DecodeAll(rawID)
	if err != nil {
		return nil, false
	}
	n, ok := id.Int()
	if !ok || !n.IsInt64() {
		return nil, false
	}
	return &tokenMove{n.Int64(), projections.Text(from), projections.Text(to)}, true
}

// contractPrintOf returns a print. One that can't be decoded has known false: the print stays in the tables of chain.
func (b *batch) contractPrintOf(data *nodeevent.ContractEvent) (any, bool) {
	zonefile := b.contracts.IsZonefiles(data.Contract)
	if data.Topic != transactionPrint || !zonefile && !b.contracts.IsNames(data.Contract) {
		return nil, false
	}
	p := &contractPrint{zonefile: zonefile}
	value, err := clarity.DecodeAll(data.RawValue)
	if err != nil {
		return p, true
	}
	decode := bns.DecodePrint
	if zonefile {
		decode = bns.DecodeZonefilePrint
	}
	p.Print, err = decode(value)
	p.known = err == nil && p.Known && (p.ID == nil || p.ID.IsInt64())
	return p, true
}

// callOf returns the top-level call of a transaction, and who makes it; nil for one whose effects prints tell.
func (b *batch) callOf(tx *transaction.Transaction) (call *bns.Call, caller string) {
	if tx == nil {
		return nil, ""
	}
	payload, ok := tx.Payload.(*transaction.ContractCall)
	if !ok || !b.contracts.IsNames(payload.Contract.String()) {
		return nil, ""
	}
	c, ok, err := bns.DecodeCall(payload.Function, payload.Arguments.List())
	if !ok || err != nil || c.ID != nil && !c.ID.IsInt64() {
		return nil, ""
	}
	return &c, tx.Sender().String()
}
