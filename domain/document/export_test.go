package document

import (
	"encoding/json"
	"strings"
)

// The two implementations of Decode.
var (
	ReadStored       = readStored
	DecodeByEncoding = decodeByEncoding
)

// FillValue replaces placeholders in each text of a value without mayHavePlaceholder.
func FillValue(value json.RawMessage, id string) json.RawMessage {
	return valueTree(value).MapText(func(text string) string { return FillText(text, id) }).Append(nil)
}

// FillText replaces placeholders in a text without mayHavePlaceholder.
func FillText(text, id string) string {
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		if strings.EqualFold(match, "{locale}") {
			return match
		}
		return id
	})
}
