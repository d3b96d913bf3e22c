package schema

import (
	"regexp"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// ContractPattern matches a contract in a request as token-metadata-api does: the name has up to 40 characters. The
// checksum of the address is not verified: no tokens are stored under a wrong one.
const ContractPattern = `^` + AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}`

// patternMember is the JSON Schema keyword for a pattern.
const patternMember = "pattern"

// Matching returns the extensions of a schema that set its pattern. huma compiles each text in the field Pattern, once
// for every schema that contains it, which took most of the time and memory of building an API. This program never lets
// huma match patterns, so it keeps them out of that field; see PatternOf.
func Matching(pattern string) map[string]any { return map[string]any{patternMember: pattern} }

// Described returns the extensions of a schema that describe a pattern which the parameter's own type checks, because a
// failure has words of its own that clients know from the reference implementation. PatternOf does not return it.
func Described(pattern string) map[string]any {
	return map[string]any{patternMember: describedPattern(pattern)}
}

// describedPattern is a pattern that is only described. In documents it looks like any other.
type describedPattern string

// PatternOf returns the compiled pattern of a schema; nil when it has none.
func PatternOf(s *huma.Schema) *regexp.Regexp {
	text, ok := s.Extensions[patternMember].(string)
	if !ok {
		text = s.Pattern // set by a struct tag
	}
	if text == "" {
		return nil
	}
	if compiled, ok := patterns.Load(text); ok {
		return compiled.(*regexp.Regexp)
	}
	compiled, _ := patterns.LoadOrStore(text, regexp.MustCompile(text))
	return compiled.(*regexp.Regexp)
}

// patterns maps the text of each pattern to its compiled form, for all APIs of the process.
var patterns sync.Map

// AddressPattern matches a Stacks address by its alphabet (c32) and length. It is not anchored.
const AddressPattern = `[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}`
