package fact

import (
	"bytes"

	"strata/domain/contract"
	"strata/domain/token"
)

// recognise returns which standard the interface that came with a deploy follows. known is false if no interface came.
// For an interface that is unreadable or follows no standard, r is empty and known is true: the contract is certain not
// to be one of ours.
func recognise(raw []byte) (r token.Recognised, known bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return r, false
	}
	parsed, err := contract.Parse(raw)
	if err != nil {
		return r, true
	}
	r, _ = token.Recognise(parsed)
	return r, true
}
