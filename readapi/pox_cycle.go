package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

const poxCyclesLimit = 20

type poxCyclesInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"60" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest; with a cursor 1000 at most."`
	NumberCursor
}

// PoxCycleInput names a reward cycle.
type PoxCycleInput struct {
	Cycle int64 `path:"cycle_number" minimum:"0"`
}

// poxCycle is a reward cycle.
type poxCycle struct {
	BlockHeight        int64       `json:"block_height" doc:"Of the block that computed the set of signers."`
	IndexBlockHash     hash.Hash32 `json:"index_block_hash"`
	CycleNumber        int64       `json:"cycle_number"`
	TotalWeight        int64       `json:"total_weight"`
	TotalStackedAmount amount      `json:"total_stacked_amount" doc:"µSTX"`
	TotalSigners       int64       `json:"total_signers"`
}

func poxCycleColumns(c *poxCycle) []any {
	return []any{&c.BlockHeight, &c.IndexBlockHash, &c.CycleNumber, &c.TotalWeight, &c.TotalStackedAmount, &c.TotalSigners}
}

const poxCycleSQL = `ARRAY[c.source_seq], c.height, b.index_block_hash, c.cycle_number, c.total_weight, c.total_stacked::text, c.total_signers::bigint`

var poxCycleList = keyedList[poxCycle, poxCycle]{
	ordered: ordered{rankedList{projection: "pox", name: "cycles", rows: `{pox}.cycle c WHERE true`, key: []string{"c.cycle_number"}, columns: `c.height`}, true},
	columns: poxCycleColumns,
	fill: func(page, order string) string {
		return `
		SELECT r.* FROM (` + page + `) p
		CROSS JOIN LATERAL (
			SELECT ` + poxCycleSQL + ` FROM {pox}.cycle c JOIN {pox}.block b ON b.height = c.height WHERE c.cycle_number = p.a LIMIT 1
		) r ORDER BY ` + order
	},
	key:   func(c *poxCycle) listKey { return listKey{a: c.CycleNumber} },
	shape: func(c *poxCycle) poxCycle { return *c },
}

func (a *API) registerPoxCycles() {
	of := on("pox", shard.Cycles)
	get(a.Engine, resource{
		id: "list-pox-cycles", path: "/extended/v2/pox/cycles", tag: "Stacking", summary: "Reward cycles with signers, newest first",
		about:    "A cycle is here from the block on that computes its signers, before it begins. `next_cursor` leads to newer cycles and `prev_cursor` to older ones.",
		statuses: []int{http.StatusBadRequest}, class: answer.Tip, of: of, taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *poxCyclesInput) (*numberedPage[poxCycle], error) {
		ask := keyedAsk{orDefault(in.Limit, poxCyclesLimit), in.Offset, in.Cursor}
		if s.active("pox") == nil {
			return &numberedPage[poxCycle]{Limit: ask.limit, Offset: ask.offset, Results: []poxCycle{}}, nil
		}
		page, _, err := poxCycleList.read(ctx, s, ask)
		return page, err
	})
	get(a.Engine, resource{
		id: "get-pox-cycle", path: "/extended/v2/pox/cycles/{cycle_number}", tag: "Stacking", summary: "A reward cycle",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: of, taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *PoxCycleInput) (*poxCycle, error) {
		missing := notFound("Not found")
		if s.active("pox") == nil {
			return nil, missing
		}
		b := s.batch()
		found := query(b, poxCycleColumns, `SELECT `+poxCycleSQL+` FROM {pox}.cycle c JOIN {pox}.block b ON b.height = c.height WHERE c.cycle_number = $1`, in.Cycle)
		if err := b.runLast(ctx); err != nil {
			return nil, err
		}
		c, ok := found.first()
		if !ok {
			return nil, missing
		}
		return &c, nil
	})
	traced(a.Engine, "list-pox-cycles", func(_ context.Context, _ *snapshot, _ *poxCyclesInput, page *numberedPage[poxCycle]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		numbers := make([]int64, len(page.Results))
		for i := range page.Results {
			numbers[i] = page.Results[i].CycleNumber
		}
		return []lookup{cycleLookup(numbers...)}, nil
	})
	traced(a.Engine, "get-pox-cycle", func(_ context.Context, _ *snapshot, in *PoxCycleInput, cycle *poxCycle) ([]lookup, error) {
		if cycle == nil {
			return nil, nil
		}
		return []lookup{cycleLookup(in.Cycle)}, nil
	})
}

var tracedCycle = &tracedTable{
	projection: "pox", name: "cycle", key: "cycle_number", values: "height total_weight total_signers total_stacked:text",
	sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/reward_set', '/cycle_number']`}},
}

func cycleLookup(numbers ...int64) lookup {
	return lookup{name: "cycle", table: tracedCycle, where: `t.cycle_number = ANY ($1::bigint[])`, args: []any{numbers}, newestFirst: []string{"t.cycle_number"}}
}
