package site_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
)

// The description in OpenAPI 3.0 is valid, and has the operations of the one in 3.1.
func TestOpenAPI30(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	document := must.Get(openapi3.NewLoader().LoadFromData([]byte(s.Get("/openapi-3.0.json").Body)))(t)
	if err := document.Validate(t.Context(), openapi3.EnableMultiError()); err != nil {
		for i, line := range strings.Split(err.Error(), " | ") {
			if i < 20 {
				t.Error(line)
			}
		}
	}
	check.Equal(t, "version", document.OpenAPI, "3.0.3")
	var newer struct {
		Paths      map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	must.Do(t, json.Unmarshal([]byte(s.Get("/openapi.json").Body), &newer))
	if got, want := slices.Sorted(maps.Keys(document.Paths.Map())), slices.Sorted(maps.Keys(newer.Paths)); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("got %d paths, want the %d of OpenAPI 3.1", len(got), len(want))
	}
	// What may be null, may be null here too: a reference with null, a list of types, and an alternative.
	schemas := document.Components.Schemas
	if counts := schemas["CycleParticipants"]; counts == nil || !counts.Value.Properties["signers"].Value.Nullable {
		t.Error("CycleParticipants.signers can't be null")
	}
	nullable, references := 0, 0
	for name, schema := range schemas {
		for _, property := range schema.Value.Properties {
			if property.Value.Nullable {
				nullable++
				if len(property.Value.AllOf) == 1 && property.Value.AllOf[0].Ref != "" {
					references++
				}
			}
			if property.Value.Type.Is("null") {
				t.Errorf("%s has a property of type null", name)
			}
		}
	}
	if nullable < 50 || references == 0 {
		t.Errorf("got %d properties that may be null, %d of them references", nullable, references)
	}
}
