package transaction

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// batchMax is the maximum number of transactions of one batch.
const batchMax = 20

// batchIDs is the query parameter that names the transactions of a batch. It may be repeated, and each text may hold
// several ids separated by commas.
type batchIDs []string

// Schema implements huma.SchemaProvider. It sets no pattern, because a text may hold several ids; hashes checks each.
func (batchIDs) Schema(huma.Registry) *huma.Schema {
	s := schema.ListOf("Transaction ids, at most 20. Repeat the parameter or separate the ids with commas.", &huma.Schema{
		Type: huma.TypeString, Examples: []any{"0x23035f354a070a3e63d9d786f97b45ab3ac0b8a5f5cbbda5ca9fbb1b34f55c92"},
	})
	s.MaxItems = schema.Ptr(batchMax)
	return s
}

// hashes returns the distinct ids, in the order of the request.
func (p batchIDs) hashes() (ids []hash.Hash32, err error) {
	all := param.SplitList(p)
	if len(all) > batchMax {
		return nil, engine.Invalid("querystring/tx_id must NOT have more than %d items", batchMax)
	}
	for i, text := range all {
		id, err := hash.Parse32(text)
		if err != nil {
			return nil, engine.Invalid(`querystring/tx_id/%d must match pattern "%s"`, i, param.HashPattern)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

type batchInput struct {
	IDs     batchIDs      `query:"tx_id,explode" required:"true"`
	Include view.Included `query:"include,explode"`
}

// transactionBatch holds the mined transactions among those that were requested.
type transactionBatch struct {
	Results []*view.TransactionV3 `json:"results" nullable:"false" doc:"Newest first."`
}

func (a *api) registerTransactionBatch() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-transaction-batch", Path: "/extended/v3/transactions/batch", Tag: "Transactions", Summary: "Mined transactions by their ids, newest first",
		Description: "Unknown, pending and orphaned transactions are left out.",
		Statuses:    []int{http.StatusBadRequest},
	}, listTransactionBatch)
}

func listTransactionBatch(ctx context.Context, s *engine.Snapshot, in *batchInput) (*transactionBatch, error) {
	batch := &transactionBatch{Results: []*view.TransactionV3{}}
	ids, err := in.IDs.hashes()
	if err != nil {
		return nil, err
	}
	if _, ok := s.Tip("chain"); !ok {
		return batch, nil
	}
	b := s.Batch()
	found := view.QueueTransactions(b, ids)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := slices.DeleteFunc(view.RowsOf(found), func(r *view.TransactionRow) bool { return !r.Canonical })
	slices.SortFunc(rows, func(a, b *view.TransactionRow) int {
		return cmp.Or(cmp.Compare(b.Height, a.Height), cmp.Compare(b.Execution, a.Execution))
	})
	if len(rows) == 0 {
		return batch, nil
	}
	if _, err := view.Complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	for _, r := range rows {
		batch.Results = append(batch.Results, view.RenderTransactionV3(r, in.Include))
	}
	return batch, nil
}
