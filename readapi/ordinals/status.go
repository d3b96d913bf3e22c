package ordinals

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

// firstOrdinalsHeight is the height that the status reports before the first block: that of the first inscription.
const firstOrdinalsHeight = 767430

// ordinalsStatus is the progress of the inscriptions.
type ordinalsStatus struct {
	ServerVersion              string `json:"server_version"`
	Status                     string `json:"status" enum:"ready"`
	BlockHeight                int64  `json:"block_height" doc:"Height of the highest block with inscriptions; 767430 before the first one."`
	MaxInscriptionNumber       *int64 `json:"max_inscription_number,omitempty"`
	MaxCursedInscriptionNumber *int64 `json:"max_cursed_inscription_number,omitempty" doc:"The lowest number below zero."`
	MissingInscriptions        *int64 `json:"missing_inscriptions,omitempty" doc:"Count of the numbers that are missing between the known ones: inscriptions that the feed has not sent. Absent while there is no inscription."`
	Quarantined                *int64 `json:"quarantined,omitempty" doc:"Number of events, and parts of events, of the feed that could not be read, so that their effects are missing: see /audit/v1/quarantine. Absent for none."`
	Anomalies                  *int64 `json:"anomalies,omitempty" doc:"Number of faults of the feed so far: see /audit/v1/feed-anomalies. Absent for none."`
}

func (a *api) registerOrdinalsStatus() {
	engine.Get(a.Engine, ordinal.OrdinalsResource(engine.Operation{
		ID: "getOrdinalsStatus", Tag: "Status", Summary: "Status of the inscriptions",
		Description: "The highest block, and the range of the numbers of inscriptions.",
		Untraced:    engine.MadeOfCounters,
	}), a.ordinalsStatus)
}

func (a *api) ordinalsStatus(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*ordinalsStatus, error) {
	body := &ordinalsStatus{ServerVersion: "strata " + a.Config.Version.String(), Status: "ready", BlockHeight: firstOrdinalsHeight}
	if v, ok := s.Tip(ordinal.Inscribed); ok {
		body.BlockHeight = *v.Height
	}
	if s.Active(ordinal.Inscribed) == nil {
		return body, nil
	}
	b := s.Batch()
	numbering, losses := ordinal.QueryNumbering(b), ordinal.QueryLosses(b, ordinal.Feed, ordinal.Inscribed)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if n, ok := numbering.First(); ok {
		body.MaxInscriptionNumber, body.MaxCursedInscriptionNumber, body.MissingInscriptions = n.Highest, n.Lowest, n.Missing()
	}
	if l, ok := losses.First(); ok {
		body.Quarantined, body.Anomalies = ordinal.OrNil(l.Quarantined), ordinal.OrNil(l.Anomalies)
	}
	return body, nil
}
