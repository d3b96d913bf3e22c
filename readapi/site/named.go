package site

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

const schemasAt = "#/components/schemas/"

// namer gives names to the schemas that generators of clients would otherwise make names up for. Generators turn a
// union or a body that stands where it is used into a type of a name that changes with its place; see
// docs/decisions/032-description-for-generators.md.
type namer struct {
	named map[string]*huma.Schema
}

// nameSchemas names all unions and all bodies that are lists or objects, and describes each parameter that may be one of
// several texts as one text. Parameters are checked by the schemas that they had before, which stay as they are.
func nameSchemas(description *huma.OpenAPI) {
	n := &namer{named: description.Components.Schemas.Map()}
	for _, path := range slices.Sorted(maps.Keys(description.Paths)) {
		item := description.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op != nil {
				n.nameOperation(op)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.named)) {
		n.nameParts(n.named[name])
	}
}

func (n *namer) nameOperation(op *huma.Operation) {
	for _, p := range op.Parameters {
		p.Schema = asText(p.Schema)
	}
	name := schema.TypeName(op.OperationID) + "Body"
	if op.RequestBody != nil {
		n.nameBodies(op.RequestBody.Content, schema.TypeName(op.OperationID)+"Request")
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		suffix := status
		if status == "200" {
			suffix = ""
		}
		n.nameBodies(op.Responses[status].Content, name+suffix)
	}
}

func (n *namer) nameBodies(content map[string]*huma.MediaType, name string) {
	for _, media := range content {
		s := media.Schema
		n.nameParts(s)
		switch {
		case isUnion(s):
			media.Schema = n.reference(s, s.Title)
		case s.Type == huma.TypeArray || s.Type == huma.TypeObject:
			media.Schema = n.reference(s, name)
		}
	}
}

// nameParts names the unions and the objects within a schema. The schema itself is named by whoever has it.
func (n *namer) nameParts(s *huma.Schema) {
	part := func(s *huma.Schema) *huma.Schema {
		n.nameParts(s)
		if isUnion(s) || s.Type == huma.TypeObject && len(s.Properties) > 0 {
			return n.reference(s, s.Title)
		}
		return s
	}
	for name, property := range s.Properties {
		s.Properties[name] = part(property)
	}
	if s.Items != nil {
		s.Items = part(s.Items)
	}
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		s.AdditionalProperties = part(values)
	}
	for _, alternatives := range [][]*huma.Schema{s.AnyOf, s.OneOf} {
		for i := range alternatives {
			alternatives[i] = part(alternatives[i])
		}
	}
}

// reference names a schema, and returns a reference to it.
func (n *namer) reference(s *huma.Schema, name string) *huma.Schema {
	if name == "" || name != schema.TypeName(name) {
		panic(fmt.Sprintf("a schema has the title %q, want one that types can have, since generators name a type after it: %+v", name, s))
	}
	if known := n.named[name]; known != nil && !reflect.DeepEqual(known, s) {
		panic("two schemas of the description have the name " + name)
	}
	n.named[name] = s
	return &huma.Schema{Ref: schemasAt + name}
}

// isUnion returns whether a schema has alternatives, other than a type or null.
func isUnion(s *huma.Schema) bool {
	if len(s.OneOf) > 0 {
		return true
	}
	return len(s.AnyOf) > 0 && (len(s.AnyOf) != 2 || s.AnyOf[0].Ref == "" || s.AnyOf[1].Type != "null")
}
