package account

import (
	"strconv"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// pendingNonces are those of transactions of an account that are not mined yet.
type pendingNonces interface {
	// queue adds what queries it takes to a batch, and returns how to read them once it has run: the nonces of transactions
	// that the account sends or sponsors, each once, the least first.
	Queue(b *engine.Batch, account string) func() []uint64
}

// waitingNonces are those of what waits in the mempool.
type waitingNonces struct{}

// queue implements pendingNonces. It costs as many rows as the account has transactions that wait.
func (waitingNonces) Queue(b *engine.Batch, account string) func() []uint64 {
	if !view.KnowsMempool(b.Snapshot) {
		return func() []uint64 { return nil }
	}
	found := engine.Query(b, func(n *string) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], nonce::text FROM (
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
