package view

import (
	"context"
	"slices"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
)

// complete reads what else it takes to show transactions: what the operations from Bitcoin among them did, and the
// interfaces of the contracts that are called. It is one round trip for all of them, or none when nothing is missing. also
// may add queries to it; nil when there are none to add. They must have a row at least.
//
// With withoutInterfaces it leaves these out, for shapes that don't show them.
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
		take = engine.Shared(s.Engine, newInterfaceMemory).queueInterfaces(b, slices.Compact(contracts), rows[0].Place > 0)
	}
	var done *engine.Result[EventRow]
	if len(operations) > 0 {
		done = queueEventsOf(b, operations)
	}
	if also != nil {
		also(b)
	}
	if err := b.RunLast(ctx); err != nil {
		return nil, err
	}
	if done != nil {
		events := ByTransaction(done.Rows)
		for _, r := range rows {
			if r.bitcoin {
				r.Tx = bitcoinOperation(network, r, events[r.RowKey])
			}
		}
	}
	return take(), nil
}

// decodeTransaction takes a transaction apart. The projection has read it before, so that it can be read; should a later
// program be stricter than that one was, it is shown like what is of an unknown kind.
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

// undecoded is a transaction of which nothing is known.
func undecoded(raw []byte) *transaction.Transaction {
	return &transaction.Transaction{
		AnchorMode: transaction.AnchorAny, PostConditions: allowed,
		Payload: &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: raw},
	}
}

// allowed is no post-conditions, and everything allowed.
var allowed, _ = transaction.NewPostConditions(transaction.PostConditionAllow)

// bootContract is a contract that comes with the network.
func bootContract(network, name string) clarity.Principal {
	address := bootMainnet
	if network != engine.NetworkDefault {
		address = bootTestnet
	}
	return clarity.Principal{Address: address, Contract: name}
}
