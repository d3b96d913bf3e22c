package readapi

import (
	"context"
	"net/http"
	"strings"

	"strata/readapi/internal/answer"
)

type rawTransactionInput struct {
	TransactionInput
}

// rawTransaction is a transaction as it was signed.
type rawTransaction struct {
	RawTx hexText `json:"raw_tx" doc:"0x00 for an operation that came from Bitcoin."`

	row soughtRow
}

// registerRawTransaction adds /tx/{tx_id}/raw. A mux can't have that beside /tx/block/{block_hash}, because /tx/block/raw
// would be either; so what is behind an id has a mux of its own, which is asked when no other path fits.
func (a *API) registerRawTransaction() {
	const id = "get-raw-transaction"
	a.nested("GET /extended/v1/tx/{tx_id}/{part}", id, func() {
		get(a.Engine, resource{
			id: id, path: "/extended/v1/tx/{tx_id}/raw", tag: "Transactions", summary: "A transaction as it was signed",
			about:    "An id without 0x is redirected (302) to the same with it.",
			statuses: []int{http.StatusBadRequest, http.StatusNotFound},
			class:    answer.Tip, of: onTip("chain"), taggedByContent: true, deprecated: true,
		}, getRawTransaction)
	})
	traced(a.Engine, id, func(_ context.Context, _ *snapshot, _ *rawTransactionInput, tx *rawTransaction) ([]lookup, error) {
		if tx == nil {
			return nil, nil
		}
		if r := tx.row.waiting; r != nil {
			return waitingLookups([]*waitingRow{r}), nil
		}
		return transactionLookups([]*transactionRow{tx.row.mined}, nil), nil
	})
}

func getRawTransaction(ctx context.Context, s *snapshot, in *rawTransactionInput) (*rawTransaction, error) {
	if !strings.HasPrefix(string(in.ID), "0x") {
		return nil, movedTo(ctx, "/extended/v1/tx/0x"+string(in.ID)+"/raw")
	}
	id, err := in.ID.hash()
	if err != nil {
		return nil, err
	}
	found, err := seek(ctx, s, id)
	if err != nil {
		return nil, err
	}
	row := found[id].chosen()
	if row == nil {
		return nil, notFound("could not find raw transaction by ID")
	}
	if row.canonical {
		s.settles(row.burnBlockHeight)
	}
	return &rawTransaction{hexOf(row.rawTx), found[id]}, nil
}
