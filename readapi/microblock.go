package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
)

const microblocksLimit = 20

type microblocksInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"200" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

type microblockInput struct {
	Hash hashParameter `path:"hash"`
}

// microblock is what version 1 of the API has of a microblock.
type microblock struct {
	MicroblockHash hash.Hash32 `json:"microblock_hash"`
}

// unanchoredPage are the transactions that are in microblocks alone.
type unanchoredPage struct {
	Total   int               `json:"total"`
	Results []transactionBody `json:"results" nullable:"false"`
}

// registerMicroblocks adds reads of streamed microblocks. There have been none since Stacks 2.5; those that a block confirms
// are told with the block.
func (a *API) registerMicroblocks() {
	about := "There are no microblocks any more. Those that a block has confirmed are told by " + "`/extended/v1/block/{hash}`."
	getPlain(a.Engine, resource{
		id: "list-microblocks", path: "/extended/v1/microblock", tag: "Blocks", summary: "Microblocks that are streamed: none", about: about,
		statuses: []int{http.StatusBadRequest}, deprecated: true,
	}, func(_ context.Context, in *microblocksInput) (*offsetPage[microblock], error) {
		return &offsetPage[microblock]{Limit: orDefault(in.Limit, microblocksLimit), Offset: in.Offset, Results: []microblock{}}, nil
	})
	getPlain(a.Engine, resource{
		id: "get-microblock", path: "/extended/v1/microblock/{hash}", tag: "Blocks", summary: "A microblock that is streamed: none", about: about,
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, deprecated: true,
	}, func(context.Context, *microblockInput) (*microblock, error) {
		return nil, notFound("cannot find microblock by hash")
	})
	getPlain(a.Engine, resource{
		id: "list-unanchored-transactions", path: "/extended/v1/microblock/unanchored/txs", tag: "Blocks", summary: "Transactions in streamed microblocks alone: none", about: about,
		deprecated: true,
	}, func(context.Context, *struct{}) (*unanchoredPage, error) {
		return &unanchoredPage{Results: []transactionBody{}}, nil
	})
}
