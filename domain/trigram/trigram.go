// Package trigram finds texts by a part of them: a text that has the part has all sequences of three bytes that the part has.
package trigram

import "slices"

// What a text names, as a further number, which no text of another kind has.
const (
	Contract int32 = iota
	Asset
	Name // of the Bitcoin Name System
)

// Of returns the distinct sequences of three bytes of a text, as numbers in ascending order. Capital and small letters of ASCII are the same. A
// text of fewer bytes has none.
func Of(text string) []int32 {
	all := []int32{}
	for i := 0; i+3 <= len(text); i++ {
		all = append(all, lower(text[i])<<16|lower(text[i+1])<<8|lower(text[i+2]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func lower(c byte) int32 {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return int32(c)
}
