package block

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

func (a *api) traceBlocks() {
	engine.Trace(a.Engine, "get-block", func(_ context.Context, _ *engine.Snapshot, _ *param.BlockInput, b *view.Block) ([]engine.Lookup, error) {
		if b == nil {
			return nil, nil
		}
		return view.BlockLookups([]view.Block{*b}), nil
	})
	engine.Trace(a.Engine, "list-blocks", func(_ context.Context, _ *engine.Snapshot, _ *blocksInput, page *page.CursorPage[view.Block]) ([]engine.Lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return view.BlockLookups(page.Results), nil
	})
}
