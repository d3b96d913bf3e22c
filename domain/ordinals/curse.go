package ordinals

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/lossy"
)

// curseNames has the name that clients see for each name of the feed.
var curseNames = map[string]string{
	"DuplicateField":        "duplicate_field",
	"IncompleteField":       "incomplete_field",
	"NotAtOffsetZero":       "not_at_offset_zero",
	"NotInFirstInput":       "not_in_first_input",
	"Pointer":               "pointer",
	"Pushnum":               "pushnum",
	"Reinscription":         curseReinscription,
	"Stutter":               "stutter",
	"UnrecognizedEvenField": curseUnrecognized,
	"Generic":               "generic",
}

const (
	curseReinscription = "reinscription"
	curseUnrecognized  = "unrecognized_field"
)

// Curse returns the text that clients see for a curse_type of the feed: our name for a known one, any other string
// unchanged, and the compact JSON of any other value, which old feeds sent. It returns nil for an empty raw, and for
// null, false, 0 and "".
func Curse(raw json.RawMessage) *string {
	if isFalsy(raw) {
		return nil
	}
	var text string
	if raw[0] == '"' {
		text = unquote(raw)
		if name, known := curseNames[text]; known {
			text = name
		}
	} else {
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			return nil // not JSON, so it does not come from Decode
		}
		text = lossy.String(compact.Bytes())
	}
	return &text
}

// isFalsy reports whether JavaScript takes a JSON value for false. ordinals-api shows such values as null.
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

// unquote returns the text of a JSON string.
func unquote(raw []byte) string {
	// The only possible error is about bytes that are not UTF-8, which AppendUnquote has replaced by U+FFFD.
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}
