package view

import (
	"encoding/hex"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/clarity"
	"strata/domain/memo"
	"strata/readapi/internal/schema"
)

// HexText is bytes as a JSON string of lower-case hex with 0x.
type HexText string

// Schema implements huma.SchemaProvider.
func (HexText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^0x([0-9a-f]{2})*$`), Examples: []any{"0x0703"}}
}

// HexOf returns bytes as a HexText.
func HexOf(b []byte) HexText { return HexText("0x" + hex.EncodeToString(b)) }

// ClarityValue is a Clarity value in its two forms.
type ClarityValue struct {
	Hex  HexText `json:"hex" doc:"The value as consensus serialises it."`
	Repr string  `json:"repr" doc:"The value as Clarity text; empty when the bytes are not a valid value." example:"(ok true)"`
}

// ShowRaw returns the two forms of a serialised value. Bytes that are no value are shown in hex only, because they are
// on the chain all the same.
func ShowRaw(raw []byte) ClarityValue {
	v, err := clarity.DecodeAll(raw)
	if err != nil {
		return ClarityValue{Hex: HexOf(raw)}
	}
	return showValue(v)
}

func showValue(v clarity.Value) ClarityValue { return ClarityValue{HexText(v.Hex()), v.Repr()} }

// MemoText is the memo of a transfer in its two forms.
type MemoText struct {
	Hex  HexText `json:"hex"`
	Repr string  `json:"repr" doc:"The memo as one line of text, without non-printing characters."`
}

// ShowMemo returns the two forms of a memo.
func ShowMemo(b []byte) *MemoText { return &MemoText{HexOf(b), memo.Display(b)} }

// timeTextOrEmpty is a schema.TimeText that is empty when the time is not known.
type timeTextOrEmpty string

// Schema implements huma.SchemaProvider.
func (timeTextOrEmpty) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The same time as text: UTC with milliseconds; empty when it is not known.", Examples: []any{"2024-10-29T14:21:02.000Z"}}
}

func unixTimeOrEmpty(seconds int64) timeTextOrEmpty {
	if seconds <= 0 {
		return ""
	}
	return timeTextOrEmpty(schema.UnixTime(seconds))
}

// OrNull marks members of an object's schema as nullable. huma cannot do that for members whose type provides its own
// schema.
func OrNull(s *huma.Schema, members ...string) *huma.Schema {
	for _, member := range members {
		if of := s.Properties[member]; of.Ref == "" {
			of.Nullable = true
			continue
		}
		s.Properties[member] = &huma.Schema{AnyOf: []*huma.Schema{s.Properties[member], {Type: "null"}}}
	}
	return s
}
