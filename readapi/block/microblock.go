package block

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

const microblocksLimit = 20

type microblocksInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"200" default:"20" doc:"Page size; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip."`
}

type microblockInput struct {
	Hash param.HashParameter `path:"hash"`
}

// microblock is a microblock in version 1 of the API. The server never returns one.
type microblock struct {
	MicroblockHash hash.Hash32 `json:"microblock_hash"`
}

// unanchoredPage is the list of the transactions that are in microblocks only.
type unanchoredPage struct {
	Total   int                    `json:"total"`
	Results []view.TransactionBody `json:"results" nullable:"false"`
}

// registerMicroblocks registers the endpoints of streamed microblocks, which always answer that there are none: none
// has been streamed since Stacks 2.5. An answer about a block names the microblocks that the block confirms.
func (a *api) registerMicroblocks() {
	about := "Microblocks no longer exist. `/extended/v1/block/{hash}` lists those that a block has confirmed."
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "list-microblocks", Path: "/extended/v1/microblock", Tag: "Blocks", Summary: "Streamed microblocks: always none", Description: about,
		Statuses: []int{http.StatusBadRequest}, Deprecated: true, Untraced: engine.PartOfProgram,
	}, func(_ context.Context, in *microblocksInput) (*page.OffsetPage[microblock], error) {
		return &page.OffsetPage[microblock]{Limit: page.LimitOr(in.Limit, microblocksLimit), Offset: in.Offset, Results: []microblock{}}, nil
	})
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-microblock", Path: "/extended/v1/microblock/{hash}", Tag: "Blocks", Summary: "A streamed microblock: never found", Description: about,
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true, Untraced: engine.PartOfProgram,
	}, func(context.Context, *microblockInput) (*microblock, error) {
		return nil, engine.NotFound("cannot find microblock by hash")
	})
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "list-unanchored-transactions", Path: "/extended/v1/microblock/unanchored/txs", Tag: "Blocks", Summary: "Transactions that are only in streamed microblocks: always none", Description: about,
		Deprecated: true, Untraced: engine.PartOfProgram,
	}, func(context.Context, *struct{}) (*unanchoredPage, error) {
		return &unanchoredPage{Results: []view.TransactionBody{}}, nil
	})
}
