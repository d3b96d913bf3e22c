package token

import (
	"bytes"

	"strata/domain/contract"
	"strata/domain/token"
)

// recognise reads the interface that came with a deploy; known is false when none came. One that can't be read, or is of
// no standard, is known to be none of ours.
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
