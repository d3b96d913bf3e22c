package site

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// integerDigits is the number of digits that any integer of 64 bits may have.
const integerDigits = 18

// asText describes a parameter that may be one of several things as one text, with a pattern or a list of words: in a URL
// everything is a text, and a union would give each client another type to wrap it in.
func asText(s *huma.Schema) *huma.Schema {
	if len(s.AnyOf) == 0 {
		return s
	}
	text := &huma.Schema{Type: huma.TypeString, Description: s.Description, Default: s.Default, Examples: s.Examples}
	var patterns []string
	for _, alternative := range s.AnyOf {
		patterns = append(patterns, patternOf(alternative))
		text.Enum = append(text.Enum, alternative.Enum...)
		if len(text.Examples) == 0 && len(alternative.Examples) > 0 {
			text.Examples = []any{fmt.Sprint(alternative.Examples[0])}
		}
	}
	if len(text.Enum) < len(s.AnyOf) {
		text.Enum, text.Extensions = nil, schema.Described(strings.Join(patterns, "|"))
	}
	return text
}

// patternOf returns the pattern of the texts that a schema accepts.
func patternOf(s *huma.Schema) string {
	switch pattern := schema.PatternOf(s); {
	case len(s.Enum) == 1:
		return "^" + regexp.QuoteMeta(fmt.Sprint(s.Enum[0])) + "$"
	case s.Type == huma.TypeInteger:
		return fmt.Sprintf("^-?[0-9]{1,%d}$", integerDigits)
	case pattern != nil && s.MaxLength != nil:
		return strings.Replace(pattern.String(), "+$", fmt.Sprintf("{1,%d}$", *s.MaxLength), 1)
	case pattern != nil:
		return pattern.String()
	}
	panic(fmt.Sprintf("a parameter may be a text without a pattern: %+v", s))
}
