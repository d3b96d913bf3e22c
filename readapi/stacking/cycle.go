package stacking

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

const poxCyclesLimit = 20

type poxCyclesInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"60" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row. With a cursor, at most 1000."`
	page.NumberCursor
}

// PoxCycleInput names a reward cycle.
type PoxCycleInput struct {
	Cycle int64 `path:"cycle_number" minimum:"0"`
}

// poxCycle is a reward cycle.
type poxCycle struct {
	BlockHeight        int64         `json:"block_height" doc:"Height of the block that computed the set of signers."`
	IndexBlockHash     hash.Hash32   `json:"index_block_hash"`
	CycleNumber        int64         `json:"cycle_number"`
	TotalWeight        int64         `json:"total_weight"`
	TotalStackedAmount schema.Amount `json:"total_stacked_amount" doc:"µSTX"`
	TotalSigners       int64         `json:"total_signers"`
}

func poxCycleColumns(c *poxCycle) []any {
	return []any{&c.BlockHeight, &c.IndexBlockHash, &c.CycleNumber, &c.TotalWeight, &c.TotalStackedAmount, &c.TotalSigners}
}

const poxCycleSQL = `{pox.cycle c}, c.height, b.index_block_hash, c.cycle_number, c.total_weight, c.total_stacked::text, c.total_signers::bigint`

var poxCycleList = page.KeyedList[poxCycle, poxCycle]{
	OrderedList: page.OrderedList{RankedList: page.RankedList{Projection: "pox", Name: "cycles", Rows: `{pox}.cycle c WHERE true`, Key: []string{"c.cycle_number"}, Columns: `c.height`}, Descending: true},
	Columns:     poxCycleColumns,
	Fill: func(page, order string) string {
		return `
		SELECT r.* FROM (` + page + `) p
		CROSS JOIN LATERAL (
			SELECT ` + poxCycleSQL + ` FROM {pox}.cycle c JOIN {pox}.block b ON b.height = c.height WHERE c.cycle_number = p.a LIMIT 1
		) r ORDER BY ` + order
	},
	Key:   func(c *poxCycle) page.ListKey { return page.ListKey{A: c.CycleNumber} },
	Shape: func(c *poxCycle) poxCycle { return *c },
}

func (a *api) registerPoxCycles() {
	dependencies := engine.On("pox", shard.Cycles)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-pox-cycles", Path: "/extended/v2/pox/cycles", Tag: "Stacking", Summary: "Reward cycles with signers, newest first",
		Description: "A cycle is listed from the block that computes its signers, before the cycle begins. `next_cursor` leads to newer cycles and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest}, Dependencies: dependencies,
	}, func(ctx context.Context, s *engine.Snapshot, in *poxCyclesInput) (*page.NumberedPage[poxCycle], error) {
		request := page.KeyRequest{Limit: page.LimitOr(in.Limit, poxCyclesLimit), Offset: in.Offset, Cursor: in.Cursor}
		if s.Active("pox") == nil {
			return &page.NumberedPage[poxCycle]{Limit: request.Limit, Offset: request.Offset, Results: []poxCycle{}}, nil
		}
		return poxCycleList.Read(ctx, s, request)
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "get-pox-cycle", Path: "/extended/v2/pox/cycles/{cycle_number}", Tag: "Stacking", Summary: "A reward cycle",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Dependencies: dependencies,
	}, func(ctx context.Context, s *engine.Snapshot, in *PoxCycleInput) (*poxCycle, error) {
		missing := engine.NotFound("Not found")
		if s.Active("pox") == nil {
			return nil, missing
		}
		b := s.Batch()
		cycles := engine.Query(b, poxCycleColumns, `SELECT `+poxCycleSQL+` FROM {pox}.cycle c JOIN {pox}.block b ON b.height = c.height WHERE c.cycle_number = $1`, in.Cycle)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		c, ok := cycles.First()
		if !ok {
			return nil, missing
		}
		return &c, nil
	})
}

var tracedCycle = &engine.TraceTable{
	Projection: "pox", Name: "cycle", Key: "cycle_number", NewestFirst: []string{"t.cycle_number"}, Values: "height total_weight total_signers total_stacked:text",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/reward_set', '/cycle_number']`}},
}
