package inscriptions

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// copyRows inserts the blocks, the inscriptions with their owners, and the locations of a wave. All these rows are new.
func (b *batch) copyRows(w *wave) error {
	if err := copyTable(b, "inscription", inscriptionColumns, w.inscriptions, (*inscription).row); err != nil {
		return err
	}
	if err := copyTable(b, "owner", ownerColumns, w.inscriptions, (*inscription).ownerRow); err != nil {
		return err
	}
	if err := copyTable(b, "location", locationColumns, w.locations, (*location).row); err != nil {
		return err
	}
	return copyTable(b, "block", blockColumns, w.blocks, (*block).row)
}

func copyTable[T any](b *batch, table string, columns []string, list []T, row func(T) []any) error {
	if len(list) == 0 {
		return nil
	}
	rows := pgx.CopyFromSlice(len(list), func(i int) ([]any, error) { return row(list[i]), nil })
	if _, err := b.tx.CopyFrom(b.ctx, pgx.Identifier{b.projection.spec.String(), table}, columns, rows); err != nil {
		return fmt.Errorf("write %d rows of %s: %w", len(list), table, err)
	}
	return nil
}

var blockColumns = []string{"height", "source_seq", "time", "moves", "reveals", "block_index", "block_hash"}

func (b *block) row() []any {
	return []any{
		b.step.Height, b.step.BlockSeq, int64(b.step.Block.Time), b.moves, int32(b.reveals), int32(b.step.BlockIndex), b.step.BlockHash[:],
	}
}

var inscriptionColumns = []string{
	"number", "classic_number", "sat", "height", "tx_index", "source_seq", "content_at", "content_length", "content_size", "fee",
	"transaction", "operation", "charms", "rarity", "recursive", "id", "content_type", "mime_type", "genesis_address",
	"curse_type", "metaprotocol", "delegate", "metadata", "parents", "recursion_refs",
}

func (i *inscription) row() []any {
	r := i.reveal
	var contentAt, curse any
	if r.ContentAt >= 0 {
		contentAt = r.ContentAt
	}
	if c := r.Curse(); c != nil {
		curse = projections.Text(*c)
	}
	return []any{
		i.number, r.Number.Classic, i.sat, i.key.height, i.key.tx, i.seq, contentAt, int64(r.ContentLength), int64(len(r.Content)), int64(r.Fee),
		int32(i.transaction), int32(i.operation), int32(i.charms), i.rarity, i.recursive, string(r.ID), projections.Text(r.ContentType),
		i.mimeType, i.genesis, curse, projections.NullText(r.Metaprotocol), projections.NullText(r.Delegate),
		text(r.ShownMetadata()), projections.Column(r.Parents, projections.Text), i.refs,
	}
}

var ownerColumns = []string{"sat", "number", "height", "tx_index", "id", "address"}

func (i *inscription) ownerRow() []any {
	return []any{i.sat, i.number, i.key.height, i.key.tx, string(i.reveal.ID), i.address}
}

var locationColumns = []string{
	"sat", "height", "tx_index", "source_seq", "moved", "value", "sat_offset", "block_order", "transaction", "operation", "type",
	"txid", "output_txid", "vout", "address",
}

func (l *location) row() []any {
	return []any{
		l.sat, l.key.height, l.key.tx, l.seq, l.moved, number(l.value), number(l.at.Offset), int32(l.order), int32(l.transaction),
		int32(l.operation), l.kind, l.txid[:], l.at.TxID[:], l.at.Vout, l.address,
	}
}

var satColumns = []string{"sat", "height", "tx_index", "source_seq", "inscriptions", "output_txid", "vout"}

func (s *sat) row() []any {
	a := &s.after
	return []any{s.number, a.key.height, a.key.tx, a.seq, a.inscriptions, a.output[:], a.vout}
}

// number returns the column value of a number below 2^63; NULL for nil.
func number(n *uint64) any {
	if n == nil {
		return nil
	}
	return int64(*n)
}
