package ordinals

import (
	"context"
	"math"
	"net/http"
	"slices"

	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

func contains[T comparable](values []T, value T) bool { return slices.Contains(values, value) }

func (a *api) registerInscriptions() {
	engine.Get(a.Engine, ordinal.OrdinalsResource(engine.Operation{
		ID: "getInscriptions", Path: "/inscriptions", Tag: "Inscriptions", Summary: "Inscriptions",
		Description: "Inscriptions that match all filters; several values of one filter match any of them. The newest reveal comes first by default. " +
			"With several filters the server counts what matches, which may take too long: then the answer is 503, with a message that says so.",
		Statuses: []int{http.StatusBadRequest},
	}), a.inscriptions)
}

// limit returns the number of rows of a page. By default it is large enough for all inscriptions that the request
// names.
func (in *inscriptionsInput) limit() int {
	if in.Limit != 0 {
		return in.Limit
	}
	return min(max(20, len(in.ID), len(in.Number)), ordinal.OrdinalsLimitMax)
}

// inscriptions lists inscriptions. It chooses the cheapest query for the page and the total from the request and the
// stored lengths of lists, never from the plans of Postgres.
func (a *api) inscriptions(ctx context.Context, s *engine.Snapshot, in *inscriptionsInput) (*ordinal.OrdinalsPage[inscription], error) {
	list := ordinal.NewOrdinalsPage[inscription](ordinal.OrdinalsPageInput{Offset: in.Offset, Limit: in.limit()})
	if s.Active(ordinal.Inscribed) == nil {
		return list, nil
	}
	search := &search{snapshot: s, filter: newFilter(in), sorting: in.sorting(), offset: min(in.Offset, page.RankedOffsetMax), limit: in.limit()}
	rows, total, err := search.read(ctx)
	if err != nil {
		return nil, ordinal.CountTooLong(err)
	}
	list.Total, list.Results = total, a.showInscriptions(rows)
	return list, nil
}

// search is a query for one page of the inscriptions that pass a filter.
type search struct {
	snapshot *engine.Snapshot
	filter   *filter
	sorting  sorting
	offset   int64
	limit    int
}

// read reads the page, and the number of inscriptions on all pages.
func (q *search) read(ctx context.Context) ([]inscriptionRow, int64, error) {
	f := q.filter
	if l := f.list(q.sorting); l != nil {
		return page.ReadList(ctx, q.snapshot, *l, q.offset, q.limit, inscriptionColumns, inscriptionSQL)
	}
	if q.sorting.by == byRarity && f.count() == boolToInt(f.rarities != nil) {
		return q.readRarities(ctx)
	}
	if q.sorting.by == bySat && f.count() == 0 {
		return q.readSats(ctx, bounds{math.MinInt64, int64(ordinals.LastSat)})
	}
	return q.readFiltered(ctx)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// readRarities reads the lists of the rarities one after the other.
func (q *search) readRarities(ctx context.Context) ([]inscriptionRow, int64, error) {
	lists := rarityLists(q.filter.rarities, q.sorting.descending)
	names := make([]string, len(lists))
	for i := range lists {
		names[i] = lists[i].Name
	}
	b := q.snapshot.Batch()
	lengths := page.QueryLengths(b, ordinal.Inscribed, names...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	total, segments := int64(0), make([]page.Segment, len(lists))
	for i, n := range lengths() {
		segments[i] = page.Segment{OrderedList: lists[i], N: n}
		total += n
	}
	rows, err := q.readSegments(ctx, segments...)
	return rows, total, err
}

// readSats reads the inscriptions on a range of sats, in the order of sats. Numbers below zero stand for the places of unbound
// inscriptions. In ascending order it reads those on sat 0 from a separate list: earlier rules have all unbound inscriptions
// there, and the page has their highest number first, where the index has it last.
func (q *search) readSats(ctx context.Context, sats bounds) ([]inscriptionRow, int64, error) {
	b := q.snapshot.Batch()
	lengths := page.QueryLengths(b, ordinal.Inscribed, "ordinal")
	first := querySat(b, 0)
	l := satList()
	below, belowZero, through := l.QueryRank(b, sats.from), l.QueryRank(b, 0), l.QueryRank(b, sats.to+1)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	all := lengths()[0]
	from, _ := below.First()
	unbound, _ := belowZero.First()
	to, _ := through.First()
	total := max(to-from, 0)
	if q.sorting.descending {
		rows, err := q.readSegments(ctx, page.Segment{OrderedList: page.OrderedList{RankedList: l, Descending: true}, Before: all - to, N: total})
		return rows, total, err
	}
	zero := int64(0)
	if sats.from <= 0 && sats.to >= 0 {
		zero, _ = first.First()
	}
	before := max(unbound, from)
	list := page.OrderedList{RankedList: l, Descending: false}
	rows, err := q.readSegments(ctx, page.Segment{OrderedList: list, Before: from, N: before - from},
		page.Segment{OrderedList: onSat(0), Before: 0, N: zero}, page.Segment{OrderedList: list, Before: before + zero, N: max(to-before-zero, 0)})
	return rows, total, err
}

func (q *search) readSegments(ctx context.Context, segments ...page.Segment) ([]inscriptionRow, error) {
	return page.ReadSegments(ctx, q.snapshot, segments, q.offset, q.limit, inscriptionColumns, inscriptionSQL)
}
