package readapi

import (
	"encoding/hex"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/clarity"
	"strata/domain/memo"
)

// hexText is bytes as lower-case hex with 0x, as JSON text.
type hexText string

// Schema implements huma.SchemaProvider.
func (hexText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: matching(`^0x([0-9a-f]{2})*$`), Examples: []any{"0x0703"}}
}

func hexOf(b []byte) hexText { return hexText("0x" + hex.EncodeToString(b)) }

// clarityValue is a Clarity value in its two forms.
type clarityValue struct {
	Hex  hexText `json:"hex" doc:"The value as consensus serialises it."`
	Repr string  `json:"repr" doc:"The value as Clarity text; empty for bytes that are no value." example:"(ok true)"`
}

// showRaw shows a value by its bytes. What is none is shown as its bytes: the chain has it all the same.
func showRaw(raw []byte) clarityValue {
	v, err := clarity.DecodeAll(raw)
	if err != nil {
		return clarityValue{Hex: hexOf(raw)}
	}
	return showValue(v)
}

func showValue(v clarity.Value) clarityValue { return clarityValue{hexText(v.Hex()), v.Repr()} }

// memoText is the memo of a transfer in its two forms.
type memoText struct {
	Hex  hexText `json:"hex"`
	Repr string  `json:"repr" doc:"The memo as one line of text, without what does not print."`
}

func showMemo(b []byte) *memoText { return &memoText{hexOf(b), memo.Display(b)} }

// timeTextOrEmpty is a time as JSON text, which is empty for a time that is not known.
type timeTextOrEmpty string

// Schema implements huma.SchemaProvider.
func (timeTextOrEmpty) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The same as text: UTC with milliseconds; empty when it is not known.", Examples: []any{"2024-10-29T14:21:02.000Z"}}
}

func unixTimeOrEmpty(seconds int64) timeTextOrEmpty {
	if seconds <= 0 {
		return ""
	}
	return timeTextOrEmpty(unixTime(seconds))
}

// orNull says of members of an object that they may be null, which huma can't say of those that have a schema of their
// own.
func orNull(s *huma.Schema, members ...string) *huma.Schema {
	for _, member := range members {
		s.Properties[member] = &huma.Schema{AnyOf: []*huma.Schema{s.Properties[member], {Type: "null"}}}
	}
	return s
}
