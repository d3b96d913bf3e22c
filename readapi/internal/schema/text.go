package schema

import (
	"slices"
)

// orEmpty is a text that may be missing; empty ones are left out of answers.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func Ptr[T any](value T) *T { return &value }

// distinct are the values without repetitions, in order.
func Distinct[S ~[]E, E ~int16 | ~int64 | ~string](values S) []E {
	if values == nil {
		return nil
	}
	sorted := slices.Clone([]E(values))
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// list is never null.
func NonNil(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}
