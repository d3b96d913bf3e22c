package schema

import (
	"regexp"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// contractPattern is a contract in a request, as token-metadata-api takes it: names up to 40 characters. Whether its
// address has the right checksum is not asked: one with a wrong checksum has no tokens.
const ContractPattern = `^` + AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}`

// patternMember is what the pattern of a text is called in a schema.
const patternMember = "pattern"

// matching is the pattern of a text in a schema, as Extensions. In Pattern, huma would compile it for itself, and again wherever the
// schema is part of another one: that was most of what an API took to be made, and most of the memory that it kept. Nobody asks huma
// what matches.
func Matching(pattern string) map[string]any { return map[string]any{patternMember: pattern} }

// patternOf is the pattern that a schema has; nil for none.
func PatternOf(s *huma.Schema) *regexp.Regexp {
	text, ok := s.Extensions[patternMember].(string)
	if !ok {
		text = s.Pattern // a tag of a field
	}
	if text == "" {
		return nil
	}
	if known, ok := patterns.Load(text); ok {
		return known.(*regexp.Regexp)
	}
	made, _ := patterns.LoadOrStore(text, regexp.MustCompile(text))
	return made.(*regexp.Regexp)
}

// patterns are those of all APIs of the process, compiled, by their texts.
var patterns sync.Map

const AddressPattern = `[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}`
