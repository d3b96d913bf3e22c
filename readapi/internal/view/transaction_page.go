package view

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
)

// TransactionPage completes and renders the transactions of a page.
func TransactionPage(ctx context.Context, s *engine.Snapshot, p *page.Request, head *engine.Result[page.Head], found *engine.Result[TransactionRow], how param.ArgumentsInput) (*page.NumberedPage[TransactionBody], error) {
	rows := RowsOf(found)
	interfaces, err := Complete(ctx, s, rows, false, nil)
	if err != nil {
		return nil, err
	}
	first, _ := head.First()
	page := page.NewNumberedPage[TransactionBody](p, first)
	for _, r := range rows {
		page.Results = append(page.Results, RenderTransaction(r, Rendering{interfaces, how.ExcludeFunctionArgs}))
	}
	return page, nil
}

// KeysetOf returns the cursors of a page with the given rows. beside holds the first rows of the adjacent pages.
func KeysetOf(head *page.Head, rows []*TransactionRow, beside []page.ListPlace) (c page.KeysetCursor) {
	if len(rows) > 0 {
		current := page.PositionText(rows[0].Height, rows[0].Sequence(), rows[0].Index)
		c.Current = &current
	}
	for _, first := range beside {
		text := page.PositionText(first.Height, first.Sequence, first.Index)
		if first.Number > head.Start || len(rows) == 0 {
			c.Previous = &text
		} else {
			c.Next = &text
		}
	}
	return c
}
