package names

import (
	"strata/domain/clarity"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// topicPrint is the topic of all prints.
const topicPrint = "print"

// fact is something that a transaction of a canonical block says about names.
type fact struct {
	step  *projections.Step
	tx    *nodeevent.Transaction
	event *nodeevent.Event // nil for a call that prints nothing
	clock int64            // of the block
	// what is a *names.Change, *names.Launch, *names.SilentRenewal, *names.PriceUpdate, *names.PriceFreeze, *move or *act.
	what any
	// recipient received the token of a changed name in the same transaction; empty if nobody did.
	recipient string
	sender    string // of the transaction, for calls that print nothing
}

// move is an event of a name's token.
type move struct {
	name   names.Name
	holder *string // nil if the token was burnt
}

// pointer returns the place of the fact's event in events[] of the block's body; nil without an event.
func (f *fact) pointer() *int32 {
	if f.event == nil {
		return nil
	}
	index := int32(f.event.Index)
	return &index
}

// registry returns the contract that the fact's transaction calls.
func (f *fact) registry() string {
	sender, err := clarity.ParsePrincipal(f.sender)
	if err != nil {
		return ""
	}
	return names.ContractOf(sender)
}

// factsOf returns what a block says about names, in the order of execution, and notes the callers that it deploys.
func (b *batch) factsOf(step *projections.Step, clock int64) (facts []fact) {
	effective := step.Block.EffectiveEvents()
	for _, tx := range step.Block.ExecutionOrder() {
		first := len(facts)
		for _, e := range effective[tx.Index] {
			if what := readEvent(e); what != nil {
				facts = append(facts, fact{step: step, tx: tx, event: e, clock: clock, what: what})
			}
		}
		nameRecipients(facts[first:])
		if what, sender := readCall(tx, step.Block.Decoded[tx.Index]); what != nil {
			facts = append(facts, fact{step: step, tx: tx, clock: clock, what: what, sender: sender})
		}
		if decoded := step.Block.Decoded[tx.Index]; decoded != nil && tx.Succeeded() {
			b.deploy(step, tx, decoded)
			if what := b.actOf(decoded, effective[tx.Index]); what != nil {
				facts = append(facts, fact{step: step, tx: tx, clock: clock, what: what})
			}
		}
	}
	return facts
}

// readEvent decodes an event of the contract; nil for any other event, and for one that can't be decoded, which is in
// the tables of chain only.
func readEvent(e *nodeevent.Event) any {
	token := func(asset string, id []byte, holder *string) any {
		if !names.IsAsset(asset) {
			return nil
		}
		value, err := clarity.DecodeAll(id)
		if err != nil {
			return nil
		}
		name, ok := names.ReadKey(value)
		if !ok {
			return nil
		}
		if holder != nil {
			text := projections.Text(*holder)
			holder = &text
		}
		return &move{name, holder}
	}
	switch data := e.Data.(type) {
	case *nodeevent.NFTMint:
		return token(data.Asset, data.RawValue, &data.Recipient)
	case *nodeevent.NFTTransfer:
		return token(data.Asset, data.RawValue, &data.Recipient)
	case *nodeevent.NFTBurn:
		return token(data.Asset, data.RawValue, nil)
	case *nodeevent.ContractEvent:
		if data.Topic != topicPrint || !names.IsContractText(data.Contract) {
			return nil
		}
		value, err := clarity.DecodeAll(data.RawValue)
		if err != nil {
			return nil
		}
		return names.DecodePrint(value)
	}
	return nil
}

// nameRecipients finds, for each change of a name in a transaction, who received its token: by the last event of the
// token before the print, and for an operation that may move the token otherwise by the first one after it.
func nameRecipients(facts []fact) {
	for i := range facts {
		change, ok := facts[i].what.(*names.Change)
		if !ok {
			continue
		}
		for j := range facts {
			moved, ok := facts[j].what.(*move)
			if !ok || moved.name != change.Name || moved.holder == nil || j > i && (!change.Operation.MovesToken() || facts[i].recipient != "") {
				continue
			}
			facts[i].recipient = *moved.holder
		}
	}
}

// readCall decodes a successful call of the contract that prints nothing, with its sender; nil for any other
// transaction. A contract may make such a call, too: see act.
func readCall(tx *nodeevent.Transaction, decoded *transaction.Transaction) (what any, sender string) {
	if decoded == nil || !tx.Succeeded() {
		return nil, ""
	}
	call, ok := decoded.Payload.(*transaction.ContractCall)
	if !ok || !names.IsContract(call.Contract) {
		return nil, ""
	}
	return names.DecodeCall(call.Function, call.Arguments.List()), decoded.Sender().String()
}

// timeMax is the end of the year 9999, the last that a time in JSON may have.
const timeMax = 253402300799

// timeOf returns the time of a block in seconds: of its Bitcoin block, if it has none of its own.
func timeOf(content *projections.Block) int64 {
	seconds := content.BurnBlockTime
	if content.Time != nil {
		seconds = *content.Time
	}
	return int64(min(seconds, timeMax))
}

// clockOf returns the contract's clock in a block: Clarity 1 counts Stacks blocks before epoch 3.0 and tenures since.
// before is the clock in the parent block, for a node that does not tell the height of the tenure.
func clockOf(content *projections.Block, before int64) int64 {
	switch {
	case content.Time == nil:
		return int64(content.Height)
	case content.TenureHeight != nil:
		return int64(*content.TenureHeight)
	}
	for _, tx := range content.Decoded {
		if tx == nil {
			continue
		}
		if change, ok := tx.Payload.(*transaction.TenureChange); ok && change.Cause == transaction.TenureBlockFound {
			return before + 1
		}
	}
	return before
}
