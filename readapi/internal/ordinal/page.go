package ordinal

import (
	"reflect"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// ordinalsPage is a page of a list.
type OrdinalsPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
}

// newOrdinalsPage is an empty page.
func NewOrdinalsPage[T any](in OrdinalsPageInput) *OrdinalsPage[T] {
	return &OrdinalsPage[T]{Limit: in.Limit, Offset: in.Offset, Results: []T{}}
}

// OrdinalsPageInput says which page is asked for.
type OrdinalsPageInput struct {
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	Limit  int   `query:"limit" minimum:"1" maximum:"60" default:"20" doc:"Rows of a page."`
}

// ordinalsLimitMax is the longest page.
const OrdinalsLimitMax = 60

// ordinalsResource fills in what resources of the ordinals family have in common. path begins after the version; each is
// there without the version, too. Clients of the family know errors without Cache-Control, and an entity tag that stands
// for the content: an inscription has the same by its number and by its id.
func OrdinalsResource(r engine.Operation) engine.Operation {
	r.Path, r.Aliases = engine.OrdinalsPath+"/v1"+r.Path, []string{engine.OrdinalsPath + r.Path}
	r.FailureBody = reflect.TypeFor[OrdinalsErrorBody]()
	if r.Class == answer.NoStore {
		r.Class = answer.TipPlainErrors
	}
	if r.Refuse == nil {
		r.Refuse = refuseOrdinals
	}
	r.TagByContent = true
	return r
}
