package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

const signaturesLimit = 500

type signerSignaturesInput struct {
	BlockInput
	Limit  int   `query:"limit" minimum:"0" maximum:"1000" default:"500" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

// signaturePage is a page of signatures with the block that they are of.
type signaturePage struct {
	Limit   int       `json:"limit"`
	Offset  int64     `json:"offset"`
	Total   int64     `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []hexText `json:"results" nullable:"false"`

	of *block
}

func (a *API) registerSignerSignatures() {
	get(a.Engine, resource{
		id: "list-signer-signatures", path: "/extended/v2/blocks/{height_or_hash}/signer-signatures", tag: "Blocks", summary: "The signatures of the signers of a block",
		about:    "In the order of the block's header. Nodes may have different ones of the same block. There are none of blocks before Nakamoto, and of blocks that are not known.",
		statuses: []int{http.StatusBadRequest}, class: answer.Tip,
	}, listSignerSignatures)
	traced(a.Engine, "list-signer-signatures", func(_ context.Context, _ *snapshot, _ *signerSignaturesInput, page *signaturePage) ([]lookup, error) {
		if page == nil || page.of == nil {
			return nil, nil
		}
		return blockLookups([]block{*page.of}), nil
	})
}

func listSignerSignatures(ctx context.Context, s *snapshot, in *signerSignaturesInput) (*signaturePage, error) {
	limit := orDefault(in.Limit, signaturesLimit)
	page := &signaturePage{Limit: limit, Offset: in.Offset, Results: []hexText{}}
	choice, ok := canonicalBlock(s, in.Block)
	if !ok {
		return page, nil
	}
	var signatures [][]byte
	b := s.batch()
	found := query(b, func(r *block) []any {
		return []any{&r.Height, &r.IndexBlockHash, &r.BurnBlockHeight, &page.Total, &signatures}
	}, `
		SELECT ARRAY[b.source_seq], b.height, b.index_block_hash, b.burn_block_height, coalesce(cardinality(b.signer_signatures), 0),
		       coalesce(b.signer_signatures[$2::int + 1:$2::int + $3::int], ARRAY[]::bytea[])
		FROM (`+choice.sql+`) chosen
		JOIN {chain}.block b ON b.source_seq = chosen.source_seq`, choice.arg, min(in.Offset, offsetMost/2), limit)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	if of, ok := found.first(); ok {
		page.of = &of
		if in.Block != "latest" {
			s.settles(of.BurnBlockHeight)
		}
	}
	for _, signature := range signatures {
		page.Results = append(page.Results, hexOf(signature))
	}
	return page, nil
}
