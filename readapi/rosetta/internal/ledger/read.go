package ledger

import (
	"context"
	"slices"

	"strata/domain/bitcoin"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/operation"
	"strata/readapi/rosetta/internal/wire"
)

// Reader reads blocks.
type Reader struct {
	// Bitcoin is the network of reward addresses.
	Bitcoin bitcoin.Network
	// Synthetic returns the hash of the transaction that has what no transaction of a block without a coinbase did.
	Synthetic func(ID) string
}

// ReadBlock reads a block with all its transactions.
func (r *Reader) ReadBlock(ctx context.Context, s *engine.Snapshot, frame *Frame, id ID) (*Block, error) {
	blocks, err := r.read(ctx, s, frame, []ID{id}, nil)
	if err != nil {
		return nil, err
	}
	return blocks[0], nil
}

// read reads blocks with all their transactions, or, with keys, with these transactions. It makes the same number of
// round trips for all of them.
func (r *Reader) read(ctx context.Context, s *engine.Snapshot, frame *Frame, ids []ID, keys []view.RowKey) ([]*Block, error) {
	blocks, err := readBlocks(ctx, s, frame, ids)
	if err != nil {
		return nil, err
	}
	var heights, seqs []int64
	blockOf := map[int64]*Block{}
	transactions, eventCount := len(keys), len(keys)
	for _, block := range blocks {
		if keys == nil {
			transactions, eventCount = transactions+int(block.TxCount), eventCount+int(block.events)
		}
		heights, seqs = append(heights, frame.heights(block.Index)...), append(seqs, block.seqs...)
		for _, seq := range block.seqs {
			blockOf[seq] = block
		}
	}
	b := s.Batch()
	found := queueTransactions(b, seqs, keys, transactions)
	entries, events := queueEntries(b, frame, heights, keys, transactions+2*eventCount), queueEvents(b, frame, seqs, keys, eventCount)
	locks, expiries := queueLocks(b, frame, heights), queueExpiries(b, frame, heights)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	currencies, err := readCurrencies(ctx, s, entries.Rows)
	if err != nil {
		return nil, err
	}
	interfaces, err := view.Complete(ctx, s, view.RowsOf(found), false, nil)
	if err != nil {
		return nil, err
	}
	a := newAssembly(r.Bitcoin, currencies, entries.Rows, events.Rows, locks.Rows, expiries.Rows)
	a.operations = make([]operation.Operation, 0, len(found.Rows)+len(entries.Rows)+len(events.Rows))
	if keys == nil {
		for _, block := range blocks {
			block.Transactions = make([]Transaction, 0, block.TxCount)
		}
	}
	for i := range found.Rows {
		row := &found.Rows[i]
		block := blockOf[row.Seq]
		var carries *Block
		if block.carrier != nil && row.Seq == block.Seq && row.Index == *block.carrier {
			carries = block
		}
		block.Transactions = append(block.Transactions, a.transaction(row, interfaces, carries))
		if block.Index == frame.Genesis.Index && row.EventCount > chunkEvents {
			block.Others = append(block.Others, wire.ChunkIDs(row.ID.String(), (int(row.EventCount)+chunkEvents-1)/chunkEvents)...)
		}
	}
	if keys == nil {
		for _, block := range blocks {
			synthetic := r.Synthetic(block.ID)
			if block.carrier != nil {
				continue
			}
			if carried := a.carried(nil, block, synthetic); len(carried) > 0 {
				block.Transactions = append(block.Transactions, Transaction{Hash: synthetic, Operations: carried})
			}
		}
	}
	return blocks, nil
}

// queueTransactions adds the query for the transactions of blocks to a batch, or for those with keys, in the order of
// execution. About expected rows are to come.
func queueTransactions(b *engine.Batch, seqs []int64, keys []view.RowKey, expected int) *engine.Result[view.TransactionRow] {
	if keys == nil {
		return engine.QueryMany(b, expected, view.TransactionColumns, `
			SELECT NULL::bigint[], `+view.TransactionFields+`FROM {chain}.transaction t`+view.TransactionBlocksSQL+`
			WHERE t.source_seq = ANY ($1) ORDER BY b.height, t.execution_index`, seqs)
	}
	keySeqs, indexes := view.KeyColumns(keys)
	return engine.QueryMany(b, expected, view.TransactionColumns, `
		SELECT NULL::bigint[], `+view.TransactionFields+`FROM unnest($1::bigint[], $2::int[]) AS k (seq, index)
		JOIN {chain}.transaction t ON t.source_seq = k.seq AND t.tx_index = k.index`+view.TransactionBlocksSQL+`
		ORDER BY b.height, t.execution_index`, keySeqs, indexes)
}

// readCurrencies reads the currencies of the fungible tokens that entries move.
func readCurrencies(ctx context.Context, s *engine.Snapshot, entries []entry) (Currencies, error) {
	found := map[term]bool{}
	for i := range entries {
		switch entries[i].cause {
		case nodeevent.TypeFTTransfer, nodeevent.TypeFTMint, nodeevent.TypeFTBurn:
			found[entries[i].asset] = true
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	assets := make([]string, 0, len(found))
	for asset := range found {
		assets = append(assets, string(asset))
	}
	slices.Sort(assets)
	b := s.Batch()
	take := queueCurrencies(s, b, assets)
	if len(b.Queries) > 0 {
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
	}
	return take(), nil
}

// ReadTransaction reads a transaction of the canonical chain: one of a block, a part of one that is too large for its
// block, or one that has what no transaction did. With within, it must be in that block. It fails with ErrNoTransaction.
func (r *Reader) ReadTransaction(ctx context.Context, s *engine.Snapshot, id string, within *ID) (*Transaction, *Block, error) {
	if original, chunk, ok := wire.ParseChunkID(id); ok {
		return r.readChunk(ctx, s, original, chunk)
	}
	h, err := hash.Parse32(id)
	if err != nil {
		return nil, nil, ErrNoTransaction
	}
	row, err := view.FindTransaction(ctx, s, h)
	if err != nil {
		return nil, nil, err
	}
	if row == nil {
		return r.readSynthetic(ctx, s, h, within)
	}
	index := max(row.Height, GenesisIndex)
	frame, place, err := ReadFrame(ctx, s, Ref{Index: &row.Height})
	if err != nil && row.Height < GenesisIndex {
		frame, place, err = ReadFrame(ctx, s, Ref{Index: &index})
	}
	if err != nil || row.Height >= GenesisIndex && place.IndexHash != row.IndexHash || within != nil && place.IndexHash != within.IndexHash {
		return nil, nil, orNoTransaction(err)
	}
	blocks, err := r.read(ctx, s, &frame, []ID{place}, []view.RowKey{row.RowKey})
	if err != nil {
		return nil, nil, err
	}
	if len(blocks[0].Transactions) == 0 {
		return nil, nil, ErrNoTransaction
	}
	return &blocks[0].Transactions[0], blocks[0], nil
}

// readSynthetic reads the transaction whose hash is that of a block.
func (r *Reader) readSynthetic(ctx context.Context, s *engine.Snapshot, h hash.Hash32, within *ID) (*Transaction, *Block, error) {
	frame, place, err := ReadFrame(ctx, s, Ref{Hash: &h})
	if err != nil || within != nil && place != *within {
		return nil, nil, orNoTransaction(err)
	}
	block, err := r.ReadBlock(ctx, s, &frame, place)
	if err != nil {
		return nil, nil, err
	}
	if last := len(block.Transactions) - 1; last >= 0 && block.Transactions[last].Row == nil {
		return &block.Transactions[last], block, nil
	}
	return nil, nil, ErrNoTransaction
}

// orNoTransaction returns ErrNoTransaction for a block that is not there, and other errors as they are.
func orNoTransaction(err error) error {
	if err == nil || err == ErrNoBlock || err == ErrOtherBlock { //nolint:errorlint // ReadFrame returns them unwrapped
		return ErrNoTransaction
	}
	return err
}

// STXAmount returns an amount of µSTX.
func STXAmount(value string) wire.Amount { return wire.Amount{Value: value, Currency: wire.STX()} }
