package account

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// EventPage holds the query parameters that select a page of a list of events.
type EventPage struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"100" default:"20" doc:"Page size; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the newest row."`
	page.NumberCursor
}

func (p *EventPage) request() *page.Request {
	return &page.Request{Number: p.Number(), Offset: p.Offset, Limit: page.LimitOr(p.Limit, page.EventsLimit)}
}

type accountAssetsInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	EventPage
	param.ListedAsOf
}

func (in *accountAssetsInput) Dependencies() engine.Dependencies {
	return in.OfAccount(string(in.Principal))
}

func (a *api) registerAccountAssets() {
	r := engine.Operation{
		ID: "list-account-assets", Path: "/extended/v1/address/{principal}/assets", Tag: "Accounts", Summary: "Asset events of an account, newest first",
		Description: "Lists the events that move STX or tokens of the account, and those that lock its STX. " +
			engine.Instead("/extended/v3/principals/{principal}/balance-changes") + page.ListCursors,
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}
	engine.Get(a.Engine, r, listAccountAssets)
}

func listAccountAssets(ctx context.Context, s *engine.Snapshot, in *accountAssetsInput) (*page.NumberedPage[view.EventBody], error) {
	account, err := in.Principal.Account()
	if err != nil {
		return nil, err
	}
	p := in.request()
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return nil, engine.ErrNoChain
	}
	b := s.Batch()
	head, events := accountEvents.Queue(b, p, account)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	first, _ := head.First()
	page := page.NewNumberedPage[view.EventBody](p, first)
	page.Results = renderListedEvents(events.Rows)
	return page, nil
}

// renderListedEvents renders events, each of which may belong to another transaction.
func renderListedEvents(events []listedEvent) []view.EventBody {
	bodies := make([]view.EventBody, len(events))
	for i, e := range events {
		bodies[i] = view.RenderEvent(e.EventRow, e.id)
	}
	return bodies
}
