package block

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

type tenureBlocksInput struct {
	Tenure int64               `path:"tenure_height" minimum:"0"`
	Limit  int                 `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Page size; 0 means the default."`
	Offset int64               `query:"offset" minimum:"-300" maximum:"300" default:"0" doc:"Number of blocks to skip towards older blocks, counted from the cursor or from the last block of the tenure. A negative number goes towards newer blocks."`
	Cursor param.HashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

func (a *api) registerTenureBlocks() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-tenure-blocks", Path: "/extended/v2/block-tenures/{tenure_height}/blocks", Tag: "Blocks", Summary: "Blocks of a tenure, newest first",
		Description: "`next_cursor` leads to newer blocks and `prev_cursor` to older ones. Before Nakamoto, each block was a tenure.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listTenureBlocks)
}

func listTenureBlocks(ctx context.Context, s *engine.Snapshot, in *tenureBlocksInput) (*page.CursorPage[view.Block], error) {
	page := &page.CursorPage[view.Block]{Limit: page.LimitOr(in.Limit, blocksLimit), Offset: in.Offset, Results: []view.Block{}}
	return page, fillRange(ctx, s, page, in.Cursor, `tenure_height = $1`, in.Tenure)
}

// fillRange fills a page of the blocks that match a condition on {accounts}.block with the argument $1. The blocks must
// be a range of heights without gaps, and an index must have them in the order of heights.
//
// The reference begins its pages at the tip, whatever the tenure, so all tenures but the newest look empty there; it
// also counts orphaned blocks.
func fillRange(ctx context.Context, s *engine.Snapshot, list *page.CursorPage[view.Block], cursor param.HashParameter, condition string, arg any) error {
	w := blockWindow{from: view.OfAccounts, lowest: 0, highest: -1, limit: list.Limit}
	if _, ok := s.Tip("accounts"); ok {
		b := s.Batch()
		found := engine.Query(b, func(r *blockWindow) []any { return []any{&r.lowest, &r.highest} }, `
			SELECT {}, first.height, last.height
			FROM (SELECT height FROM {accounts}.block WHERE `+condition+` ORDER BY height LIMIT 1) first,
			     (SELECT height FROM {accounts}.block WHERE `+condition+` ORDER BY height DESC LIMIT 1) last`, arg)
		if err := b.Run(ctx); err != nil {
			return err
		}
		if r, ok := found.First(); ok {
			w.lowest, w.highest = r.lowest, r.highest
		}
	}
	list.Total = w.highest - w.lowest + 1
	w.start = w.highest
	if cursor != "" {
		if list.Total == 0 {
			return page.ErrNoCursor
		}
		height, err := heightOfCursor(ctx, s, view.OfAccounts, cursor)
		if err != nil {
			return err
		}
		if height < w.lowest || height > w.highest {
			return page.ErrNoCursor
		}
		w.start = height
	}
	if list.Total == 0 {
		return nil
	}
	w.start -= min(list.Offset, page.OffsetMax)
	b := s.Batch()
	blocks, neighbours := w.queueBlocks(b), w.queueNeighbours(b)
	if err := b.Run(ctx); err != nil {
		return err
	}
	fillPage(list, blocks, w, neighbours)
	return nil
}
