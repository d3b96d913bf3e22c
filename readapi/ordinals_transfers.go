package readapi

import (
	"context"
	"net/http"
)

type inscriptionTransfersInput struct {
	InscriptionInput
	OrdinalsPageInput
}

func (a *API) registerInscriptionTransfers() {
	get(a.Engine, ordinalsResource(resource{
		id: "getInscriptionTransfers", path: "/inscriptions/{id}/transfers", tag: "Inscriptions", summary: "Where an inscription has been",
		about: "The newest place first, that of its reveal last. An inscription that is not known has been nowhere.",
		of:    onTip(inscribed), statuses: []int{http.StatusBadRequest},
	}), a.inscriptionTransfers)
}

// inscriptionTransfers lists the places of the inscription's sat since the inscription was revealed on it.
func (a *API) inscriptionTransfers(ctx context.Context, s *snapshot, in *inscriptionTransfersInput) (*ordinalsPage[satLocation], error) {
	page := newOrdinalsPage[satLocation](in.OrdinalsPageInput)
	if s.active(inscribed) == nil {
		return page, nil
	}
	named, name := in.selectID()
	const since = `l.sat = i.sat AND (l.height, l.tx_index) >= (i.height, i.tx_index)`
	b := s.batch()
	total := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], count(l.sat)
		FROM (`+named+`) p
		JOIN {inscriptions}.inscription i ON i.id = p.id
		LEFT JOIN {inscriptions}.location l ON `+since, name)
	places := query(b, (*locationRow).columns, `
		SELECT ARRAY[l.source_seq], `+locationSQL("l", "b")+`
		FROM (`+named+`) p
		JOIN {inscriptions}.inscription i ON i.id = p.id
		CROSS JOIN LATERAL (
			SELECT * FROM {inscriptions}.location l WHERE `+since+`
			ORDER BY l.sat DESC, l.height DESC, l.tx_index DESC OFFSET $2 LIMIT $3
		) l
		JOIN {inscriptions}.block b ON b.height = l.height
		ORDER BY l.height DESC, l.tx_index DESC`, name, min(in.Offset, offsetMax), int64(in.Limit))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.first()
	for i := range places.rows {
		page.Results = append(page.Results, places.rows[i].shape())
	}
	return page, nil
}
