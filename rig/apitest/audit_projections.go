package apitest

import (
	"encoding/json"
	"net/http"
)

// tableVersion is a version as clients read it.
type TableVersion struct {
	Name, Input, State string
	Version, Rules     int
	Active, Previous   bool
	Position, Head     int64
	Lag, Quarantined   int64
	LagSeconds         float64  `json:"lag_seconds"`
	BlockHeight        *int64   `json:"block_height"`
	ETASeconds         *float64 `json:"eta_seconds"`
	Rate               *float64
	Throttle           *int64
	Error              *string
}

func (s *Site) TableVersions() (logSize int64, versions []TableVersion) {
	s.T.Helper()
	var list struct {
		LogSize     int64 `json:"log_size"`
		Projections []TableVersion
	}
	got := s.Get("/audit/v1/projections")
	if err := json.Unmarshal([]byte(got.Body), &list); err != nil || got.Status != http.StatusOK || got.Header.Get("Cache-Control") != "no-store" {
		s.T.Fatalf("got %d %q %s (%v)", got.Status, got.Header.Get("Cache-Control"), got.Body, err)
	}
	return list.LogSize, list.Projections
}
