package mempool

import (
	"context"

	"strata/readapi/internal/engine"
)

// mempoolSummary describes the pending transactions, all of them and by type.
type mempoolSummary struct {
	All           pendingSummary  `json:"all"`
	TokenTransfer *pendingSummary `json:"token_transfer,omitempty" doc:"Absent without pending transactions of the type, as the following members."`
	SmartContract *pendingSummary `json:"smart_contract,omitempty"`
	ContractCall  *pendingSummary `json:"contract_call,omitempty"`
}

// pendingSummary describes a set of pending transactions.
type pendingSummary struct {
	Count   int64       `json:"count"`
	FeeRate percentiles `json:"fee_rate" doc:"Total fees in µSTX, despite the name."`
	Size    percentiles `json:"size" doc:"Bytes."`
	Age     percentiles `json:"age" doc:"Number of blocks since the transactions were received."`
}

func (p *pendingSummary) set(r *spreadRow) {
	p.Count = r.n
	p.FeeRate.set(r.percent, r.fee)
	p.Size.set(r.percent, r.size)
	p.Age.set(r.percent, r.age)
}

func (a *api) registerMempoolSummary() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-mempool-summary", Path: "/extended/v3/mempool", Tag: "Mempool", Summary: "Summary of the mempool",
		Description: "Percentiles (25, 50, 75, 95) of the fees, sizes and ages of pending transactions, of all of them and by type. All are null while nothing is pending.",
		Untraced:    untracedMempool,
	}, getMempoolSummary)
}

func getMempoolSummary(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*mempoolSummary, error) {
	rows, err := readSpread(ctx, s)
	if err != nil {
		return nil, err
	}
	body := &mempoolSummary{}
	kinds := map[int]**pendingSummary{0: &body.TokenTransfer, 1: &body.SmartContract, 2: &body.ContractCall}
	for i := range rows {
		r := &rows[i]
		if r.kind < 0 {
			body.All.set(r)
			continue
		}
		if kind := kinds[r.kind]; kind != nil {
			if *kind == nil {
				*kind = &pendingSummary{}
			}
			(*kind).set(r)
		}
	}
	return body, nil
}
