package ordinals

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/lossy"
)

// curseWords are what clients are told for the names that the feed has.
var curseWords = map[string]string{
	"DuplicateField":        "duplicate_field",
	"IncompleteField":       "incomplete_field",
	"NotAtOffsetZero":       "not_at_offset_zero",
	"NotInFirstInput":       "not_in_first_input",
	"Pointer":               "pointer",
	"Pushnum":               "pushnum",
	"Reinscription":         curseReinscription,
	"Stutter":               "stutter",
	"UnrecognizedEvenField": "unrecognized_field",
	"Generic":               "generic",
}

const curseReinscription = "reinscription"

// Curse is what clients are told for a curse_type of the feed: a word for the names that are known, any other string
// as it is, and the compact JSON of anything else that old feeds sent. Nothing, null, false, 0 and "" are nil.
func Curse(raw json.RawMessage) *string {
	if isFalsy(raw) {
		return nil
	}
	var text string
	if raw[0] == '"' {
		text = unquoted(raw)
		if word, known := curseWords[text]; known {
			text = word
		}
	} else {
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			return nil // no JSON, so nothing that Decode gave
		}
		text = lossy.String(compact.Bytes())
	}
	return &text
}

// isFalsy reports whether a JSON value is one that JavaScript takes for false, which ordinals-api shows as null.
func isFalsy(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", `""`:
		return true
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return false
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && number == 0
}

// unquoted is the text of a JSON string.
func unquoted(raw []byte) string {
	// Its only error here is about bytes that are not UTF-8, which have become U+FFFD.
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}
