package apitest

import (
	"net/http"

	"github.com/jackc/pgx/v5"
)

// TouchLimits are the most blocks of 8 KiB that answers may touch in the tables of a projection.
type TouchLimits = []struct {
	Target string
	Most   int64
}

// CheckTouches expects that answers touch no more blocks than they may.
func (s *Site) CheckTouches(seen *Queries, projection string, limits TouchLimits) {
	s.T.Helper()
	for _, limit := range limits {
		seen.Take()
		s.ExpectTexts(limit.Target, http.StatusOK)
		s.CheckTouched(limit.Target, seen.Take(projection), limit.Most)
	}
}

// CheckTouched expects that queries touch at most so many blocks of 8 KiB, whatever Postgres guesses: with plans for their
// arguments as with one for any.
func (s *Site) CheckTouched(what string, queries []pgx.TraceQueryStartData, most int64) {
	s.T.Helper()
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		touched := int64(0)
		for _, q := range queries {
			touched += s.BlocksTouched(mode, q)
		}
		if touched > most {
			s.T.Errorf("%s, %s: touches %d blocks, want at most %d", what, mode, touched, most)
		}
	}
}
