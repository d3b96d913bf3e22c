package accounts

import (
	"strings"

	"strata/domain/activity"
	"strata/domain/nodeevent"
)

// operation is what is known about an operation from Bitcoin, which has no transaction bytes to decode.
type operation struct {
	kind                        activity.TxType
	sender, recipient, contract string // empty if unknown
}

// operationOf derives the operation from its events first, because every node sends these, and then from the
// description that newer nodes send.
func operationOf(tx *nodeevent.Transaction, events []*nodeevent.Event) operation {
	o := operation{kind: activity.Unknown}
	for _, event := range events {
		switch data := event.Data.(type) {
		case *nodeevent.STXTransfer:
			if o.sender == "" {
				o.kind, o.sender, o.recipient = activity.TokenTransfer, data.Sender, data.Recipient
			}
		case *nodeevent.STXLock:
			if o.sender == "" {
				o.kind, o.sender, o.contract = activity.ContractCall, data.Address, data.Contract
				if o.contract == "" {
					o.contract = firstPox(data.Address)
				}
			}
		case *nodeevent.ContractEvent:
			if o.contract == "" && o.kind != activity.TokenTransfer {
				o.kind, o.contract = activity.ContractCall, data.Contract
			}
		}
	}
	op := tx.BurnchainOp
	if op == nil || o.sender != "" {
		return o
	}
	switch {
	case op.TransferSTX != nil:
		o.kind, o.sender, o.recipient = activity.TokenTransfer, op.TransferSTX.Sender.Address, op.TransferSTX.Recipient.Address
	case op.StackSTX != nil:
		o.kind, o.sender = activity.ContractCall, op.StackSTX.Sender.Address
	case op.DelegateSTX != nil:
		o.kind, o.sender = activity.ContractCall, op.DelegateSTX.Sender.Address
	case op.VoteForAggregateKey != nil:
		o.kind, o.sender = activity.ContractCall, op.VoteForAggregateKey.Sender.Address
	}
	return o
}

// firstPox returns the contract that locked STX before release 2.1, when events did not name it yet.
func firstPox(stacker string) string {
	if strings.HasPrefix(stacker, "SP") || strings.HasPrefix(stacker, "SM") {
		return "SP000000000000000000002Q6VF78.pox"
	}
	return "ST000000000000000000002AMW42H.pox"
}
