package search

import (
	"context"
	"strings"

	"strata/domain/names"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// nameOf returns the name that a term stands for; ok is false for a term that no registry takes as a name.
func nameOf(term string) (name string, ok bool) {
	if strings.Count(term, ".") != 1 {
		return "", false
	}
	parsed, err := names.Parse(term)
	return term, err == nil && parsed.Valid()
}

// findName returns a name in the registries that have it, the second one first. The reference does not find names.
func findName(ctx context.Context, s *engine.Snapshot, name string) (all []view.RegisteredName, err error) {
	b := s.Batch()
	second, first := view.QueueSecondName(b, name), view.QueueFirstName(b, name)
	if len(b.Queries) == 0 {
		return nil, nil
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	all = append(second.Rows, first.Rows...)
	return all, nil
}
