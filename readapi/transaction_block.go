package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

const blockTransactionsLimit = 20

// PageInput says which page of the transactions of a block is asked for.
type PageInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

// ArgumentsInput says whether the arguments of contract calls are shown.
type ArgumentsInput struct {
	ExcludeFunctionArgs bool `query:"exclude_function_args" default:"false" doc:"Leave out what contract calls pass."`
}

type transactionsByHashInput struct {
	Block  hashParameter `path:"block_hash" doc:"A block hash or an index block hash."`
	Limit  int           `query:"limit" minimum:"0" maximum:"200" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64         `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	ArgumentsInput
}

type transactionsByHeightInput struct {
	Height int64 `path:"height" minimum:"0"`
	PageInput
	ArgumentsInput
}

func (in *transactionsByHeightInput) Dependencies() dependencies {
	return on("chain", shard.Height(in.Height))
}

type blockTransactionsInput struct {
	BlockInput
	PageInput
}

func (a *API) registerBlockTransactions() {
	byHash := resource{
		id: "list-transactions-by-block-hash", path: "/extended/v1/tx/block/{block_hash}", tag: "Transactions", summary: "Transactions of a block, the last first",
		about:    "A block that is orphaned is shown as such. " + instead("/extended/v3/blocks/{height_or_hash}/transactions"),
		statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		class:    answer.Tip, of: onTip("chain"), taggedByContent: true, deprecated: true,
	}
	get(a.Engine, byHash, a.listTransactionsByHash)
	get(a.Engine, resource{
		id: "list-transactions-by-block-height", path: "/extended/v1/tx/block_height/{height}", tag: "Transactions", summary: "Transactions of the block at a height, the last first",
		about: instead("/extended/v3/blocks/{height_or_hash}/transactions"), statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		class: answer.Tip, deprecated: true,
	}, a.listTransactionsByHeight)
	get(a.Engine, resource{
		id: "list-block-transactions", path: "/extended/v2/blocks/{height_or_hash}/transactions", tag: "Transactions", summary: "Transactions of a block, the first first",
		about: instead("/extended/v3/blocks/{height_or_hash}/transactions"), statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		class: answer.Tip, deprecated: true,
	}, a.listBlockTransactions)
	tracedTransactionPage[*transactionsByHashInput](a, byHash.id)
	tracedTransactionPage[*transactionsByHeightInput](a, "list-transactions-by-block-height")
	tracedTransactionPage[*blockTransactionsInput](a, "list-block-transactions")
}

// tracedTransactionPage adds the tracer of a list of transactions.
func tracedTransactionPage[In any](a *API, id string) {
	traced(a.Engine, id, func(_ context.Context, _ *snapshot, _ In, page *offsetPage[transactionBody]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		rows := make([]*transactionRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].row
		}
		return transactionLookups(rows, nil), nil
	})
}

// atHeight is the canonical block at a height.
const atHeight = `SELECT block_seq AS source_seq FROM {chain}.canonical WHERE height = $1`

// blockChoice chooses a block by an argument, the first one of its query.
type blockChoice struct {
	// sql is a query for at most one row: the key of the block.
	sql string
	arg any
}

// canonicalBlock chooses the canonical block that is named; ok is false when there can't be one.
func canonicalBlock(s *snapshot, named heightOrHash) (choice blockChoice, ok bool) {
	chain, ok := s.tip("chain")
	if !ok {
		return choice, false
	}
	switch latest, height, id := named.parse(); {
	case latest:
		return blockChoice{atHeight, *chain.Height}, true
	case height != nil:
		return blockChoice{atHeight, *height}, true
	case id != nil:
		return blockChoice{`SELECT b.source_seq FROM {chain}.block b JOIN {chain}.canonical c ON c.block_seq = b.source_seq
			WHERE b.index_block_hash = $1 OR b.block_hash = $1 LIMIT 1`, *id}, true
	}
	return choice, false
}

// anyBlock chooses the block with a hash: the canonical one, else the highest, and of several the one that came last.
func anyBlock(id hash.Hash32) blockChoice {
	return blockChoice{`SELECT b.source_seq FROM {chain}.block b LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq
		WHERE b.index_block_hash = $1 OR b.block_hash = $1
		ORDER BY c.height IS NOT NULL DESC, b.height DESC, b.source_seq DESC LIMIT 1`, id}
}

// chosenBlock is what there is to know of a block whose transactions are listed.
type chosenBlock struct {
	height, burnHeight int64
	txCount            int32
	canonical          bool
}

func queueChosenBlock(b *batch, choice blockChoice) *result[chosenBlock] {
	return query(b, func(c *chosenBlock) []any { return []any{&c.height, &c.burnHeight, &c.txCount, &c.canonical} }, `
		SELECT array_remove(ARRAY[b.source_seq, c.source_seq], NULL), b.height, b.burn_block_height, b.tx_count, c.height IS NOT NULL
		FROM (`+choice.sql+`) chosen
		JOIN {chain}.block b ON b.source_seq = chosen.source_seq
		LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq`, choice.arg)
}

// listOfBlock reads a page of the transactions of a block. They are numbered in the order of execution, which is the order
// of positions, so that the page is a range of numbers.
//
// The reference's total is 0 on a page that is empty, or the answer then is that there is no such block; here it is the
// number of the block's transactions on any page.
func (a *API) listOfBlock(ctx context.Context, s *snapshot, choice blockChoice, page *offsetPage[transactionBody], lastFirst bool, how rendering) (*chosenBlock, error) {
	first, order := `$2::bigint`, ``
	if lastFirst {
		first, order = `b.tx_count - $2::bigint - $3::bigint`, ` DESC`
	}
	b := s.batch()
	chosen := queueChosenBlock(b, choice)
	found := query(b, transactionColumns, `
		SELECT `+transactionSQL+`
		FROM (`+choice.sql+`) chosen
		JOIN {chain}.transaction t ON t.source_seq = chosen.source_seq`+transactionBlocksSQL+`
		WHERE t.execution_index >= `+first+` AND t.execution_index < `+first+` + $3::bigint
		ORDER BY t.execution_index`+order, choice.arg, min(page.Offset, offsetMost), int64(page.Limit))
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	block, ok := chosen.first()
	if !ok {
		return nil, nil
	}
	rows := rowsOf(found)
	var err error
	if how.interfaces, err = complete(ctx, s, rows, false, nil); err != nil {
		return nil, err
	}
	page.Total = int64(block.txCount)
	for _, r := range rows {
		page.Results = append(page.Results, renderTransaction(r, how))
	}
	return &block, nil
}

func newTransactionPage(limit int, offset int64) *offsetPage[transactionBody] {
	return &offsetPage[transactionBody]{Limit: orDefault(limit, blockTransactionsLimit), Offset: offset, Results: []transactionBody{}}
}

func (a *API) listTransactionsByHash(ctx context.Context, s *snapshot, in *transactionsByHashInput) (*offsetPage[transactionBody], error) {
	id, err := in.Block.hash()
	if err != nil {
		return nil, err
	}
	missing := notFound("no block found by hash")
	if _, ok := s.tip("chain"); !ok {
		return nil, missing
	}
	page := newTransactionPage(in.Limit, in.Offset)
	block, err := a.listOfBlock(ctx, s, anyBlock(id), page, true, rendering{withoutArguments: in.ExcludeFunctionArgs})
	switch {
	case err != nil:
		return nil, err
	case block == nil:
		return nil, missing
	case block.canonical:
		s.settles(block.burnHeight)
	}
	return page, nil
}

func (a *API) listTransactionsByHeight(ctx context.Context, s *snapshot, in *transactionsByHeightInput) (*offsetPage[transactionBody], error) {
	missing := notFound("no block found at height %d", in.Height)
	if _, ok := s.tip("chain"); !ok {
		return nil, missing
	}
	page := newTransactionPage(in.Limit, in.Offset)
	block, err := a.listOfBlock(ctx, s, blockChoice{atHeight, in.Height}, page, true, rendering{withoutArguments: in.ExcludeFunctionArgs})
	if err != nil {
		return nil, err
	}
	if block == nil {
		return nil, missing
	}
	s.settles(block.burnHeight)
	return page, nil
}

func (a *API) listBlockTransactions(ctx context.Context, s *snapshot, in *blockTransactionsInput) (*offsetPage[transactionBody], error) {
	choice, ok := canonicalBlock(s, in.Block)
	if !ok {
		return nil, notFound("Block not found")
	}
	page := newTransactionPage(in.Limit, in.Offset)
	block, err := a.listOfBlock(ctx, s, choice, page, false, rendering{})
	if err != nil {
		return nil, err
	}
	if block == nil {
		return nil, notFound("Block not found")
	}
	if in.Block != "latest" {
		s.settles(block.burnHeight)
	}
	return page, nil
}
