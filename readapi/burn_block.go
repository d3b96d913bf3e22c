package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/readapi/internal/answer"
)

const burnBlocksLimit = 20

type burnBlocksInput struct {
	Limit  int           `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64         `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest."`
	Cursor hashParameter `query:"cursor" doc:"Hash of the first Bitcoin block of the page."`
}

// BurnBlockInput names a Bitcoin block.
type BurnBlockInput struct {
	Block heightOrHash `path:"height_or_hash" doc:"latest, or the height or the hash of a Bitcoin block."`
}

type burnBlocksBlocksInput struct {
	BurnBlockInput
	Limit  int           `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64         `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest."`
	Cursor hashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

// burnBlock is a Bitcoin block with the blocks of its tenures.
type burnBlock struct {
	BurnBlockTime    int64         `json:"burn_block_time"`
	BurnBlockTimeISO timeText      `json:"burn_block_time_iso"`
	BurnBlockHash    hash.Hash32   `json:"burn_block_hash"`
	BurnBlockHeight  int64         `json:"burn_block_height"`
	StacksBlocks     []hash.Hash32 `json:"stacks_blocks" nullable:"false" doc:"Hashes of its blocks, newest first."`
	AvgBlockTime     int64         `json:"avg_block_time" doc:"Whole seconds between its blocks; 0 where there is one."`
	TotalTxCount     int64         `json:"total_tx_count"`

	n int64 // among Bitcoin blocks with blocks
}

func (a *API) registerBurnBlocks() {
	of := onTip("accounts")
	get(a.Engine, resource{
		id: "list-burn-blocks", path: "/extended/v2/burn-blocks", tag: "Blocks", summary: "Bitcoin blocks that have blocks, newest first",
		about:    "`next_cursor` leads to newer blocks and `prev_cursor` to older ones.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: of,
	}, listBurnBlocks)
	get(a.Engine, resource{
		id: "get-burn-block", path: "/extended/v2/burn-blocks/{height_or_hash}", tag: "Blocks", summary: "A Bitcoin block with the blocks of its tenures",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: of, taggedByContent: true,
	}, getBurnBlock)
	get(a.Engine, resource{
		id: "list-burn-block-blocks", path: "/extended/v2/burn-blocks/{height_or_hash}/blocks", tag: "Blocks", summary: "Blocks of a Bitcoin block, newest first",
		about:    "`next_cursor` leads to newer blocks and `prev_cursor` to older ones.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("accounts", "chain"), taggedByContent: true,
	}, listBurnBlockBlocks)
	tracedBlockPage[*burnBlocksBlocksInput](a, "list-burn-block-blocks")
	traced(a.Engine, "list-burn-blocks", func(_ context.Context, _ *snapshot, _ *burnBlocksInput, page *cursorPage[burnBlock]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return burnBlockLookups(page.Results), nil
	})
	traced(a.Engine, "get-burn-block", func(_ context.Context, _ *snapshot, _ *BurnBlockInput, b *burnBlock) ([]lookup, error) {
		if b == nil {
			return nil, nil
		}
		return burnBlockLookups([]burnBlock{*b}), nil
	})
}

// tracedListedBlock are blocks as lists have them.
var tracedListedBlock = &tracedTable{
	projection: "accounts", name: "block", key: "height",
	values:  "index_block_hash:hex block_hash:hex block_time burn_block_time burn_block_height burn_block_hash:hex first_tx last_tx tenure_height burn_blocks",
	sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
}

func burnBlockLookups(blocks []burnBlock) []lookup {
	numbers := make([]int64, len(blocks))
	for i := range blocks {
		numbers[i] = blocks[i].n
	}
	return []lookup{{name: "block", table: tracedListedBlock, where: `t.burn_blocks = ANY ($1::bigint[])`, args: []any{numbers}, newestFirst: []string{"t.height"}}}
}

// burnBlockSQL reads the Bitcoin blocks whose numbers are from $1 to $2, newest first.
const burnBlockSQL = `
	SELECT array_agg(source_seq), burn_blocks, min(burn_block_time), burn_block_hash, burn_block_height,
	       array_agg(block_hash ORDER BY height DESC), sum(last_tx - first_tx + 1)::bigint,
	       CASE WHEN count(*) > 1 THEN ((array_agg(coalesce(block_time, burn_block_time) ORDER BY height DESC))[1] - (array_agg(coalesce(block_time, burn_block_time) ORDER BY height))[1])
	            / (count(*) - 1) ELSE 0 END
	FROM {accounts}.block
	WHERE burn_blocks >= $1 AND burn_blocks <= $2
	GROUP BY burn_blocks, burn_block_hash, burn_block_height
	ORDER BY burn_blocks DESC`

func burnBlockColumns(b *burnBlock) []any {
	return []any{&b.n, &b.BurnBlockTime, &b.BurnBlockHash, &b.BurnBlockHeight, &b.StacksBlocks, &b.TotalTxCount, &b.AvgBlockTime}
}

// numberColumn is the number of a Bitcoin block.
func numberColumn(n *int64) []any { return []any{n} }

// listBurnBlocks answers from numbers: Bitcoin blocks with blocks are numbered from 1. The reference's total is that of blocks.
func listBurnBlocks(ctx context.Context, s *snapshot, in *burnBlocksInput) (*cursorPage[burnBlock], error) {
	page := &cursorPage[burnBlock]{Limit: orDefault(in.Limit, burnBlocksLimit), Offset: in.Offset, Results: []burnBlock{}}
	tip, ok := s.tip("accounts")
	if !ok {
		if in.Cursor != "" {
			return nil, errNoCursor
		}
		return page, nil
	}
	b := s.batch()
	total := query(b, numberColumn, `SELECT ARRAY[]::bigint[], burn_blocks FROM {accounts}.block WHERE height = $1`, *tip.Height)
	begins := total
	if in.Cursor != "" {
		id, err := in.Cursor.hash()
		if err != nil {
			return nil, err
		}
		begins = query(b, numberColumn, `SELECT ARRAY[]::bigint[], burn_blocks FROM {accounts}.block WHERE burn_block_hash = $1 LIMIT 1`, id)
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.first()
	start, ok := begins.first()
	if !ok {
		return nil, errNoCursor
	}
	start -= min(in.Offset, offsetMost)
	newer, older := min(start+int64(page.Limit), page.Total), start-int64(page.Limit)

	b = s.batch()
	found := query(b, burnBlockColumns, burnBlockSQL, older+1, start)
	neighbours := query(b, neighbourColumns, `
		SELECT ARRAY[]::bigint[], n, b.burn_block_hash
		FROM unnest($1::bigint[]) n
		CROSS JOIN LATERAL (SELECT burn_block_hash FROM {accounts}.block WHERE burn_blocks = n LIMIT 1) b`, []int64{newer, older})
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	for _, row := range found.rows {
		page.Results = append(page.Results, row.shape())
	}
	if len(page.Results) > 0 {
		page.Cursor = &page.Results[0].BurnBlockHash
	}
	for i := range neighbours.rows {
		n := &neighbours.rows[i]
		if n.height == newer && start < page.Total {
			page.NextCursor = &n.id
		}
		if n.height == older {
			page.PrevCursor = &n.id
		}
	}
	return page, nil
}

func (b burnBlock) shape() burnBlock {
	b.BurnBlockTimeISO = unixTime(b.BurnBlockTime)
	return b
}

// burnCondition is the condition on {accounts}.block for the Bitcoin block that is named, with its argument. ok is false when
// there can't be one.
func burnCondition(s *snapshot, named heightOrHash) (condition string, arg any, ok bool) {
	tip, ok := s.tip("accounts")
	if !ok {
		return "", nil, false
	}
	switch latest, height, id := named.parse(); {
	case latest && tip.BurnHeight != nil:
		return `burn_block_height = $1`, *tip.BurnHeight, true
	case height != nil:
		return `burn_block_height = $1`, *height, true
	case id != nil:
		return `burn_block_hash = $1`, *id, true
	}
	return "", nil, false
}

func getBurnBlock(ctx context.Context, s *snapshot, in *BurnBlockInput) (*burnBlock, error) {
	missing := notFound("Not found")
	condition, arg, ok := burnCondition(s, in.Block)
	if !ok {
		return nil, missing
	}
	b := s.batch()
	number := query(b, numberColumn, `SELECT ARRAY[]::bigint[], burn_blocks FROM {accounts}.block WHERE `+condition+` ORDER BY height DESC LIMIT 1`, arg)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	n, ok := number.first()
	if !ok {
		return nil, missing
	}
	b = s.batch()
	found := query(b, burnBlockColumns, burnBlockSQL, n, n)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	row, ok := found.first()
	if !ok {
		return nil, missing
	}
	shaped := row.shape()
	return &shaped, nil
}

func listBurnBlockBlocks(ctx context.Context, s *snapshot, in *burnBlocksBlocksInput) (*cursorPage[block], error) {
	page := &cursorPage[block]{Limit: orDefault(in.Limit, blocksLimit), Offset: in.Offset, Results: []block{}}
	missing := notFound("Burn block not found")
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
