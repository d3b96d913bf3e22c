package ordinals

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

type inscriptionTransfersInput struct {
	InscriptionInput
	ordinal.OrdinalsPageInput
}

func (a *api) registerInscriptionTransfers() {
	engine.Get(a.Engine, ordinal.OrdinalsResource(engine.Operation{
		ID: "getInscriptionTransfers", Path: "/inscriptions/{id}/transfers", Tag: "Inscriptions", Summary: "The locations of an inscription",
		Description: "The newest location comes first, that of the reveal last. An unknown inscription has none.",
		Statuses:    []int{http.StatusBadRequest},
	}), a.inscriptionTransfers)
}

// inscriptionTransfers lists the locations of the sat of an inscription since the reveal of the inscription.
func (a *api) inscriptionTransfers(ctx context.Context, s *engine.Snapshot, in *inscriptionTransfersInput) (*ordinal.OrdinalsPage[satLocation], error) {
	list := ordinal.NewOrdinalsPage[satLocation](in.OrdinalsPageInput)
	if s.Active(ordinal.Inscribed) == nil {
		return list, nil
	}
	named, name := in.selectID()
	const since = `l.sat = i.sat AND (l.height, l.tx_index) >= (i.height, i.tx_index)`
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, count(l.sat)
		FROM (`+named+`) p
		JOIN {inscriptions}.inscription i ON i.id = p.id
		LEFT JOIN {inscriptions}.location l ON `+since, name)
	places := engine.Query(b, (*locationRow).columns, `
		SELECT {inscriptions.inscription i, inscriptions.location l, inscriptions.block b}, `+locationSQL("l", "b")+`
		FROM (`+named+`) p
		JOIN {inscriptions}.inscription i ON i.id = p.id
		CROSS JOIN LATERAL (
			SELECT * FROM {inscriptions}.location l WHERE `+since+`
			ORDER BY l.sat DESC, l.height DESC, l.tx_index DESC OFFSET $2 LIMIT $3
		) l
		JOIN {inscriptions}.block b ON b.height = l.height
		ORDER BY l.height DESC, l.tx_index DESC`, name, min(in.Offset, page.RankedOffsetMax), int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Total, _ = total.First()
	for i := range places.Rows {
		list.Results = append(list.Results, places.Rows[i].shape())
	}
	return list, nil
}
