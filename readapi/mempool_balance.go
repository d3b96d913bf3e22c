package readapi

import "math/big"

// pendingSTX sums what the mempool would do to an account's STX.
type pendingSTX struct{ inbound, outbound string }

// mempoolTransfers sums what waits in the mempool.
type mempoolTransfers struct{}

// queue implements pendingTransfers. It costs as many rows as the account has transactions that wait. They are zero while there is no mempool to read.
func (mempoolTransfers) queue(b *batch, account string) func() (inbound, outbound *big.Int) {
	if !knowsMempool(b.snapshot) {
		return func() (*big.Int, *big.Int) { return new(big.Int), new(big.Int) }
	}
	found := query(b, func(p *pendingSTX) []any { return []any{&p.inbound, &p.outbound} }, `
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
		p, _ := found.first()
		return wholeNumber(p.inbound), wholeNumber(p.outbound)
	}
}
