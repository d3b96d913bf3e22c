package engine

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// NewSchemas returns a registry of schemas that knows the types whose JSON form differs from their Go form.
func NewSchemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[hash.Hash32](), reflect.TypeFor[schema.HashText]())
	r.RegisterTypeAlias(reflect.TypeFor[humaError](), reflect.TypeFor[ErrorBody]())
	return r
}
