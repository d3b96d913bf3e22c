package account

import (
	"strconv"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// queuePendingNonces adds to the batch the query for the nonces of the pending transactions that the account sends or
// sponsors. It returns a function that gives them once the batch has run: each once, in ascending order. The query
// reads as many rows as the account has pending transactions.
func queuePendingNonces(b *engine.Batch, account string) func() []uint64 {
	if !view.KnowsMempool(b.Snapshot) {
		return func() []uint64 { return nil }
	}
	found := engine.Query(b, func(n *string) []any { return []any{n} }, `
		SELECT {}, nonce::text FROM (
			SELECT w.nonce FROM {mempool}.transaction w WHERE w.status = 'pending' AND w.sender = $1
			UNION
			SELECT w.sponsor_nonce FROM {mempool}.transaction w WHERE w.status = 'pending' AND w.sponsor = $1
		) waiting (nonce)
		ORDER BY waiting.nonce`, account)
	return func() []uint64 {
		var nonces []uint64
		for _, text := range found.Rows {
			if n, err := strconv.ParseUint(text, 10, 64); err == nil {
				nonces = append(nonces, n)
			}
		}
		return nonces
	}
}
