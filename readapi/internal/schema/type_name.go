package schema

import "strings"

// TypeName turns an id or a word into the name of a type: list-blocks into ListBlocks, contract_event into ContractEvent.
func TypeName(text string) string {
	var name strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == '_' }) {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}
