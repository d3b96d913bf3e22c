package accounts

import (
	"strata/domain/activity"
	"strata/domain/nodeevent"
)

// sendMany are the contracts (on mainnet and on testnet) that pay many recipients in one call, and print a memo after
// each payment.
var sendMany = map[string]bool{
	"SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.send-many-memo": true,
	"ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo": true,
}

// transferOf returns how an event of a transaction of type tx brings STX in: paid by send-many, by a token transfer,
// or by a contract with a memo. It returns 0 for a contract's payment without memo, which is in no list of inbound
// transfers. A token transfer with a memo counts as a token transfer only. after are the events that follow.
func transferOf(tx activity.TxType, event *nodeevent.STXTransfer, after []*nodeevent.Event) activity.TransferType {
	if len(after) > 0 {
		if printed, ok := after[0].Data.(*nodeevent.ContractEvent); ok && sendMany[printed.Contract] {
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
