package site

import (
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// OpenAPI30 returns a description in OpenAPI 3.0.3, which many generators of clients need. What 3.0 can't say is left out: it has
// one example where 3.1 has several.
//
// Huma turns most of 3.1 into 3.0. What it leaves as it is, is changed here.
func OpenAPI30(description *huma.OpenAPI) ([]byte, error) {
	text, err := description.Downgrade()
	if err != nil {
		return nil, fmt.Errorf("write the description in OpenAPI 3.0: %w", err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("read the description in OpenAPI 3.0: %w", err)
	}
	if info, ok := document["info"].(map[string]any); ok {
		if license, ok := info["license"].(map[string]any); ok {
			delete(license, "identifier") // since 3.1
		}
	}
	downgrade(document)
	return json.MarshalIndent(document, "", "  ")
}

// downgrade changes all schemas below a value.
func downgrade(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			downgrade(item)
		}
	case map[string]any:
		downgradeSchema(value)
		for key, item := range value {
			switch key {
			case "example", "default", "enum": // not schemas, whatever they look like
			case "properties", "patternProperties":
				// Its keys are names, which may be those of keywords.
				if properties, ok := item.(map[string]any); ok {
					for _, property := range properties {
						downgrade(property)
					}
				}
			default:
				downgrade(item)
			}
		}
	}
}

// downgradeSchema changes one object, which may be a schema.
func downgradeSchema(schema map[string]any) {
	if _, several := schema["examples"].([]any); several {
		delete(schema, "examples") // huma has made one of them the example
	}
	if _, isText := schema["contentMediaType"].(string); isText {
		delete(schema, "contentMediaType") // the answer's content names its type, too
	}
	if schema["additionalProperties"] == true {
		delete(schema, "additionalProperties") // it says what holds without it, and generators of clients would make a type of it
	}
	if value, ok := schema["const"]; ok {
		delete(schema, "const")
		schema["enum"] = []any{value}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		alternatives, ok := schema[key].([]any)
		if !ok {
			continue
		}
		some, null := withoutNull(alternatives)
		if !null {
			continue
		}
		schema["nullable"] = true
		if len(some) > 1 {
			schema[key] = some
			continue
		}
		delete(schema, key)
		only, _ := some[0].(map[string]any)
		if _, isReference := only["$ref"]; isReference {
			schema["allOf"] = some // beside a reference, everything else is ignored
			continue
		}
		for name, item := range only {
			if _, said := schema[name]; !said {
				schema[name] = item
			}
		}
	}
}

// withoutNull returns the alternatives without the type null, and whether it was among them.
func withoutNull(alternatives []any) (some []any, null bool) {
	for _, alternative := range alternatives {
		if schema, ok := alternative.(map[string]any); ok && schema["type"] == "null" {
			null = true
			continue
		}
		some = append(some, alternative)
	}
	return some, null
}
