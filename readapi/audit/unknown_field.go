package audit

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

type unknownFieldsInput struct {
	Limit  int    `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Maximum number of rows of the page; 0 means the default."`
	Cursor string `query:"cursor" maxLength:"400" doc:"path of the first row of the page."`
}

// unknownField is a field of events that this program does not decode. The events stay in the log as they are.
type unknownField struct {
	Path     string `json:"path" doc:"The path to which the events were posted, and behind a # the JSON pointer of the field, with * for the indexes of arrays. All fields beyond 500 are (others)."`
	FirstSeq int64  `json:"first_seq" doc:"The first event with the field."`
	LastSeq  int64  `json:"last_seq" doc:"The last event with the field."`
	Count    int64  `json:"count" doc:"Number of events with the field."`
	First    string `json:"first" format:"uri-reference" doc:"Link to the first event."`
	Last     string `json:"last" format:"uri-reference" doc:"Link to the last event."`
}

func (a *api) registerUnknownFields() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-unknown-fields", Path: "/audit/v1/unknown-fields", Tag: "Audit", Summary: "List fields of events that nobody decodes",
		Description: "A field here usually means that the node is newer than this program. The list is sorted by path. It covers the events that the projections read: blocks, Bitcoin blocks, microblocks, mempool messages and attachments.",
		Statuses:    []int{400},
	}, listUnknownFields)
}

func listUnknownFields(ctx context.Context, s *engine.Snapshot, in *unknownFieldsInput) (*page.KeyPage[unknownField], error) {
	limit := page.LimitOr(in.Limit, auditLimit)
	key := func(f unknownField) string { return page.ShortName(f.Path, page.CursorMax) }
	if s.Active("chain") == nil {
		return page.NewKeyPage(limit, nil, key), nil
	}
	from, err := page.FullName(ctx, s, in.Cursor, `f.path`, `{chain}.unknown_field f WHERE true`)
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	found := engine.QueryPage(b, limit, func(f *unknownField) []any {
		return []any{&f.Path, &f.FirstSeq, &f.LastSeq, &f.Count}
	}, `
		SELECT {chain.unknown_field f}, f.path, f.first_seq, f.source_seq, f.events
		FROM {chain}.unknown_field f WHERE f.path >= $1 ORDER BY f.path LIMIT $2`, from, limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i := range found.Rows {
		f := &found.Rows[i]
		f.First, f.Last = engine.EventLink(f.FirstSeq), engine.EventLink(f.LastSeq)
	}
	return page.NewKeyPage(limit, found.Rows, key), nil
}

var tracedUnknownField = &engine.TraceTable{
	Projection: "chain", Name: "unknown_field", Key: "path", Values: "first_seq events",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}
