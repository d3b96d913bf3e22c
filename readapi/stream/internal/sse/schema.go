package sse

import (
	"maps"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// Schema describes the events of a stream, the operation with an id. types has the type of each event's data. The name of
// an event says which of the schemas it has.
func Schema(r huma.Registry, id string, types map[string]reflect.Type) *huma.Schema {
	stream := schema.TypeName(id)
	of := &huma.Discriminator{PropertyName: "event", Mapping: map[string]string{}}
	s := &huma.Schema{
		Type: huma.TypeArray, Description: "Server-sent events, one after the other.",
		Items: &huma.Schema{Title: stream + "Event", Discriminator: of},
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		title := stream + schema.TypeName(name)
		of.Mapping[name] = "#/components/schemas/" + title
		s.Items.OneOf = append(s.Items.OneOf, &huma.Schema{
			Type: huma.TypeObject, Title: title, Required: []string{"event", "data"},
			Properties: map[string]*huma.Schema{
				"id":    {Type: huma.TypeString, Description: "The client's position after the event."},
				"event": {Type: huma.TypeString, Enum: []any{name}},
				"data":  r.Schema(types[name], true, ""),
			},
		})
	}
	return s
}
