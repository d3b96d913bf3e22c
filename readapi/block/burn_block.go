package block

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

const burnBlocksLimit = 20

type burnBlocksInput struct {
	Limit  int                 `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Page size; 0 means the default."`
	Offset int64               `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the newest row."`
	Cursor param.HashParameter `query:"cursor" doc:"Hash of the first Bitcoin block of the page."`
}

type burnBlocksBlocksInput struct {
	param.BurnBlockInput
	Limit  int                 `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Page size; 0 means the default."`
	Offset int64               `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the newest row."`
	Cursor param.HashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

// burnBlock is a Bitcoin block with the Stacks blocks of its tenures.
type burnBlock struct {
	BurnBlockTime    int64           `json:"burn_block_time"`
	BurnBlockTimeISO schema.TimeText `json:"burn_block_time_iso"`
	BurnBlockHash    hash.Hash32     `json:"burn_block_hash"`
	BurnBlockHeight  int64           `json:"burn_block_height"`
	StacksBlocks     []hash.Hash32   `json:"stacks_blocks" nullable:"false" doc:"Hashes of its Stacks blocks, newest first."`
	AvgBlockTime     int64           `json:"avg_block_time" doc:"Mean time between its Stacks blocks in whole seconds; 0 if it has only one."`
	TotalTxCount     int64           `json:"total_tx_count"`
}

// burnBlockRow is a Bitcoin block as it is read from the tables.
type burnBlockRow struct {
	burnBlock
	n int64 // number among the Bitcoin blocks that have Stacks blocks, from 1 on
}

func (a *api) registerBurnBlocks() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-burn-blocks", Path: "/extended/v2/burn-blocks", Tag: "Blocks", Summary: "Bitcoin blocks that have Stacks blocks, newest first",
		Description: "`next_cursor` leads to newer blocks and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listBurnBlocks)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-burn-block", Path: "/extended/v2/burn-blocks/{height_or_hash}", Tag: "Blocks", Summary: "A Bitcoin block with the Stacks blocks of its tenures",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, getBurnBlock)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-burn-block-blocks", Path: "/extended/v2/burn-blocks/{height_or_hash}/blocks", Tag: "Blocks", Summary: "Stacks blocks of a Bitcoin block, newest first",
		Description: "`next_cursor` leads to newer blocks and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listBurnBlockBlocks)
}

// tracedListedBlock traces the blocks of the accounts projection, from which lists are read.
var tracedListedBlock = &engine.TraceTable{
	Projection: "accounts", Name: "block", Key: "height", NewestFirst: []string{"t.height"},
	Values:  "index_block_hash:hex block_hash:hex block_time burn_block_time burn_block_height burn_block_hash:hex first_tx last_tx tenure_height burn_blocks",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
}

// burnBlockSQL reads the Bitcoin blocks whose numbers are from $1 to $2, newest first.
const burnBlockSQL = `
	SELECT array_agg({accounts.block k}), burn_blocks, min(burn_block_time), burn_block_hash, burn_block_height,
	       array_agg(block_hash ORDER BY height DESC), sum(last_tx - first_tx + 1)::bigint,
	       CASE WHEN count(*) > 1 THEN ((array_agg(coalesce(block_time, burn_block_time) ORDER BY height DESC))[1] - (array_agg(coalesce(block_time, burn_block_time) ORDER BY height))[1])
	            / (count(*) - 1) ELSE 0 END
	FROM {accounts}.block k
	WHERE burn_blocks >= $1 AND burn_blocks <= $2
	GROUP BY burn_blocks, burn_block_hash, burn_block_height
	ORDER BY burn_blocks DESC`

func burnBlockColumns(b *burnBlockRow) []any {
	return []any{&b.n, &b.BurnBlockTime, &b.BurnBlockHash, &b.BurnBlockHeight, &b.StacksBlocks, &b.TotalTxCount, &b.AvgBlockTime}
}

// listBurnBlocks finds a page by numbers: the Bitcoin blocks that have Stacks blocks are numbered from 1 on. Its total
// is the number of these Bitcoin blocks; the reference's is the number of Stacks blocks.
func listBurnBlocks(ctx context.Context, s *engine.Snapshot, in *burnBlocksInput) (*page.CursorPage[burnBlock], error) {
	list := &page.CursorPage[burnBlock]{Limit: page.LimitOr(in.Limit, burnBlocksLimit), Offset: in.Offset, Results: []burnBlock{}}
	tip, ok := s.Tip("accounts")
	if !ok {
		if in.Cursor != "" {
			return nil, page.ErrNoCursor
		}
		return list, nil
	}
	b := s.Batch()
	total := engine.Query(b, page.NumberColumn, `SELECT {}, burn_blocks FROM {accounts}.block WHERE height = $1`, *tip.Height)
	begins := total
	if in.Cursor != "" {
		id, err := in.Cursor.Hash()
		if err != nil {
			return nil, err
		}
		begins = engine.Query(b, page.NumberColumn, `SELECT {}, burn_blocks FROM {accounts}.block WHERE burn_block_hash = $1 LIMIT 1`, id)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Total, _ = total.First()
	start, ok := begins.First()
	if !ok {
		return nil, page.ErrNoCursor
	}
	start -= min(in.Offset, page.OffsetMax)
	newer, older := min(start+int64(list.Limit), list.Total), start-int64(list.Limit)

	b = s.Batch()
	found := engine.Query(b, burnBlockColumns, burnBlockSQL, older+1, start)
	neighbours := engine.Query(b, neighbourColumns, `
		SELECT {}, n, b.burn_block_hash
		FROM unnest($1::bigint[]) n
		CROSS JOIN LATERAL (SELECT burn_block_hash FROM {accounts}.block WHERE burn_blocks = n LIMIT 1) b`, []int64{newer, older})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, row := range found.Rows {
		list.Results = append(list.Results, row.shape())
	}
	if len(list.Results) > 0 {
		list.Cursor = &list.Results[0].BurnBlockHash
	}
	for i := range neighbours.Rows {
		n := &neighbours.Rows[i]
		if n.height == newer && start < list.Total {
			list.NextCursor = &n.id
		}
		if n.height == older {
			list.PrevCursor = &n.id
		}
	}
	return list, nil
}

func (r burnBlockRow) shape() burnBlock {
	b := r.burnBlock
	b.BurnBlockTimeISO = schema.UnixTime(b.BurnBlockTime)
	return b
}

// burnCondition returns a condition on {accounts}.block that selects the named Bitcoin block, with its argument $1. ok
// is false when there can be no such block.
func burnCondition(s *engine.Snapshot, named param.HeightOrHash) (condition string, arg any, ok bool) {
	tip, ok := s.Tip("accounts")
	if !ok {
		return "", nil, false
	}
	switch latest, height, id := named.Parse(); {
	case latest && tip.BurnHeight != nil:
		return `burn_block_height = $1`, *tip.BurnHeight, true
	case height != nil:
		return `burn_block_height = $1`, *height, true
	case id != nil:
		return `burn_block_hash = $1`, *id, true
	}
	return "", nil, false
}

func getBurnBlock(ctx context.Context, s *engine.Snapshot, in *param.BurnBlockInput) (*burnBlock, error) {
	row, err := findBurnBlock(ctx, s, in)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, engine.NotFound("Not found")
	}
	shaped := row.shape()
	return &shaped, nil
}

// findBurnBlock reads the named Bitcoin block, and says that the answer shows it; nil when it has no Stacks blocks.
func findBurnBlock(ctx context.Context, s *engine.Snapshot, in *param.BurnBlockInput) (*burnBlockRow, error) {
	condition, arg, ok := burnCondition(s, in.Block)
	if !ok {
		return nil, nil
	}
	b := s.Batch()
	number := engine.Query(b, page.NumberColumn, `SELECT {}, burn_blocks FROM {accounts}.block WHERE `+condition+` ORDER BY height DESC LIMIT 1`, arg)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	n, ok := number.First()
	if !ok {
		return nil, nil
	}
	b = s.Batch()
	found := engine.Query(b, burnBlockColumns, burnBlockSQL, n, n)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, nil
	}
	return &row, nil
}

func listBurnBlockBlocks(ctx context.Context, s *engine.Snapshot, in *burnBlocksBlocksInput) (*page.CursorPage[view.Block], error) {
	page := &page.CursorPage[view.Block]{Limit: page.LimitOr(in.Limit, blocksLimit), Offset: in.Offset, Results: []view.Block{}}
	missing := engine.NotFound("Burn block not found")
	condition, arg, ok := burnCondition(s, in.Block)
	if !ok {
		return nil, missing
	}
	if err := fillRange(ctx, s, page, in.Cursor, condition, arg); err != nil {
		return nil, err
	}
	if page.Total == 0 {
		return nil, missing
	}
	return page, nil
}
