package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

// blockV1 is the block of version 1 of the API.
type blockV1 struct {
	Canonical           bool                  `json:"canonical"`
	Height              int64                 `json:"height"`
	TenureHeight        int64                 `json:"tenure_height" doc:"-1 where the node did not say."`
	Hash                hash.Hash32           `json:"hash"`
	IndexBlockHash      hash.Hash32           `json:"index_block_hash"`
	ParentBlockHash     hash.Hash32           `json:"parent_block_hash"`
	BlockTime           int64                 `json:"block_time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	BlockTimeISO        timeText              `json:"block_time_iso"`
	BurnBlockTime       int64                 `json:"burn_block_time"`
	BurnBlockTimeISO    timeText              `json:"burn_block_time_iso"`
	BurnBlockHash       hash.Hash32           `json:"burn_block_hash"`
	BurnBlockHeight     int64                 `json:"burn_block_height"`
	MinerTxID           hash.Hash32           `json:"miner_txid"`
	Txs                 []hash.Hash32         `json:"txs" nullable:"false" doc:"All its transactions, the last first."`
	MicroblocksAccepted []hash.Hash32         `json:"microblocks_accepted" nullable:"false" doc:"Those that it confirms, the last first."`
	MicroblocksStreamed []hash.Hash32         `json:"microblocks_streamed" nullable:"false" doc:"Those that its miner streamed and the next block confirms, the last first."`
	ParentMicroblock    string                `json:"parent_microblock_hash" doc:"Empty where it confirms none."`
	ParentMicroSequence int32                 `json:"parent_microblock_sequence" doc:"-1 where it confirms none."`
	MicroblockTxCount   map[hash.Hash32]int32 `json:"microblock_tx_count" doc:"How many transactions each of those has that it confirms."`
	CostReadCount       int64                 `json:"execution_cost_read_count"`
	CostReadLength      int64                 `json:"execution_cost_read_length"`
	CostRuntime         int64                 `json:"execution_cost_runtime"`
	CostWriteCount      int64                 `json:"execution_cost_write_count"`
	CostWriteLength     int64                 `json:"execution_cost_write_length"`

	seq int64
}

type blockHashInput struct {
	Hash hashParameter `path:"hash" doc:"A block hash or an index block hash."`
}

type blockHeightInput struct {
	Height int64 `path:"height" minimum:"0"`
}

// dependencies of a block are the block, and the one that confirms what its miner streamed.
func (in *blockHeightInput) Dependencies() dependencies {
	return on("chain", shard.Height(in.Height), shard.Height(in.Height+1))
}

type burnHashInput struct {
	Hash hashParameter `path:"burn_block_hash"`
}

type burnHeightInput struct {
	Height int64 `path:"burn_block_height" minimum:"0"`
}

const (
	blocksInstead = "/extended/v2/blocks"
	blockInstead  = "/extended/v2/blocks/{height_or_hash}"
)

func (a *API) registerBlocksV1() {
	get(a.Engine, resource{
		id: "list-blocks-v1", path: "/extended/v1/block", tag: "Blocks", summary: "Canonical blocks with the ids of their transactions, newest first",
		about:    "`next_cursor` leads to newer blocks and `prev_cursor` to older ones. " + instead(blocksInstead),
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("chain"), deprecated: true,
	}, listBlocksV1)
	of := func(id, path, summary string) resource {
		return resource{
			id: id, path: path, tag: "Blocks", summary: summary, about: instead(blockInstead),
			statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
		}
	}
	byHash := of("get-block-by-hash", "/extended/v1/block/{hash}", "A block by its hash")
	byHash.about = "Of several the canonical one, else the highest, which says that it is orphaned. " + byHash.about
	byHash.of, byHash.taggedByContent = onTip("chain"), true
	get(a.Engine, byHash, getBlockByHash)
	get(a.Engine, of("get-block-by-height", "/extended/v1/block/by_height/{height}", "The block at a height"), getBlockByHeight)
	byBurnHash := of("get-block-by-burn-block-hash", "/extended/v1/block/by_burn_block_hash/{burn_block_hash}", "The last block of a Bitcoin block, by its hash")
	byBurnHash.of, byBurnHash.taggedByContent = onTip("accounts", "chain"), true
	get(a.Engine, byBurnHash, getBlockByBurnHash)
	byBurnHeight := of("get-block-by-burn-block-height", "/extended/v1/block/by_burn_block_height/{burn_block_height}", "The first block of a Bitcoin block, by its height")
	byBurnHeight.of, byBurnHeight.taggedByContent = onTip("accounts", "chain"), true
	get(a.Engine, byBurnHeight, getBlockByBurnHeight)
	traced(a.Engine, "list-blocks-v1", func(_ context.Context, _ *snapshot, _ *blocksInput, page *cursorPage[blockV1]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return blockV1Lookups(page.Results), nil
	})
	tracedBlockV1[*blockHashInput](a, byHash.id)
	tracedBlockV1[*blockHeightInput](a, "get-block-by-height")
	tracedBlockV1[*burnHashInput](a, byBurnHash.id)
	tracedBlockV1[*burnHeightInput](a, byBurnHeight.id)
}

func listBlocksV1(ctx context.Context, s *snapshot, in *blocksInput) (*cursorPage[blockV1], error) {
	page := &cursorPage[blockV1]{Limit: orDefault(in.Limit, blocksLimit), Offset: in.Offset, Results: []blockV1{}}
	w, ok, err := canonicalWindow(ctx, s, in.Cursor, in.Offset, page.Limit)
	if !ok || err != nil {
		return page, err
	}
	b := s.batch()
	blocks := queueBlocksV1(b, blockChoice{`SELECT block_seq AS source_seq FROM {chain}.canonical WHERE height = ANY ($1::bigint[])`, w.heights()})
	neighbours, root := w.queueNeighbours(b), queueRoot(b)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	lowest, _ := root.first()
	page.Total = w.highest - lowest + 1
	page.Results = blocks.shape()
	if len(page.Results) > 0 {
		page.Cursor = &page.Results[0].IndexBlockHash
	}
	page.NextCursor, page.PrevCursor = w.cursors(neighbours)
	return page, nil
}

func getBlockByHash(ctx context.Context, s *snapshot, in *blockHashInput) (*blockV1, error) {
	id, err := in.Hash.hash()
	if err != nil {
		return nil, err
	}
	return getBlockV1(ctx, s, anyBlock(id), "cannot find block by hash")
}

func getBlockByHeight(ctx context.Context, s *snapshot, in *blockHeightInput) (*blockV1, error) {
	return getBlockV1(ctx, s, blockChoice{atHeight, in.Height}, "cannot find block by height")
}

func getBlockByBurnHash(ctx context.Context, s *snapshot, in *burnHashInput) (*blockV1, error) {
	id, err := in.Hash.hash()
	if err != nil {
		return nil, err
	}
	const missing = "cannot find block by burn block hash"
	if _, ok := s.tip("accounts"); !ok {
		return nil, notFound(missing)
	}
	return getBlockV1(ctx, s, blockChoice{`SELECT source_seq FROM {accounts}.block WHERE burn_block_hash = $1 ORDER BY height DESC LIMIT 1`, id}, missing)
}

func getBlockByBurnHeight(ctx context.Context, s *snapshot, in *burnHeightInput) (*blockV1, error) {
	const missing = "cannot find block by height"
	if _, ok := s.tip("accounts"); !ok {
		return nil, notFound(missing)
	}
	return getBlockV1(ctx, s, blockChoice{`SELECT source_seq FROM {accounts}.block WHERE burn_block_height = $1 ORDER BY height LIMIT 1`, in.Height}, missing)
}

// getBlockV1 reads the block that is chosen.
func getBlockV1(ctx context.Context, s *snapshot, choice blockChoice, missing string) (*blockV1, error) {
	if _, ok := s.tip("chain"); !ok {
		return nil, notFound("%s", missing)
	}
	b := s.batch()
	found := queueBlocksV1(b, choice)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	shaped := found.shape()
	if len(shaped) == 0 {
		return nil, notFound("%s", missing)
	}
	if shaped[0].Canonical {
		s.settles(shaped[0].BurnBlockHeight)
	}
	return &shaped[0], nil
}

func tracedBlockV1[In any](a *API, id string) {
	traced(a.Engine, id, func(_ context.Context, _ *snapshot, _ In, b *blockV1) ([]lookup, error) {
		if b == nil {
			return nil, nil
		}
		return blockV1Lookups([]blockV1{*b}), nil
	})
}

// blockV1Lookups are the rows behind blocks; those of the ids of their transactions are the transactions.
func blockV1Lookups(blocks []blockV1) []lookup {
	shown, seqs := make([]block, len(blocks)), make([]int64, len(blocks))
	for i := range blocks {
		shown[i], seqs[i] = block{Height: blocks[i].Height, IndexBlockHash: blocks[i].IndexBlockHash}, blocks[i].seq
	}
	return append(blockLookups(shown), lookup{
		name: "transaction", table: tracedTransaction, where: `t.source_seq = ANY ($1::bigint[])`, args: []any{seqs},
		newestFirst: []string{"t.source_seq", "t.tx_index"},
	})
}
