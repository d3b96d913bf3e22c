package readapi

import (
	"context"
	"net/http"
)

func (a *API) registerInscription() {
	get(a.Engine, ordinalsResource(resource{
		id: "getInscription", path: "/inscriptions/{id}", tag: "Inscriptions", summary: "An inscription", brief: true,
		about: "By its id or its number, which have the same entity tag.",
		of:    onTip(inscribed), statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}), a.inscription)
}

// selectID is a query for the id of the inscription, which has the argument $1, and that argument. Where the feed gave a
// number twice, it is the first one's.
func (in *InscriptionInput) selectID() (sql string, name any) {
	if number, ok := in.number(); ok {
		return `SELECT id, 1 AS place FROM {inscriptions}.inscription WHERE number = $1::bigint ORDER BY id LIMIT 1`, number
	}
	return `SELECT $1::text COLLATE "C" AS id, 1 AS place`, string(in.ID)
}

func (a *API) inscription(ctx context.Context, s *snapshot, in *InscriptionInput) (*inscription, error) {
	if s.active(inscribed) == nil {
		return nil, errOrdinalsNotFound
	}
	named, name := in.selectID()
	b := s.batch()
	found := query(b, inscriptionColumns, inscriptionSQL(named, "p.place"), name)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	row, ok := found.first()
	if !ok {
		return nil, errOrdinalsNotFound
	}
	shaped := row.shape(a.bareTxID)
	return &shaped, nil
}
