package document

import (
	"encoding/json"
	"strings"
)

// The two ways to decode.
var (
	ReadStored       = readStored
	DecodeByEncoding = decodeByEncoding
)

// FillEach fills in the id in each text of a value, without a look at whether there is anything to fill in.
func FillEach(value json.RawMessage, id string) json.RawMessage {
	return valueTree(value).MapText(func(text string) string { return FillText(text, id) }).Append(nil)
}

// FillText does the same to one text.
func FillText(text, id string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if strings.EqualFold(found, "{locale}") {
			return found
		}
		return id
	})
}
