package audit

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// traceInput names the answer to trace by the path of its request.
type traceInput struct {
	Path   string      `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"Path and query of a GET request of this API, percent-encoded as a parameter." example:"/extended/v2/blocks/latest"`
	Limit  int         `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Maximum number of rows of the page; 0 means the default."`
	Cursor traceCursor `query:"cursor" pattern:"^[0-9]{1,18}([.][0-9]{1,18})?:[\\s\\S]+$" doc:"cursor.next of the previous page."`
}

// trace lists the rows and events behind an answer.
type trace struct {
	Path      string         `json:"path" doc:"The path of the traced request."`
	Operation string         `json:"operation" doc:"Operation id in the OpenAPI description."`
	Status    int            `json:"status" doc:"Status of the traced answer, which was read in the same snapshot."`
	ReadAt    tracePlace     `json:"read_at"`
	Limit     int            `json:"limit"`
	Cursor    page.KeyCursor `json:"cursor"`
	Rows      []traceRow     `json:"rows" nullable:"false" doc:"The rows behind the answer; of a list, those of its page. The changes behind a balance come last, newest first."`
	Events    []traceEvent   `json:"events" nullable:"false" doc:"The events that these rows come from, in the order of the log."`
}

// tracePlace is the state of the chain that the answer reflects.
type tracePlace struct {
	Log            int64        `json:"log" doc:"Position in the log of the least advanced projection that was read; the end of the log if none was."`
	Height         *int64       `json:"height,omitempty" doc:"Height of its tip."`
	IndexBlockHash *hash.Hash32 `json:"index_block_hash,omitempty" doc:"Index block hash of its tip."`
}

func (a *api) registerTrace() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-trace", Path: "/audit/v1/trace", Tag: "Audit", Summary: "Trace an answer to its rows and events",
		Description: "The rows behind the answer to any GET request that reads the tables, each with the events that it comes from, and JSON pointers into their bodies. " +
			"The answer and its rows are read in one snapshot. The answer may be an error: that a token could not be fetched, for instance, has rows, too. " +
			"See docs/auditing.md.",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Untraced: "it is a trace itself",
		Dependencies: engine.Dependencies{Register: true},
	}, a.trace)
}

func (a *api) trace(ctx context.Context, s *engine.Snapshot, in *traceInput) (*trace, error) {
	p, err := a.PlanOf(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	lookups, failure, err := p.Trace(ctx, s)
	if err != nil {
		return nil, err
	}
	s.SettlesAt = 0 // it applies to the traced answer, not to the trace
	result := &trace{Path: in.Path, Operation: p.Operation.ID, Status: http.StatusOK, ReadAt: readAt(p, s), Limit: page.LimitOr(in.Limit, auditLimit)}
	if failure != nil {
		if !engine.IsAnswer(failure) {
			return nil, failure
		}
		if result.Status, _, _ = engine.Failure(failure, ""); result.Status >= http.StatusInternalServerError {
			return nil, failure
		}
	}
	if in.Cursor != "" {
		result.Cursor.Current = (*string)(&in.Cursor)
	}
	if result.Rows, result.Cursor.Next, err = readRows(ctx, s, lookups, in.Cursor, result.Limit); err != nil {
		return nil, err
	}
	result.Events, err = readEvents(ctx, s, result.Rows)
	return result, err
}

// readAt returns the position and tip of the least advanced projection that a plan depends on.
func readAt(p *engine.Plan, s *engine.Snapshot) tracePlace {
	if v := p.LeastAdvanced(s.State); v != nil {
		return tracePlace{v.LogSeq, v.Height, v.IndexBlock}
	}
	return tracePlace{Log: s.State.LogSize}
}
