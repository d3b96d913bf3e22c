package account

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// EventPage says which page of a list of events is asked for.
type EventPage struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"100" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row."`
	page.NumberCursor
}

func (p *EventPage) asked() *page.Request {
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
		ID: "list-account-assets", Path: "/extended/v1/address/{principal}/assets", Tag: "Accounts", Summary: "Events of the assets of an account, newest first",
		Description: "Those that move STX or tokens of it, and those that lock its STX. " +
			engine.Instead("/extended/v3/principals/{principal}/balance-changes") + page.ListCursors,
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Class: answer.Tip, Deprecated: true,
	}
	engine.Get(a.Engine, r, listAccountAssets)
	engine.Trace(a.Engine, r.ID, func(_ context.Context, _ *engine.Snapshot, in *accountAssetsInput, page *page.NumberedPage[view.EventBody]) ([]engine.Lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return accountEventLookups(string(in.Principal), page.Results), nil
	})
}

func listAccountAssets(ctx context.Context, s *engine.Snapshot, in *accountAssetsInput) (*page.NumberedPage[view.EventBody], error) {
	account, err := in.Principal.Account()
	if err != nil {
		return nil, err
	}
	p := in.asked()
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return nil, engine.ErrNoChain
	}
	b := s.Batch()
	head := page.QueueHead(b, &view.AccountEvents, p, account)
	found := queueListedEvents(b, &view.AccountEvents, p, account)
	if err := b.RunLast(ctx); err != nil {
		return nil, err
	}
	first, _ := head.First()
	page := page.NewNumberedPage[view.EventBody](p, first)
	page.Results = renderListed(found.Rows)
	return page, nil
}

// renderListed shows events of any transactions.
func renderListed(events []listedEvent) []view.EventBody {
	shown := make([]view.EventBody, len(events))
	for i, e := range events {
		shown[i] = view.RenderEvent(e.EventRow, e.id)
		shown[i].Number = e.number
	}
	return shown
}
