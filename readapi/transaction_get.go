package readapi

import (
	"context"
	"net/http"
	"strings"

	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

// eventsLimit is how many events are shown unless somebody asks for another number.
const eventsLimit = 20

// EventWindow says which events of a transaction are shown.
type EventWindow struct {
	EventLimit  int   `query:"event_limit" minimum:"0" maximum:"100" default:"20" doc:"Events that are shown; 0 means the default."`
	EventOffset int64 `query:"event_offset" minimum:"0" default:"0" doc:"Events before those that are shown."`
}

// TransactionOptions say how transactions are shown.
type TransactionOptions struct {
	Unanchored          bool `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	ExcludeFunctionArgs bool `query:"exclude_function_args" default:"false" doc:"Leave out what contract calls pass."`
}

// TransactionInput names a transaction.
type TransactionInput struct {
	ID hashParameter `path:"tx_id" doc:"The id of a transaction."`
}

// dependencies are the chain, and what the mempool has of the transaction.
func (in *TransactionInput) Dependencies() dependencies {
	d := onTip("chain")
	if id, err := in.ID.hash(); err == nil {
		d = d.with("mempool", shard.Transaction(id))
	}
	return d
}

type shownTransactionInput struct {
	TransactionInput
	EventWindow
	TransactionOptions
}

func (a *API) registerTransaction() {
	get(a.Engine, resource{
		id: "get-transaction", path: "/extended/v1/tx/{tx_id}", tag: "Transactions", summary: "A transaction with its events",
		about: "Of several copies the canonical one; where there is none, as it waits to be mined or was dropped; where nobody announced it, the newest " +
			"of the copies in orphaned blocks, which says so. " +
			"An id without 0x is redirected (302) to the same with it. " + instead("/extended/v3/transactions/{tx_id}"),
		statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		class:    answer.Tip, of: onTip("chain"), taggedByContent: true, deprecated: true,
	}, a.getTransaction)
	traced(a.Engine, "get-transaction", func(_ context.Context, _ *snapshot, _ *shownTransactionInput, tx *shownTransaction) ([]lookup, error) {
		switch {
		case tx == nil:
			return nil, nil
		case tx.waiting != nil:
			return waitingLookups([]*waitingRow{tx.waiting.row}), nil
		}
		return transactionLookups([]*transactionRow{tx.mined.row}, eventKeys(tx.mined.Events)), nil
	})
}

// instead names the successor of what is deprecated.
func instead(path string) string { return "Use `" + path + "` instead." }

func (a *API) getTransaction(ctx context.Context, s *snapshot, in *shownTransactionInput) (*shownTransaction, error) {
	if !strings.HasPrefix(string(in.ID), "0x") {
		return nil, movedTo(ctx, "/extended/v1/tx/0x"+string(in.ID))
	}
	id, err := in.ID.hash()
	if err != nil {
		return nil, err
	}
	found, err := seek(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if r := found[id].waiting; r != nil {
		interfaces, err := complete(ctx, s, []*transactionRow{&r.transactionRow}, false, nil)
		if err != nil {
			return nil, err
		}
		shown := renderWaiting(r, rendering{interfaces, in.ExcludeFunctionArgs})
		return &shownTransaction{waiting: &shown}, nil
	}
	row := found[id].mined
	if row == nil {
		return nil, notFound("could not find transaction by ID")
	}
	limit := orDefault(in.EventLimit, eventsLimit)
	var events *result[eventRow]
	var window func(b *batch)
	if in.EventOffset < int64(row.eventCount) {
		window = func(b *batch) { events = queueEventWindow(b, []rowKey{row.rowKey}, in.EventOffset, limit) }
	}
	interfaces, err := complete(ctx, s, []*transactionRow{row}, false, window)
	if err != nil {
		return nil, err
	}
	shown := renderTransaction(row, rendering{interfaces, in.ExcludeFunctionArgs})
	if events != nil {
		shown.Events = renderEvents(events.rows, row.id)
	}
	if row.canonical {
		s.settles(row.burnBlockHeight)
	}
	return &shownTransaction{mined: &shown}, nil
}
