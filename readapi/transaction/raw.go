package transaction

import (
	"context"
	"net/http"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

type rawTransactionInput struct {
	param.TransactionInput
}

// rawTransaction is a transaction as it was signed.
type rawTransaction struct {
	RawTx view.HexText `json:"raw_tx" doc:"0x00 for an operation from Bitcoin."`
}

func (a *api) registerRawTransaction() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-raw-transaction", Path: "/extended/v1/tx/{tx_id}/raw", Tag: "Transactions", Summary: "A transaction as it was signed",
		Description: "An id without 0x is redirected (302) to the same id with 0x.",
		Statuses:    []int{http.StatusFound, http.StatusBadRequest, http.StatusNotFound},
		Deprecated:  true,
	}, getRawTransaction)
}

func getRawTransaction(ctx context.Context, s *engine.Snapshot, in *rawTransactionInput) (*rawTransaction, error) {
	if !strings.HasPrefix(string(in.ID), "0x") {
		return nil, engine.RedirectTo(ctx, "/extended/v1/tx/0x"+string(in.ID)+"/raw")
	}
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	found, err := view.FindTransactions(ctx, s, id)
	if err != nil {
		return nil, err
	}
	row := found[id].Chosen()
	if row == nil {
		return nil, engine.NotFound("could not find raw transaction by ID")
	}
	if row.Canonical {
		s.FinalAt(row.BurnBlockHeight)
	}
	return &rawTransaction{view.HexOf(row.RawTx)}, nil
}
