package accounts

import (
	"slices"

	"strata/domain/activity"
	"strata/domain/nodeevent"
)

// transferOf returns how an event of a transaction of type tx brings STX in: paid by send-many, by a token transfer,
// or by a contract with a memo. It returns 0 for a contract's payment without memo, which is in no list of inbound
// transfers. A token transfer with a memo counts as a token transfer only. after are the events that follow.
func transferOf(tx activity.TxType, event *nodeevent.STXTransfer, after []*nodeevent.Event) activity.TransferType {
	if len(after) > 0 {
		if printed, ok := after[0].Data.(*nodeevent.ContractEvent); ok && slices.Contains(activity.SendMany, printed.Contract) {
			return activity.BulkSend
		}
	}
	switch {
	case tx == activity.TokenTransfer:
		return activity.PlainTransfer
	case len(event.Memo) > 0:
		return activity.MemoTransfer
	}
	return 0
}
