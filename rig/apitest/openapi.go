package apitest

import (
	"strings"
	"testing"
)

// matches checks that an object has what its schema requires, and nothing that the schema doesn't know.
func Matches(t *testing.T, schemas map[string]any, schema, value any, place string) {
	t.Helper()
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		Matches(t, schemas, schemas[strings.TrimPrefix(ref, "#/components/schemas/")], value, place)
		return
	}
	if alternatives, ok := s["anyOf"].([]any); ok && value != nil { // of a type or null
		Matches(t, schemas, alternatives[0], value, place)
		return
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for field, of := range value {
			described := properties[field]
			if described == nil {
				if of, ok := s["additionalProperties"].(map[string]any); ok {
					described = of
				}
			}
			if described == nil {
				t.Errorf("%s: %s is not in the schema", place, field)
			}
			Matches(t, schemas, described, of, place+"."+field)
		}
		required, _ := s["required"].([]any)
		for _, field := range required {
			if _, ok := value[field.(string)]; !ok {
				t.Errorf("%s: %s is missing, which the schema requires", place, field)
			}
		}
	case []any:
		for _, item := range value {
			Matches(t, schemas, s["items"], item, place+"[]")
		}
	}
}
