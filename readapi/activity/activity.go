// Package activity serves how many addresses call a contract in a day. It is the example of docs/writing-a-projection.md; the
// program does not mount it.
package activity

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// Mount registers the package's operations on an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedDay)
	engine.Get(e, engine.Operation{
		ID: "list-contract-activity", Path: "/extended/v1/contract/{contract_id}/activity", Tag: "Contracts",
		Summary: "Addresses that call a contract in a day, newest first", Statuses: []int{http.StatusBadRequest},
	}, list)
}

type listInput struct {
	Contract string `path:"contract_id" pattern:"^[0-9A-Z]{28,41}\\.[a-zA-Z][a-zA-Z0-9_-]*$" maxLength:"170" doc:"The contract." example:"SP000000000000000000002Q6VF78.pox-4"`
	Limit    int    `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Days of a page."`
	Cursor   string `query:"cursor" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"First day of the page."`
}

// Dependencies returns what the answer is cached by: the name is the one that the projection touches.
func (in *listInput) Dependencies() engine.Dependencies {
	return engine.On("activity", "activity:"+in.Contract)
}

// activityDay is a day of a contract.
type activityDay struct {
	Day       string `json:"day" format:"date" doc:"UTC, by the times of the blocks."`
	Addresses int64  `json:"addresses" doc:"Number of addresses that sent calls of the contract."`
}

var tracedDay = &engine.TraceTable{
	Projection: "activity", Name: "day", Key: "contract_id day", Values: "addresses",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	Order:   `t.day DESC`,
}

func list(ctx context.Context, s *engine.Snapshot, in *listInput) (*page.KeyPage[activityDay], error) {
	if _, ok := s.Tip("activity"); !ok {
		return page.NewKeyPage[activityDay](in.Limit, nil, nil), nil
	}
	from := "9999-12-31"
	if in.Cursor != "" {
		from = in.Cursor
	}
	b := s.Batch()
	found := engine.QueryPage(b, in.Limit, func(d *activityDay) []any { return []any{&d.Day, &d.Addresses} }, `
		SELECT {activity.day d}, d.day::text, d.addresses FROM {activity}.day d
		WHERE d.contract_id = $1 AND d.day <= $2::text::date ORDER BY d.day DESC LIMIT $3`, in.Contract, from, in.Limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return page.NewKeyPage(in.Limit, found.Rows, func(d activityDay) string { return d.Day }), nil
}
