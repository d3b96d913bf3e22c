package ordinals

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

type blockTransfersInput struct {
	Block blockParameter `query:"block" required:"true"`
	ordinal.OrdinalsPageInput
}

// blockTransfer is one move of an inscription.
type blockTransfer struct {
	ID     string      `json:"id"`
	Number int64       `json:"number"`
	From   satLocation `json:"from"`
	To     satLocation `json:"to"`
}

type blockTransferRow struct {
	id       string
	number   int64
	from, to locationRow
}

func blockTransferColumns(r *blockTransferRow) []any {
	return append(append([]any{&r.id, &r.number}, r.from.columns()...), r.to.columns()...)
}

func (a *api) registerBlockTransfers() {
	engine.Get(a.Engine, ordinal.OrdinalsResource(engine.Operation{
		ID: "getTransfersPerBlock", Path: "/inscriptions/transfers", Tag: "Inscriptions", Summary: "The moves of inscriptions in a block",
		Description: "The last move comes first. A reveal is not a move of the inscription it reveals, but it is a move of the older inscriptions on the same satoshi. " +
			"An unknown block has no moves.",
		Statuses: []int{http.StatusBadRequest},
	}), a.blockTransfers)
}

// blockTransfers lists the moves of a block. A location of the block moves every older inscription on its satoshi; the
// query adds up their numbers to find the locations of the page.
func (a *api) blockTransfers(ctx context.Context, s *engine.Snapshot, in *blockTransfersInput) (*ordinal.OrdinalsPage[blockTransfer], error) {
	list := ordinal.NewOrdinalsPage[blockTransfer](in.OrdinalsPageInput)
	if s.Active(ordinal.Inscribed) == nil {
		return list, nil
	}
	id, height := in.Block.block()
	condition, name := `height = $1::bigint`, any(height)
	if id != nil {
		condition, name = `block_hash = $1::bytea`, *id
	}
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, coalesce(sum(moves), 0)::bigint FROM {inscriptions}.block WHERE `+condition, name)
	moved := engine.Query(b, blockTransferColumns, `
		SELECT {inscriptions.inscription i, inscriptions.location f, inscriptions.location t, inscriptions.block fb, inscriptions.block t}, i.id, i.number, `+locationSQL("f", "fb")+`, `+locationSQL("t", "t")+`
		FROM (
			SELECT l.*, b.time, b.block_hash, (sum(l.moved) OVER (ORDER BY l.height DESC, l.block_order DESC ROWS UNBOUNDED PRECEDING))::bigint - l.moved AS before
			FROM (SELECT height, time, block_hash FROM {inscriptions}.block WHERE `+condition+` AND moves > 0 OFFSET 0) b
			JOIN {inscriptions}.location l ON l.height = b.height
			WHERE l.moved > 0
		) t
		CROSS JOIN LATERAL (
			SELECT c.id, c.number, c.source_seq FROM {inscriptions}.inscription c
			WHERE c.sat = t.sat AND (c.height, c.tx_index) < (t.height, t.tx_index)
			ORDER BY c.sat DESC, c.number DESC OFFSET greatest($2 - t.before, 0) LIMIT least($2 + $3 - t.before, $3)
		) i
		CROSS JOIN LATERAL (
			SELECT * FROM {inscriptions}.location p
			WHERE p.sat = t.sat AND (p.height, p.tx_index) < (t.height, t.tx_index)
			ORDER BY p.sat DESC, p.height DESC, p.tx_index DESC LIMIT 1
		) f
		JOIN {inscriptions}.block fb ON fb.height = f.height
		WHERE t.before < $2 + $3 AND t.before + t.moved > $2
		ORDER BY t.height DESC, t.block_order DESC, i.number DESC`, name, min(in.Offset, page.RankedOffsetMax), int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Total, _ = total.First()
	for i := range moved.Rows {
		r := &moved.Rows[i]
		list.Results = append(list.Results, blockTransfer{ID: r.id, Number: r.number, From: r.from.shape(), To: r.to.shape()})
	}
	return list, nil
}
