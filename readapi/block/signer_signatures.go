package block

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

const signaturesLimit = 500

type signerSignaturesInput struct {
	param.BlockInput
	Limit  int   `query:"limit" minimum:"0" maximum:"1000" default:"500" doc:"Page size; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip."`
}

// signaturePage is a page of the signer signatures of a block.
type signaturePage struct {
	Limit   int            `json:"limit"`
	Offset  int64          `json:"offset"`
	Total   int64          `json:"total" doc:"Number of rows in the whole list."`
	Results []view.HexText `json:"results" nullable:"false"`
}

func (a *api) registerSignerSignatures() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-signer-signatures", Path: "/extended/v2/blocks/{height_or_hash}/signer-signatures", Tag: "Blocks", Summary: "Signer signatures of a block",
		Description: "In the order of the block's header. Nodes may hold different signatures of the same block. The list is empty for a block before Nakamoto and for an unknown block.",
		Statuses:    []int{http.StatusBadRequest},
	}, listSignerSignatures)
}

func listSignerSignatures(ctx context.Context, s *engine.Snapshot, in *signerSignaturesInput) (*signaturePage, error) {
	limit := page.LimitOr(in.Limit, signaturesLimit)
	list := &signaturePage{Limit: limit, Offset: in.Offset, Results: []view.HexText{}}
	choice, ok := view.CanonicalBlock(s, in.Block)
	if !ok {
		return list, nil
	}
	var signatures [][]byte
	b := s.Batch()
	found := engine.Query(b, func(r *view.Block) []any {
		return []any{&r.Height, &r.IndexBlockHash, &r.BurnBlockHeight, &list.Total, &signatures}
	}, `
		SELECT {chain.block b, chain.canonical c}, b.height, b.index_block_hash, b.burn_block_height, coalesce(cardinality(b.signer_signatures), 0),
		       coalesce(b.signer_signatures[$2::int + 1:$2::int + $3::int], ARRAY[]::bytea[])
		FROM (`+choice.SQL+`) chosen
		JOIN {chain}.block b ON b.source_seq = chosen.source_seq
		JOIN {chain}.canonical c ON c.block_seq = chosen.source_seq`, choice.Arg, min(in.Offset, page.OffsetMax/2), limit)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if block, ok := found.First(); ok {
		if in.Block != "latest" {
			s.FinalAt(block.BurnBlockHeight)
		}
	}
	for _, signature := range signatures {
		list.Results = append(list.Results, view.HexOf(signature))
	}
	return list, nil
}
