package mempool

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
)

// mempoolStats describes the pending transactions by type: their numbers, fees, ages and sizes.
type mempoolStats struct {
	TxTypeCounts        mempoolCounts `json:"tx_type_counts"`
	TxSimpleFeeAverages mempoolSpread `json:"tx_simple_fee_averages" doc:"Total fees in µSTX."`
	TxAges              mempoolSpread `json:"tx_ages" doc:"Number of blocks since the transactions were received."`
	TxByteSizes         mempoolSpread `json:"tx_byte_sizes"`
}

// mempoolKinds are the transaction types of the statistics, in the order in which spreadSQL numbers them.
var mempoolKinds = [...]string{"token_transfer", "smart_contract", "contract_call", "poison_microblock"}

type mempoolCounts struct {
	TokenTransfer    int64 `json:"token_transfer"`
	SmartContract    int64 `json:"smart_contract"`
	ContractCall     int64 `json:"contract_call"`
	PoisonMicroblock int64 `json:"poison_microblock"`
}

type mempoolSpread struct {
	TokenTransfer    percentiles `json:"token_transfer"`
	SmartContract    percentiles `json:"smart_contract"`
	ContractCall     percentiles `json:"contract_call"`
	PoisonMicroblock percentiles `json:"poison_microblock"`
}

// percentiles are exact: a percentile between two values is interpolated linearly. All are null for an empty set.
type percentiles struct {
	P25 *exactNumber `json:"p25"`
	P50 *exactNumber `json:"p50"`
	P75 *exactNumber `json:"p75"`
	P95 *exactNumber `json:"p95"`
}

// exactNumber is a decimal number as text. In JSON it is a number with the same digits.
type exactNumber string

// Schema implements huma.SchemaProvider.
func (exactNumber) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Nullable: true}
}

// MarshalJSON implements json.Marshaler.
func (d exactNumber) MarshalJSON() ([]byte, error) { return json.Marshal(json.Number(d)) }

// untracedMempool is the reason why statistics of the mempool can't be traced to rows.
const untracedMempool = "it aggregates the whole mempool: /extended/v1/tx/mempool lists it"

func (a *api) registerMempoolStats() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-mempool-stats", Path: "/extended/v1/tx/mempool/stats", Tag: "Mempool", Summary: "Statistics of the mempool",
		Untraced: untracedMempool,
	}, getMempoolStats)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-mempool-fees", Path: "/extended/v2/mempool/fees", Tag: "Mempool", Summary: "Fees of pending transactions",
		Description: "Percentiles (25, 50, 75, 95) of the total fees in µSTX, of all transactions and by type. A type without transactions is absent.",
		Untraced:    untracedMempool,
	}, getMempoolFees)
}

// spreadRow has the percentiles of fee, age and size of one type of transactions.
type spreadRow struct {
	kind, percent  int   // kind is an index of mempoolKinds, or -1 for all transactions
	n              int64 // number of transactions
	fee, age, size exactNumber
}

func spreadColumns(r *spreadRow) []any {
	return []any{&r.kind, &r.percent, &r.n, &r.fee, &r.age, &r.size}
}

// spreadSQL ranks all pending transactions, by type and all together, and interpolates each percentile between its two
// neighbours with exact arithmetic. It reads the whole mempool, whose size the nodes limit.
const spreadSQL = `
	WITH waiting AS (
		SELECT CASE type_id WHEN 0 THEN 0 WHEN 1 THEN 1 WHEN 6 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END AS kind,
		       fee, greatest($1::bigint - receipt_height, 0)::numeric AS age, size::numeric AS size
		FROM {mempool}.transaction WHERE status = 'pending'
	), ranked AS (
		SELECT g.kind, fee, age, size, count(*) OVER (PARTITION BY g.kind) AS n,
		       row_number() OVER (PARTITION BY g.kind ORDER BY fee) - 1 AS by_fee,
		       row_number() OVER (PARTITION BY g.kind ORDER BY age) - 1 AS by_age,
		       row_number() OVER (PARTITION BY g.kind ORDER BY size) - 1 AS by_size
		FROM waiting CROSS JOIN LATERAL (VALUES (waiting.kind), (-1)) AS g (kind)
		WHERE g.kind IS NOT NULL
	)
	SELECT {}, kind, percent, n,
	       trim_scale(fee + (fee_above - fee) * rest / 100)::text, trim_scale(age + (age_above - age) * rest / 100)::text,
	       trim_scale(size + (size_above - size) * rest / 100)::text
	FROM (
		SELECT kind, percent, n, (n - 1) * percent % 100 AS rest,
		       min(fee) FILTER (WHERE by_fee = (n - 1) * percent / 100) AS fee,
		       min(fee) FILTER (WHERE by_fee = ((n - 1) * percent + 99) / 100) AS fee_above,
		       min(age) FILTER (WHERE by_age = (n - 1) * percent / 100) AS age,
		       min(age) FILTER (WHERE by_age = ((n - 1) * percent + 99) / 100) AS age_above,
		       min(size) FILTER (WHERE by_size = (n - 1) * percent / 100) AS size,
		       min(size) FILTER (WHERE by_size = ((n - 1) * percent + 99) / 100) AS size_above
		FROM ranked CROSS JOIN (VALUES (25), (50), (75), (95)) AS p (percent)
		GROUP BY kind, percent, n
	) spread`

// readSpread reads the percentiles of the mempool; none when nothing is pending.
func readSpread(ctx context.Context, s *engine.Snapshot) ([]spreadRow, error) {
	v := s.Active("mempool")
	if v == nil {
		return nil, nil
	}
	var height int64
	if v.Height != nil {
		height = *v.Height
	}
	b := s.Batch()
	found := engine.Query(b, spreadColumns, spreadSQL, height)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return found.Rows, nil
}

func (p *percentiles) set(percent int, d exactNumber) {
	switch percent {
	case 25:
		p.P25 = &d
	case 50:
		p.P50 = &d
	case 75:
		p.P75 = &d
	case 95:
		p.P95 = &d
	}
}

func (s *mempoolSpread) kinds() [len(mempoolKinds)]*percentiles {
	return [...]*percentiles{&s.TokenTransfer, &s.SmartContract, &s.ContractCall, &s.PoisonMicroblock}
}

func getMempoolStats(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*mempoolStats, error) {
	rows, err := readSpread(ctx, s)
	if err != nil {
		return nil, err
	}
	stats := &mempoolStats{}
	counts := [...]*int64{&stats.TxTypeCounts.TokenTransfer, &stats.TxTypeCounts.SmartContract, &stats.TxTypeCounts.ContractCall, &stats.TxTypeCounts.PoisonMicroblock}
	fees, ages, sizes := stats.TxSimpleFeeAverages.kinds(), stats.TxAges.kinds(), stats.TxByteSizes.kinds()
	for _, r := range rows {
		if r.kind < 0 {
			continue
		}
		*counts[r.kind] = r.n
		fees[r.kind].set(r.percent, r.fee)
		ages[r.kind].set(r.percent, r.age)
		sizes[r.kind].set(r.percent, r.size)
	}
	return stats, nil
}

// mempoolFees holds percentiles of the fees of pending transactions, which it calls priorities.
type mempoolFees struct {
	All           feePriority  `json:"all"`
	TokenTransfer *feePriority `json:"token_transfer,omitempty"`
	ContractCall  *feePriority `json:"contract_call,omitempty"`
	SmartContract *feePriority `json:"smart_contract,omitempty"`
}

type feePriority struct {
	None   roundedFee `json:"no_priority"`
	Low    roundedFee `json:"low_priority"`
	Medium roundedFee `json:"medium_priority"`
	High   roundedFee `json:"high_priority"`
}

// roundedFee is a whole number of µSTX as text; empty means 0. In JSON it is a number.
type roundedFee string

// Schema implements huma.SchemaProvider.
func (roundedFee) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// MarshalJSON implements json.Marshaler.
func (f roundedFee) MarshalJSON() ([]byte, error) {
	if f == "" {
		return []byte("0"), nil
	}
	return []byte(f), nil
}

func (p *feePriority) set(percent int, fee roundedFee) {
	switch percent {
	case 25:
		p.None = fee
	case 50:
		p.Low = fee
	case 75:
		p.Medium = fee
	case 95:
		p.High = fee
	}
}

func getMempoolFees(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*mempoolFees, error) {
	rows, err := readSpread(ctx, s)
	if err != nil {
		return nil, err
	}
	fees := &mempoolFees{}
	kinds := map[int]**feePriority{0: &fees.TokenTransfer, 1: &fees.SmartContract, 2: &fees.ContractCall}
	for _, r := range rows {
		fee := roundFee(r.fee)
		if r.kind < 0 {
			fees.All.set(r.percent, fee)
			continue
		}
		if kind := kinds[r.kind]; kind != nil {
			if *kind == nil {
				*kind = &feePriority{}
			}
			(*kind).set(r.percent, fee)
		}
	}
	return fees, nil
}

// roundFee rounds to the nearest whole number, halves to the even one. d must not be negative, and have no zeros at its
// end.
func roundFee(d exactNumber) roundedFee {
	whole, fraction, _ := strings.Cut(string(d), ".")
	even := whole != "" && (whole[len(whole)-1]-'0')%2 == 0
	if fraction < "5" || fraction == "5" && even {
		return roundedFee(whole)
	}
	n, ok := new(big.Int).SetString(whole, 10)
	if !ok {
		return roundedFee(whole)
	}
	return roundedFee(n.Add(n, big.NewInt(1)).String())
}
