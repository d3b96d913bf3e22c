package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

type tenureBlocksInput struct {
	Tenure int64         `path:"tenure_height" minimum:"0"`
	Limit  int           `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64         `query:"offset" minimum:"-300" maximum:"300" default:"0" doc:"Where the page begins, counted from the cursor, or from the last block of the tenure, towards older blocks."`
	Cursor hashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

func (a *API) registerTenureBlocks() {
	get(a.Engine, resource{
		id: "list-tenure-blocks", path: "/extended/v2/block-tenures/{tenure_height}/blocks", tag: "Blocks", summary: "Blocks of a tenure, newest first",
		about:    "`next_cursor` leads to newer blocks and `prev_cursor` to older ones. Before Nakamoto, each block was a tenure.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("accounts", "chain"), taggedByContent: true,
	}, listTenureBlocks)
	tracedBlockPage[*tenureBlocksInput](a, "list-tenure-blocks")
}

func listTenureBlocks(ctx context.Context, s *snapshot, in *tenureBlocksInput) (*cursorPage[block], error) {
	page := &cursorPage[block]{Limit: orDefault(in.Limit, blocksLimit), Offset: in.Offset, Results: []block{}}
	return page, fillRange(ctx, s, page, in.Cursor, `tenure_height = $1`, in.Tenure)
}

// fillRange fills a page of the blocks that match a condition on {accounts}.block with the argument $1. They follow each other,
// and an index has them in the order of heights.
//
// The reference begins at the tip, whatever the tenure, so that all but the newest are empty there, and counts orphans.
func fillRange(ctx context.Context, s *snapshot, page *cursorPage[block], cursor hashParameter, condition string, arg any) error {
	w := blockWindow{from: ofAccounts, lowest: 0, highest: -1, limit: page.Limit}
	if _, ok := s.tip("accounts"); ok {
		b := s.batch()
		found := query(b, func(r *blockWindow) []any { return []any{&r.lowest, &r.highest} }, `
			SELECT ARRAY[]::bigint[], first.height, last.height
			FROM (SELECT height FROM {accounts}.block WHERE `+condition+` ORDER BY height LIMIT 1) first,
			     (SELECT height FROM {accounts}.block WHERE `+condition+` ORDER BY height DESC LIMIT 1) last`, arg)
		if err := b.run(ctx); err != nil {
			return err
		}
		if r, ok := found.first(); ok {
			w.lowest, w.highest = r.lowest, r.highest
		}
	}
	page.Total = w.highest - w.lowest + 1
	w.start = w.highest
	if cursor != "" {
		if page.Total == 0 {
			return errNoCursor
		}
		height, err := heightOfCursor(ctx, s, ofAccounts, cursor)
		if err != nil {
			return err
		}
		if height < w.lowest || height > w.highest {
			return errNoCursor
		}
		w.start = height
	}
	if page.Total == 0 {
		return nil
	}
	w.start -= min(page.Offset, offsetMost)
	b := s.batch()
	blocks, neighbours := w.queueBlocks(b), w.queueNeighbours(b)
	if err := b.runLast(ctx); err != nil {
		return err
	}
	showBlocks(page, blocks, w, neighbours)
	return nil
}

// tracedBlockPage adds the tracer of a list of blocks.
func tracedBlockPage[In any](a *API, id string) {
	traced(a.Engine, id, func(_ context.Context, _ *snapshot, _ In, page *cursorPage[block]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return blockLookups(page.Results), nil
	})
}
