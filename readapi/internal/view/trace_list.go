package view

import (
	"strata/readapi/internal/engine"
)

var (
	tracedListed = &engine.TraceTable{
		Projection: "accounts", Name: "transaction", Key: "n", NewestFirst: []string{"t.n"},
		Values:  "height tx_index microblock_sequence type type_n",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}},
	}
	// TracedAccountTransaction is the list of an account's transactions.
	TracedAccountTransaction = &engine.TraceTable{
		Projection: "accounts", Name: "account_transaction", Key: "account n", NewestFirst: []string{"t.n"}, Join: `JOIN {accounts}.transaction p ON p.n = t.tx`,
		Values:  "tx involvement calls stx_sent:text stx_received:text fee_paid:text stx_transfers stx_mints stx_burns ft_transfers ft_mints ft_burns nft_transfers nft_mints nft_burns",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || p.tx_index]`}},
	}
	// TracedAccountEvent is the list of an account's events.
	TracedAccountEvent = &engine.TraceTable{
		Projection: "accounts", Name: "account_event", Key: "account n", NewestFirst: []string{"t.n"}, Join: `
			JOIN {accounts}.transaction p ON p.n = t.tx
			JOIN {chain}.event e ON e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = t.event_index`,
		Values:  "tx event_index kind inbound transfer_type",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/events/' || e.pointer]`}},
	}
	// TracedContractEvent is the list of the events that a contract printed.
	TracedContractEvent = &engine.TraceTable{
		Projection: "accounts", Name: "contract_event", Key: "contract n", NewestFirst: []string{"t.n"}, Join: TracedAccountEvent.Join,
		Values:  "tx event_index sender topic topic_n",
		Sources: TracedAccountEvent.Sources,
	}
)
