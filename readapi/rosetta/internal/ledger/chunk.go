package ledger

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
	"strata/readapi/rosetta/internal/wire"
)

// readChunk reads a part of the operations of a transaction of the first block.
func (r *Reader) readChunk(ctx context.Context, s *engine.Snapshot, original string, chunk int) (*Transaction, *Block, error) {
	h, err := hash.Parse32(original)
	if err != nil {
		return nil, nil, ErrNoTransaction
	}
	row, err := view.FindTransaction(ctx, s, h)
	if err != nil || row == nil {
		return nil, nil, orNoTransaction(err)
	}
	frame, _, err := ReadFrame(ctx, s, Ref{})
	if err != nil || row.Height > frame.Genesis.Index || row.EventCount <= chunkEvents {
		return nil, nil, orNoTransaction(err)
	}
	block, err := ReadBlockInfo(ctx, s, &frame, frame.Genesis)
	if err != nil {
		return nil, nil, err
	}
	first := chunk * chunkEvents
	b := s.Batch()
	events := engine.QueryMany(b, chunkEvents, eventColumns, eventSQL+`FROM {chain}.event e
		WHERE e.source_seq = $1 AND e.tx_index = $2 AND e.event_index >= $3 AND e.event_index < $4 ORDER BY e.event_index`, row.Seq, row.Index, first, first+chunkEvents)
	// Each account is looked up once, however many of the events are about it, and IS TRUE keeps the list of pointers a
	// hashed one: as a join, it could compare each change with each event.
	entries := engine.QueryMany(b, 2*chunkEvents, entryColumns, `
		WITH part AS MATERIALIZED (
			SELECT '/events/' || e.pointer AS pointer, e.sender, e.recipient, coalesce(e.asset_identifier, 'stx') AS asset
			FROM {chain}.event e WHERE e.source_seq = $1 AND e.tx_index = $2 AND e.event_index >= $3 AND e.event_index < $4
		), party AS MATERIALIZED (SELECT sender AS account, asset FROM part UNION SELECT recipient, asset FROM part)
		`+entrySQL+`
		FROM party
		JOIN {balances}.ledger l ON l.account = party.account AND l.asset = party.asset AND l.height = $5
		WHERE l.source_seq = $1 AND (l.pointer IN (SELECT pointer FROM part)) IS TRUE`, row.Seq, row.Index, first, first+chunkEvents, row.Height)
	locks := queueLocks(b, &frame, frame.heights(frame.Genesis.Index))
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if len(events.Rows) == 0 || !row.Canonical {
		return nil, nil, ErrNoTransaction
	}
	currencies, err := readCurrencies(ctx, s, entries.Rows)
	if err != nil {
		return nil, nil, err
	}
	a := newAssembly(r.Bitcoin, currencies, entries.Rows, events.Rows, locks.Rows, nil)
	t := &Transaction{Hash: wire.ChunkID(row.ID.String(), chunk)}
	for i := range events.Rows {
		t.Operations = a.event(t.Operations, &events.Rows[i], nil)
	}
	return t, block, nil
}
