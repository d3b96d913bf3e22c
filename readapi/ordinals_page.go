package readapi

import (
	"reflect"

	"strata/readapi/internal/answer"
)

// ordinalsPath is what all paths of the ordinals family begin with.
const ordinalsPath = "/ordinals"

// ordinalsPage is a page of a list.
type ordinalsPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
}

// newOrdinalsPage is an empty page.
func newOrdinalsPage[T any](in OrdinalsPageInput) *ordinalsPage[T] {
	return &ordinalsPage[T]{Limit: in.Limit, Offset: in.Offset, Results: []T{}}
}

// OrdinalsPageInput says which page is asked for.
type OrdinalsPageInput struct {
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	Limit  int   `query:"limit" minimum:"1" maximum:"60" default:"20" doc:"Rows of a page."`
}

// ordinalsLimitMax is the longest page.
const ordinalsLimitMax = 60

// ordinalsResource fills in what resources of the ordinals family have in common. path begins after the version; each is
// there without the version, too. Clients of the family know errors without Cache-Control, and an entity tag that stands
// for the content: an inscription has the same by its number and by its id.
func ordinalsResource(r resource) resource {
	r.path, r.aliases = ordinalsPath+"/v1"+r.path, []string{ordinalsPath + r.path}
	r.failure = reflect.TypeFor[ordinalsErrorBody]()
	if r.class == answer.NoStore {
		r.class = answer.TipPlainErrors
	}
	if r.refuse == nil {
		r.refuse = refuseOrdinals
	}
	r.taggedByContent = true
	return r
}
