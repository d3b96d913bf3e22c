package readapi

import "context"

// firstOrdinalsHeight is what the tip is said to be before the first block: where the first inscription was.
const firstOrdinalsHeight = 767430

// ordinalsStatus is how far the inscriptions have come.
type ordinalsStatus struct {
	ServerVersion              string `json:"server_version"`
	Status                     string `json:"status" enum:"ready"`
	BlockHeight                int64  `json:"block_height" doc:"Of the highest block with inscriptions; 767430 before the first one."`
	MaxInscriptionNumber       *int64 `json:"max_inscription_number,omitempty"`
	MaxCursedInscriptionNumber *int64 `json:"max_cursed_inscription_number,omitempty" doc:"The lowest number below zero."`
	MissingInscriptions        *int64 `json:"missing_inscriptions,omitempty" doc:"Numbers between those that are known: what the feed has not sent. Absent while there is no inscription."`
}

// numbering is how far numbers go, and how many between them are missing.
type numbering struct {
	highest, lowest *int64
	lost            int64
}

// queryNumbering adds a query for it.
func queryNumbering(b *batch) *result[numbering] {
	return query(b, func(n *numbering) []any { return []any{&n.highest, &n.lowest, &n.lost} }, `
		SELECT ARRAY[]::bigint[],
		       (SELECT max(number) FROM {inscriptions}.inscription WHERE number >= 0),
		       (SELECT min(number) FROM {inscriptions}.inscription WHERE number < 0),
		       n FROM {inscriptions}.missing`)
}

// missing is how many numbers there are not between those that there are; nil without any.
func (n *numbering) missing() *int64 {
	if n.highest == nil && n.lowest == nil {
		return nil
	}
	return &n.lost
}

func (a *API) registerOrdinalsStatus() {
	get(a.Engine, ordinalsResource(resource{
		id: "getOrdinalsStatus", tag: "Status", summary: "Status of the inscriptions", of: onTip(inscribed),
		about: "The highest block, and how far the numbers of inscriptions go.",
	}), a.ordinalsStatus)
}

func (a *API) ordinalsStatus(ctx context.Context, s *snapshot, _ *struct{}) (*ordinalsStatus, error) {
	body := &ordinalsStatus{ServerVersion: "strata " + a.config.Version.String(), Status: "ready", BlockHeight: firstOrdinalsHeight}
	if v, ok := s.tip(inscribed); ok {
		body.BlockHeight = *v.Height
	}
	if s.active(inscribed) == nil {
		return body, nil
	}
	b := s.batch()
	found := queryNumbering(b)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	if n, ok := found.first(); ok {
		body.MaxInscriptionNumber, body.MaxCursedInscriptionNumber, body.MissingInscriptions = n.highest, n.lowest, n.missing()
	}
	return body, nil
}
