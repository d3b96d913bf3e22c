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

// outbidSQL is true for a pending transaction w that a better one excludes, because a nonce is used once: by its sender or
// by its sponsor. The better one has the greater fee, as nodes replace a transaction only by one that pays more, or came
// first. Nodes don't say that they replaced a transaction which only others had.
const outbidSQL = `
	EXISTS (
		SELECT FROM (VALUES (w.sender, w.nonce), (w.sponsor, w.sponsor_nonce)) used (account, nonce)
		CROSS JOIN LATERAL (
			SELECT o.status, o.fee, o.source_seq, o.pointer FROM {mempool}.transaction o WHERE o.sender = used.account AND o.nonce = used.nonce
			UNION ALL
			SELECT o.status, o.fee, o.source_seq, o.pointer FROM {mempool}.transaction o WHERE o.sponsor = used.account AND o.sponsor_nonce = used.nonce
		) o
		WHERE o.status = 'pending' AND (o.fee > w.fee OR o.fee = w.fee AND (o.source_seq, o.pointer) < (w.source_seq, w.pointer))
	)`

// Queue adds its query to a batch. Its cost grows with the number of the account's pending transactions. The sums are
// zero while there is no mempool to read.
func (mempoolTransfers) Queue(b *engine.Batch, account string) func() (inbound, outbound *big.Int) {
	if !KnowsMempool(b.Snapshot) {
		return func() (*big.Int, *big.Int) { return new(big.Int), new(big.Int) }
	}
	const each = `SELECT w.txid, w.source_seq, w.pointer, w.sender, w.nonce, w.sponsor, w.sponsor_nonce, w.recipient, w.amount, w.fee
			FROM {mempool}.transaction w WHERE w.status = 'pending' AND `
	found := engine.Query(b, func(p *pendingSTX) []any { return []any{&p.inbound, &p.outbound} }, `
		SELECT {}, coalesce(sum(w.amount) FILTER (WHERE w.recipient = $1), 0)::text,
		       (coalesce(sum(w.amount) FILTER (WHERE w.sender = $1), 0) + coalesce(sum(w.fee) FILTER (WHERE coalesce(w.sponsor, w.sender) = $1), 0))::text
		FROM (
			`+each+`w.sender = $1
			UNION
			`+each+`w.sponsor = $1
			UNION
			`+each+`w.recipient = $1
		) w
		WHERE NOT `+outbidSQL, account)
	return func() (inbound, outbound *big.Int) {
		p, _ := found.First()
		return schema.WholeNumber(p.inbound), schema.WholeNumber(p.outbound)
	}
}
