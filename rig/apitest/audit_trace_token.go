package apitest

import (
	"encoding/hex"
	"strings"

	"strata/domain/clarity"
)

// saidIn are the Clarity values in the responses that the trace of a row points to.
func (s *Site) SaidIn(r RowOf, column string) (values []string) {
	s.T.Helper()
	for _, fact := range s.Facts(r, column) {
		var response struct{ Result string }
		DecodeJSON(s.T, fact.(string), &response)
		raw, err := hex.DecodeString(strings.TrimPrefix(response.Result, "0x"))
		check(s.T, err)
		value, err := clarity.DecodeAll(raw)
		check(s.T, err)
		values = append(values, value.Repr())
	}
	return values
}
