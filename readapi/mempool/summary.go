package mempool

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// PendingSummary describes a set of pending transactions.
type PendingSummary struct {
	Count              int64           `json:"count"`
	FeeRate            feeQuantiles    `json:"fee_rate" doc:"Total fees in µSTX, despite the name."`
	Size               numberQuantiles `json:"tx_size" doc:"Bytes."`
	ReceiptTime        numberQuantiles `json:"receipt_time" doc:"Unix seconds at which the transactions were received: the longest waiting ones are at p25."`
	ReceiptBlockHeight numberQuantiles `json:"receipt_block_height" doc:"Heights of the newest block at those times; -1 when there was none."`
}

type summariesByType struct {
	TokenTransfer PendingSummary `json:"token_transfer"`
	SmartContract PendingSummary `json:"smart_contract" doc:"Deployments, with and without a Clarity version."`
	ContractCall  PendingSummary `json:"contract_call"`
}

// mempoolSummary describes the pending transactions of three types, together and by type.
type mempoolSummary struct {
	PendingSummary
	ByType summariesByType `json:"by_type"`
}

// feeQuantiles are discrete percentiles: pN is the smallest value that N percent of the values don't exceed. All are null for
// an empty set.
type feeQuantiles struct {
	P25 *schema.Amount `json:"p25" nullable:"true"`
	P50 *schema.Amount `json:"p50" nullable:"true"`
	P75 *schema.Amount `json:"p75" nullable:"true"`
	P95 *schema.Amount `json:"p95" nullable:"true"`
}

// numberQuantiles are percentiles as feeQuantiles.
type numberQuantiles struct {
	P25 *int64 `json:"p25"`
	P50 *int64 `json:"p50"`
	P75 *int64 `json:"p75"`
	P95 *int64 `json:"p95"`
}

func (a *api) registerMempoolSummary() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-mempool-summary", Path: "/extended/v3/mempool", Tag: "Mempool", Summary: "Summary of the mempool",
		Description: "Number and discrete percentiles (25, 50, 75, 95) of pending transfers, deployments and contract calls. Percentiles are null where nothing is pending.",
		Untraced:    untracedMempool,
	}, getMempoolSummary)
}

// summaryRow has the count and the percentiles of one type of transactions; nil slices without transactions.
type summaryRow struct {
	kind                     int // index of mempoolKinds, or -1 for all types
	n                        int64
	fee                      []schema.Amount
	size, receivedAt, height []int64
}

func summaryColumns(r *summaryRow) []any {
	return []any{&r.kind, &r.n, &r.fee, &r.size, &r.receivedAt, &r.height}
}

// summarySQL reads the whole mempool, whose size the nodes limit.
const summarySQL = `
	SELECT {}, coalesce(kind, -1), count(*),
	       percentile_disc(ARRAY[0.25,0.5,0.75,0.95]) WITHIN GROUP (ORDER BY fee)::text[],
	       percentile_disc(ARRAY[0.25,0.5,0.75,0.95]) WITHIN GROUP (ORDER BY size::bigint),
	       percentile_disc(ARRAY[0.25,0.5,0.75,0.95]) WITHIN GROUP (ORDER BY receipt_time),
	       percentile_disc(ARRAY[0.25,0.5,0.75,0.95]) WITHIN GROUP (ORDER BY receipt_height)
	FROM (
		SELECT CASE type_id WHEN 0 THEN 0 WHEN 1 THEN 1 WHEN 6 THEN 1 WHEN 2 THEN 2 END AS kind, fee, size, receipt_time, receipt_height
		FROM {mempool}.transaction WHERE status = 'pending' AND type_id IN (0, 1, 2, 6)
	) waiting
	GROUP BY GROUPING SETS ((), (kind))`

func getMempoolSummary(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*mempoolSummary, error) {
	body := &mempoolSummary{}
	if s.Active("mempool") == nil {
		return body, nil
	}
	b := s.Batch()
	found := engine.Query(b, summaryColumns, summarySQL)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	of := map[int]*PendingSummary{-1: &body.PendingSummary, 0: &body.ByType.TokenTransfer, 1: &body.ByType.SmartContract, 2: &body.ByType.ContractCall}
	for i := range found.Rows {
		r := &found.Rows[i]
		if r.n > 0 {
			*of[r.kind] = r.shape()
		}
	}
	return body, nil
}

func (r *summaryRow) shape() PendingSummary {
	numbers := func(all []int64) numberQuantiles { return numberQuantiles{&all[0], &all[1], &all[2], &all[3]} }
	return PendingSummary{
		Count: r.n, FeeRate: feeQuantiles{&r.fee[0], &r.fee[1], &r.fee[2], &r.fee[3]},
		Size: numbers(r.size), ReceiptTime: numbers(r.receivedAt), ReceiptBlockHeight: numbers(r.height),
	}
}
