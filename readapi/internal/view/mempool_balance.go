package view

import (
	"math/big"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// pendingSTX holds what the account's pending transactions would add to its STX and take from them.
type pendingSTX struct{ inbound, outbound string }

// mempoolTransfers sums what the projection mempool has pending.
type mempoolTransfers struct{}

// Queue adds its query to a batch. Its cost grows with the number of the account's pending transactions. The sums are
// zero while there is no mempool to read.
func (mempoolTransfers) Queue(b *engine.Batch, account string) func() (inbound, outbound *big.Int) {
	if !KnowsMempool(b.Snapshot) {
		return func() (*big.Int, *big.Int) { return new(big.Int), new(big.Int) }
	}
	found := engine.Query(b, func(p *pendingSTX) []any { return []any{&p.inbound, &p.outbound} }, `
		SELECT ARRAY[]::bigint[], inbound.sum::text, (outbound.sum + sponsored.sum)::text
		FROM (
			SELECT coalesce(sum(w.amount), 0) AS sum FROM {mempool}.transaction w WHERE w.status = 'pending' AND w.recipient = $1
		) inbound
		CROSS JOIN (
			SELECT coalesce(sum(coalesce(w.amount, 0) + CASE WHEN w.sponsor IS NULL THEN w.fee ELSE 0 END), 0) AS sum
			FROM {mempool}.transaction w WHERE w.status = 'pending' AND w.sender = $1
		) outbound
		CROSS JOIN (
			SELECT coalesce(sum(w.fee), 0) AS sum FROM {mempool}.transaction w WHERE w.status = 'pending' AND w.sponsor = $1
		) sponsored`, account)
	return func() (inbound, outbound *big.Int) {
		p, _ := found.First()
		return schema.WholeNumber(p.inbound), schema.WholeNumber(p.outbound)
	}
}
