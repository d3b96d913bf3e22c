package apitest

import (
	"encoding/hex"
	"strings"

	"strata/domain/clarity"
	"strata/internal/testkit/must"
)

// saidIn are the Clarity values in the responses that the trace of a row points to.
func (s *Site) SaidIn(r RowOf, column string) (values []string) {
	s.T.Helper()
	for _, fact := range s.Facts(r, column) {
		var response struct{ Result string }
		DecodeJSON(s.T, fact.(string), &response)
		raw := must.Get(hex.DecodeString(strings.TrimPrefix(response.Result, "0x")))(s.T)
		value := must.Get(clarity.DecodeAll(raw))(s.T)
		values = append(values, value.Repr())
	}
	return values
}
