package site_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

type described struct {
	Paths map[string]map[string]struct {
		OperationID string
		Parameters  []struct {
			Name, In string
			Schema   map[string]any
		}
		RequestBody content
		Responses   map[string]content
	}
	Components struct{ Schemas map[string]map[string]any }
}

type content struct {
	Content map[string]struct{ Schema map[string]any }
}

func describe(t *testing.T) (d described) {
	t.Helper()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	if err := json.Unmarshal([]byte(s.Get("/openapi.json").Body), &d); err != nil || len(d.Paths) == 0 {
		t.Fatalf("got %d paths (%v)", len(d.Paths), err)
	}
	return d
}

// Generators of clients find a name for everything that gets a type: unions, and bodies that are lists or objects. Where
// a member says which alternative there is, the union names it and each value.
func TestNamedSchemas(t *testing.T) {
	t.Parallel()
	d := describe(t)
	for path, operations := range d.Paths {
		for method, op := range operations {
			place := method + " " + path
			for _, p := range op.Parameters {
				unnamed(t, place+" parameter "+p.Name, p.Schema)
			}
			bodies := map[string]content{"request": op.RequestBody}
			for status, answer := range op.Responses {
				bodies[status] = answer
			}
			for name, body := range bodies {
				for kind, media := range body.Content {
					unnamed(t, place+" "+name+" "+kind, media.Schema)
					switch fmt.Sprint(media.Schema["type"]) {
					case "object", "array", "[array null]", "[object null]":
						t.Errorf("%s %s %s: the body has no name", place, name, kind)
					}
				}
			}
		}
	}
	unions := 0
	for name, s := range d.Components.Schemas {
		for key, part := range s {
			if key == "oneOf" {
				unions++
				discriminator, _ := s["discriminator"].(map[string]any)
				mapping, _ := discriminator["mapping"].(map[string]any)
				for word, ref := range mapping {
					of := d.Components.Schemas[strings.TrimPrefix(fmt.Sprint(ref), "#/components/schemas/")]
					member, _ := of["properties"].(map[string]any)[fmt.Sprint(discriminator["propertyName"])].(map[string]any)
					if !strings.Contains(fmt.Sprint(member["enum"]), word) {
						t.Errorf("%s: %v does not have %s as %v", name, ref, word, discriminator["propertyName"])
					}
				}
				if len(mapping) < len(part.([]any)) {
					t.Errorf("%s: the mapping %v leads to fewer than %d alternatives", name, mapping, len(part.([]any)))
				}
			}
			if key == "anyOf" || key == "oneOf" {
				for _, alternative := range part.([]any) {
					unnamed(t, name, alternative)
				}
				continue
			}
			unnamed(t, name, part)
		}
	}
	if unions < 8 {
		t.Errorf("got %d unions with a discriminator, want those of transactions and of six streams", unions)
	}
}

// unnamed reports unions and objects with members that stand where they are used. A type or null is no union.
func unnamed(t *testing.T, place string, value any) {
	t.Helper()
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			unnamed(t, place, item)
		}
	case map[string]any:
		for key, part := range value {
			switch key {
			case "enum", "examples", "example", "default", "mapping":
				continue
			case "anyOf", "oneOf":
				if alternatives := part.([]any); len(alternatives) != 2 || !strings.Contains(fmt.Sprint(alternatives[1]), "type:null") {
					t.Errorf("%s: the union %v has no name", place, part)
				}
			case "properties":
				for name, property := range part.(map[string]any) {
					if of, _ := property.(map[string]any); of["properties"] != nil {
						t.Errorf("%s: the object %s has no name", place, name)
					}
					unnamed(t, place+"."+name, property)
				}
				continue
			}
			unnamed(t, place, part)
		}
	}
}

// The ids of operations are names in clients, and stay.
func TestOperationIDs(t *testing.T) {
	t.Parallel()
	d := describe(t)
	text := must.Get(os.ReadFile(filepath.Join("testdata", "operations.txt")))(t)
	kept := map[string]string{}
	for line := range strings.Lines(string(text)) {
		operation, id, _ := strings.Cut(strings.TrimSpace(line), " = ")
		kept[operation] = id
	}
	ids := map[string]string{}
	for path, operations := range d.Paths {
		for method, op := range operations {
			operation := strings.ToUpper(method) + " " + path
			switch id, ok := kept[operation]; {
			case !ok:
				t.Errorf("add to testdata/operations.txt: %s = %s", operation, op.OperationID)
			case id != op.OperationID:
				t.Errorf("%s has the id %s, and clients know it as %s", operation, op.OperationID, id)
			}
			if other, ok := ids[op.OperationID]; ok {
				t.Errorf("%s and %s have the id %s", operation, other, op.OperationID)
			}
			ids[op.OperationID] = operation
			delete(kept, operation)
		}
	}
	for operation, id := range kept {
		t.Errorf("%s = %s is gone, and clients ask for it", operation, id)
	}
}

// A parameter that may be one of several texts is described by one pattern, which has what is accepted and nothing else.
func TestPatternsOfParameters(t *testing.T) {
	t.Parallel()
	d := describe(t)
	for _, tc := range []struct {
		path, name string
		yes, no    []string
	}{
		{"/extended/v2/blocks/{height_or_hash}", "height_or_hash",
			[]string{"latest", "1350", "-1", strings.Repeat("ab", 32), "0x" + strings.Repeat("AB", 32)}, []string{"", "newest", "1.5", "0xab"}},
		{"/extended/v3/principals/{principal}/transactions", "principal",
			[]string{"SP000000000000000000002Q6VF78", "SP000000000000000000002Q6VF78.pox-4"}, []string{"", "SP123", "SP000000000000000000002Q6VF78."}},
		{"/ordinals/v1/inscriptions/{id}", "id", []string{"10500", strings.Repeat("ab", 32) + "i0"}, []string{"", "x", strings.Repeat("ab", 32)}},
	} {
		found := false
		for _, p := range d.Paths[tc.path]["get"].Parameters {
			if p.Name != tc.name {
				continue
			}
			found = true
			pattern := regexp.MustCompile(fmt.Sprint(p.Schema["pattern"]))
			for _, text := range tc.yes {
				if !pattern.MatchString(text) {
					t.Errorf("%s: %s does not match %q", tc.path, pattern, text)
				}
			}
			for _, text := range tc.no {
				if pattern.MatchString(text) {
					t.Errorf("%s: %s matches %q", tc.path, pattern, text)
				}
			}
		}
		if !found {
			t.Errorf("%s has no parameter %s", tc.path, tc.name)
		}
	}
}
