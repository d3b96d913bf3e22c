package bns

import (
	"context"
	"strconv"

	"strata/readapi/internal/engine"
)

// ListingsInput are the parameters of the list of names for sale.
type ListingsInput struct {
	NetworkInput
	Namespace string `query:"namespace" doc:"Only names of this namespace."`
	EventPage
}

// bnsListedName is a name for sale.
type bnsListedName struct {
	BNSRow
	ID     int64  `json:"id"`
	Status string `json:"status" enum:"active,expiring-soon,grace-period,expired,revoked"`
	BNSListing
}

// bnsListingList is a page of names for sale.
type bnsListingList struct {
	Marked
	CurrentBurnBlock int64           `json:"current_burn_block"`
	Listings         []bnsListedName `json:"listings" nullable:"false"`
	NextCursor       *string         `json:"next_cursor" doc:"Leads to older listings; null at the end."`
}

func (a *api) registerListings() {
	get(a, engine.Operation{
		ID: "list-bns-listings", Path: "/listings", Summary: "Names for sale, newest listing first",
		Description: "Whoever buys pays the present owner: a listing outlives the loss of the name to an earlier preorder.",
	}, a.listListings)
}

func (a *api) listListings(ctx context.Context, s *engine.Snapshot, in *ListingsInput) (*bnsListingList, error) {
	type row struct {
		nameRow
		n int64
	}
	limit := PageInput{Limit: in.Limit}.limit(limitOthers)
	condition, args := "", []any{in.from(), int64(limit + 1)}
	if in.Namespace != "" {
		condition, args = " AND n.namespace = $3", append(args, clean(in.Namespace))
	}
	b := s.Batch()
	tip := queryTip(b)
	rows := engine.QueryPage(b, limit, func(r *row) []any { return append(nameColumns(&r.nameRow), &r.n) }, `
		SELECT `+nameSQL+`, n.listed_n FROM {bns}.name n
		WHERE n.until_height IS NULL AND n.owner IS NOT NULL AND n.listed_n IS NOT NULL AND n.listed_n <= $1`+condition+`
		ORDER BY n.listed_n DESC LIMIT $2`, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	out := &bnsListingList{Marked: in.marked(), CurrentBurnBlock: tip(), Listings: []bnsListedName{}}
	shown := rows.Rows
	if len(shown) > limit {
		cursor := strconv.FormatInt(shown[limit].n, 10)
		out.NextCursor, shown = &cursor, shown[:limit]
	}
	for i := range shown {
		r := &shown[i]
		out.Listings = append(out.Listings, bnsListedName{r.BNSRow, r.id, r.status(out.CurrentBurnBlock), *r.listing()})
	}
	return out, nil
}
