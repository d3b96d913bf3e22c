package ordinal

import (
	"reflect"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// OrdinalsPage is a page of a list of the ordinals API.
type OrdinalsPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
}

// NewOrdinalsPage returns an empty page.
func NewOrdinalsPage[T any](in OrdinalsPageInput) *OrdinalsPage[T] {
	return &OrdinalsPage[T]{Limit: in.Limit, Offset: in.Offset, Results: []T{}}
}

// OrdinalsPageInput holds the page parameters of a list.
type OrdinalsPageInput struct {
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	Limit  int   `query:"limit" minimum:"1" maximum:"60" default:"20" doc:"Rows of a page."`
}

// OrdinalsLimitMax is the largest number of rows on a page.
const OrdinalsLimitMax = 60

// family is the family of all operations of the ordinals API.
var family = &engine.Family{Path: "/ordinals", NotFound: answer.TipPlainErrors, SlashCounts: true}

// OrdinalsResource completes an operation with what those of the ordinals API have in common. The given path begins
// after the version; the operation is served both with and without the version in front of it. Clients of this API
// expect errors without Cache-Control.
func OrdinalsResource(r engine.Operation) engine.Operation {
	r = family.Place(r)
	r.FailureBody = reflect.TypeFor[OrdinalsErrorBody]()
	if r.Class == 0 {
		r.Class = answer.TipPlainErrors
	}
	if r.Refuse == nil {
		r.Refuse = refuseOrdinals
	}
	return r
}
