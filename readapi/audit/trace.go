package audit

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// traceInput names an answer by the path that one asks for it with.
type traceInput struct {
	Path   string      `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"The path of a read of this API with its query, percent-encoded as a parameter." example:"/extended/v2/blocks/latest"`
	Limit  int         `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Rows of a page; 0 means the default."`
	Cursor traceCursor `query:"cursor" pattern:"^[0-9]{1,18}([.][0-9]{1,18})?:[\\s\\S]+$" doc:"The page after another one: cursor.next of that one."`
}

// trace is what an answer is made of.
type trace struct {
	Path      string         `json:"path" doc:"What was asked for."`
	Operation string         `json:"operation" doc:"As the OpenAPI description calls it."`
	Status    int            `json:"status" doc:"Of the answer, which was made in the same snapshot."`
	ReadAt    tracePlace     `json:"read_at"`
	Limit     int            `json:"limit"`
	Cursor    page.KeyCursor `json:"cursor"`
	Rows      []traceRow     `json:"rows" nullable:"false" doc:"What stands in the tables; the rows of a list are those of its page. The changes behind a balance are last, the newest first."`
	Events    []traceEvent   `json:"events" nullable:"false" doc:"The events that these rows come from, in the order of the log."`
}

// tracePlace is what the answer reflects.
type tracePlace struct {
	Log            int64        `json:"log" doc:"The position in the log of the least advanced projection that was read, or of the log's end."`
	Height         *int64       `json:"height,omitempty" doc:"Of its tip."`
	IndexBlockHash *hash.Hash32 `json:"index_block_hash,omitempty" doc:"Of its tip."`
}

func (a *api) registerTrace() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-trace", Path: "/audit/v1/trace", Tag: "Audit", Summary: "What an answer is made of",
		Description: "The rows behind an answer of any other read of the tables, each with the events that it comes from, and where in their bodies it says so. " +
			"The answer and its rows are read in one snapshot. An answer that is a failure, such as that a token could not be read, has rows too, where there are any. " +
			"See docs/auditing.md.",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		Class:    answer.Tip, DependsOn: engine.Dependencies{Register: true},
	}, a.trace)
}

func (a *api) trace(ctx context.Context, s *engine.Snapshot, in *traceInput) (*trace, error) {
	p, err := a.PlanOf(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	s.KeepOpen = true
	value, err := p.Handler(ctx, s)
	s.SettlesAt = 0 // which is the answer's, not the trace's
	made := &trace{Path: in.Path, Operation: p.Operation.ID, Status: http.StatusOK, ReadAt: readAt(p, s), Limit: page.LimitOr(in.Limit, auditLimit)}
	if err != nil {
		if !engine.IsAnswer(err) {
			return nil, err
		}
		if made.Status, _, _ = engine.Failure(err, ""); made.Status >= http.StatusInternalServerError {
			return nil, err // it has ended the transaction
		}
		value = nil
	}
	lookups, err := a.Tracers[p.Operation.ID](ctx, s, p.Input, value)
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		made.Cursor.Current = (*string)(&in.Cursor)
	}
	if made.Rows, made.Cursor.Next, err = readRows(ctx, s, lookups, in.Cursor, made.Limit); err != nil {
		return nil, err
	}
	s.KeepOpen = false
	made.Events, err = readEvents(ctx, s, made.Rows)
	return made, err
}

// readAt is where what the plan depends on stands in a snapshot.
func readAt(p *engine.Plan, s *engine.Snapshot) tracePlace {
	if v := p.LeastAdvanced(s.State); v != nil {
		return tracePlace{v.LogSeq, v.Height, v.IndexBlock}
	}
	return tracePlace{Log: s.State.LogSize}
}
