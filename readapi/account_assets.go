package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

// EventPage says which page of a list of events is asked for.
type EventPage struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"100" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row."`
	NumberCursor
}

func (p *EventPage) asked() *asked {
	return &asked{number: p.number(), offset: p.Offset, limit: orDefault(p.Limit, eventsLimit)}
}

type accountAssetsInput struct {
	Principal principalParameter `path:"principal"`
	EventPage
	ListedAsOf
}

func (in *accountAssetsInput) Dependencies() dependencies { return in.ofAccount(string(in.Principal)) }

func (a *API) registerAccountAssets() {
	r := resource{
		id: "list-account-assets", path: "/extended/v1/address/{principal}/assets", tag: "Accounts", summary: "Events of the assets of an account, newest first",
		about: "Those that move STX or tokens of it, and those that lock its STX. " +
			instead("/extended/v3/principals/{principal}/balance-changes") + listCursors,
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, r, listAccountAssets)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, in *accountAssetsInput, page *numberedPage[eventBody]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return accountEventLookups(string(in.Principal), page.Results), nil
	})
}

func listAccountAssets(ctx context.Context, s *snapshot, in *accountAssetsInput) (*numberedPage[eventBody], error) {
	account, err := in.Principal.account()
	if err != nil {
		return nil, err
	}
	p := in.asked()
	if p.from, p.to, err = in.heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return nil, errNoChain
	}
	b := s.batch()
	head := queueHead(b, &accountEvents, p, account)
	found := queueListedEvents(b, &accountEvents, p, account)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	first, _ := head.first()
	page := newNumberedPage[eventBody](p, first)
	page.Results = renderListed(found.rows)
	return page, nil
}

// renderListed shows events of any transactions.
func renderListed(events []listedEvent) []eventBody {
	shown := make([]eventBody, len(events))
	for i, e := range events {
		shown[i] = renderEvent(e.eventRow, e.id)
		shown[i].number = e.number
	}
	return shown
}
