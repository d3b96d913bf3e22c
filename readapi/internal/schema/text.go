package schema

import (
	"slices"
)

// OrEmpty returns the text, or the empty text for nil. Bodies omit empty texts.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Ptr returns a pointer to a copy of the value.
func Ptr[T any](value T) *T { return &value }

// Distinct returns the values sorted and without duplicates; nil for nil.
func Distinct[S ~[]E, E ~int16 | ~int64 | ~string](values S) []E {
	if values == nil {
		return nil
	}
	sorted := slices.Clone([]E(values))
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// NonNil returns the items, or an empty slice for nil, so that JSON has [] rather than null.
func NonNil(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}
