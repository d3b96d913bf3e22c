package accounts

import "strata/domain/nodeevent"

// sendMany are the contracts that pay many in one call, and print a memo after each payment: on mainnet and on testnet.
var sendMany = map[string]bool{
	"SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.send-many-memo": true,
	"ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo": true,
}

// transferOf says as what STX come in: paid by send-many, by a token transfer, or by a contract with a memo. What a contract
// pays without one is in no list of inbound transfers. Each transfer is in the list once: that of a token transfer with a
// memo is no memo transfer besides.
func transferOf(tx txType, event *nodeevent.STXTransfer, after []*nodeevent.Event) transferType {
	if len(after) > 0 {
		if printed, ok := after[0].Data.(*nodeevent.ContractEvent); ok && sendMany[printed.Contract] {
			return bulkSend
		}
	}
	switch {
	case tx == tokenTransfer:
		return plainTransfer
	case len(event.Memo) > 0:
		return memoTransfer
	}
	return 0
}
