package ordinals

import (
	"context"
	"net/http"

	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

func (a *api) registerInscription() {
	engine.Get(a.Engine, ordinal.OrdinalsResource(engine.Operation{
		ID: "getInscription", Path: "/inscriptions/{id}", Tag: "Inscriptions", Summary: "An inscription", PointRead: true,
		Description: "By its id or its number. Both give the same entity tag.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}), a.inscription)
}

// selectID returns a query for the id of the inscription, and its argument $1. When the feed gave a number twice, the
// query selects the lowest id.
func (in *InscriptionInput) selectID() (sql string, name any) {
	if number, ok := in.number(); ok {
		return `SELECT id, 1 AS place FROM {inscriptions}.inscription WHERE number = $1::bigint ORDER BY id LIMIT 1`, number
	}
	return `SELECT $1::text COLLATE "C" AS id, 1 AS place`, in.id()
}

// notFound returns the error for an inscription that is unknown. A reveal that could not be read is known by its id alone.
func (in *InscriptionInput) notFound(ctx context.Context, s *engine.Snapshot) error {
	if _, ok := in.number(); ok {
		return ordinal.ErrOrdinalsNotFound
	}
	return ordinal.NotFound(ctx, s, ordinals.InscriptionSubject(ordinals.InscriptionID(in.id())))
}

func (a *api) inscription(ctx context.Context, s *engine.Snapshot, in *InscriptionInput) (*inscription, error) {
	if s.Active(ordinal.Inscribed) == nil {
		return nil, ordinal.ErrOrdinalsNotFound
	}
	named, name := in.selectID()
	b := s.Batch()
	matches := engine.Query(b, inscriptionColumns, inscriptionSQL(named, "p.place"), name)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(matches.Rows) == 0 {
		return nil, in.notFound(ctx, s)
	}
	return &a.showInscriptions(matches.Rows[:1])[0], nil
}
