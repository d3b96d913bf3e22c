package view

import (
	"context"
	"slices"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
)

// Complete sets the field Tx of the rows, and reads what else it takes to show them: the events of the operations from
// Bitcoin among them, and the interfaces of the called contracts. It makes one round trip for all rows, or none when
// nothing is missing. With withoutInterfaces it skips the interfaces, for shapes that do not show them.
//
// also adds further queries to that round trip; it is nil when there are none. These queries must return at least one
// row: from a batch without rows, the engine cannot confirm the state that it assumed, and reads everything again.
func Complete(ctx context.Context, s *engine.Snapshot, rows []*TransactionRow, withoutInterfaces bool, also func(b *engine.Batch)) (CalledInterfaces, error) {
	network := s.Engine.Config.Network
	var contracts []string
	var operations []RowKey
	for _, r := range rows {
		if r.bitcoin {
			operations = append(operations, r.RowKey)
			continue
		}
		r.Tx = DecodeTransaction(r.RawTx)
		if call, ok := r.Tx.Payload.(*transaction.ContractCall); ok {
			contracts = append(contracts, call.Contract.String())
		}
	}
	if len(operations) > 0 {
		for _, name := range operatedContracts {
			contracts = append(contracts, bootContract(network, name).String())
		}
	}
	if withoutInterfaces {
		contracts = nil
	}
	if len(contracts) == 0 && len(operations) == 0 && also == nil {
		return nil, nil
	}

	b := s.Batch()
	take := func() CalledInterfaces { return nil }
	if len(contracts) > 0 {
		slices.Sort(contracts)
		take = engine.Shared(s.Engine, newInterfaceMemory).queueInterfaces(s, b, slices.Compact(contracts), rows[0].Place > 0)
	}
	var operationEvents *engine.Result[EventRow]
	if len(operations) > 0 {
		operationEvents = queueEventsOf(b, operations)
	}
	if also != nil {
		also(b)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if operationEvents != nil {
		events := ByTransaction(operationEvents.Rows)
		for _, r := range rows {
			if r.bitcoin {
				r.Tx = operationTransaction(network, r, events[r.RowKey])
			}
		}
	}
	return take(), nil
}

// DecodeTransaction decodes a transaction. The projection decoded it before, so this should succeed. Should a later
// version of this program be stricter than the one that wrote the row, the transaction is shown like one of an unknown
// kind.
func DecodeTransaction(raw []byte) *transaction.Transaction {
	tx, err := transaction.Decode(raw)
	if err != nil {
		tx = undecoded(raw)
		if envelope, err := transaction.DecodeEnvelope(raw); err == nil {
			tx.Envelope = envelope
		}
	}
	return tx
}

// undecoded returns a transaction whose content is unknown.
func undecoded(raw []byte) *transaction.Transaction {
	return &transaction.Transaction{
		AnchorMode: transaction.AnchorAny, PostConditions: allowed,
		Payload: &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: raw},
	}
}

// allowed is the absence of post-conditions, in the mode that allows everything.
var allowed, _ = transaction.NewPostConditions(transaction.PostConditionAllow)

// bootContract returns the name of a boot contract, which is part of the network from its start.
func bootContract(network, name string) clarity.Principal {
	address := bootMainnet
	if network != engine.NetworkDefault {
		address = bootTestnet
	}
	return clarity.Principal{Address: address, Contract: name}
}
