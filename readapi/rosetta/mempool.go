package rosetta

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/operation"
	"strata/readapi/rosetta/internal/wire"

	"strata/domain/transaction"
)

func (c *call) mempool(ctx context.Context, _ *wire.NetworkRequest) (answer *wire.MempoolAnswer, err error) {
	answer = &wire.MempoolAnswer{TransactionIdentifiers: []wire.TransactionIdentifier{}}
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		if s.Active("mempool") == nil {
			return nil
		}
		b := s.Batch()
		found := engine.Query(b, func(id *hash.Hash32) []any { return []any{id} },
			`SELECT {}, txid FROM {mempool}.transaction WHERE status = 'pending' ORDER BY receipt_time DESC, txid DESC`)
		if err := b.Run(ctx); err != nil {
			return err
		}
		for _, id := range found.Rows {
			answer.TransactionIdentifiers = append(answer.TransactionIdentifiers, wire.TransactionIdentifier{Hash: id.String()})
		}
		return nil
	})
	return answer, err
}

func (c *call) mempoolTransaction(ctx context.Context, in *wire.MempoolTransactionRequest) (answer *wire.TransactionAnswer, err error) {
	if !isHex(in.TransactionIdentifier.Hash) {
		return nil, fault.New(fault.InvalidTransactionHash)
	}
	id, err := hash.Parse32(in.TransactionIdentifier.Hash)
	if err != nil {
		return nil, fault.New(fault.TransactionNotFound)
	}
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		if s.Active("mempool") == nil {
			return fault.New(fault.TransactionNotFound)
		}
		b := s.Batch()
		found := engine.Query(b, func(raw *[]byte) []any { return []any{raw} },
			`SELECT ARRAY[source_seq], raw_tx FROM {mempool}.transaction WHERE txid = $1 AND status = 'pending'`, id)
		if err := b.Run(ctx); err != nil {
			return err
		}
		raw, ok := found.First()
		if !ok {
			return fault.New(fault.TransactionNotFound)
		}
		tx := view.DecodeTransaction(raw)
		answer = &wire.TransactionAnswer{Transaction: wire.Transaction{
			TransactionIdentifier: wire.TransactionIdentifier{Hash: id.String()},
			Operations:            c.Operations(id.String(), operation.OfPayload(tx, operation.Pending)),
		}}
		if transfer, ok := tx.Payload.(*transaction.TokenTransfer); ok {
			if memo := operation.Memo(transfer.Memo[:]); memo != nil {
				answer.Transaction.Metadata = memoMetadata{*memo}
			}
		}
		return nil
	})
	return answer, err
}
