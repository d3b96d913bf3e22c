package transaction

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// transactionIDs is the query parameter that names transactions. It may be repeated, and each text may hold several ids
// separated by commas.
type transactionIDs []string

// Schema implements huma.SchemaProvider. It sets no pattern, because clients expect another error for a malformed id
// than that of the schema.
func (transactionIDs) Schema(huma.Registry) *huma.Schema {
	s := schema.ListOf("Ids of transactions, 200 at most. To name several, repeat the parameter or separate the ids with commas.", &huma.Schema{
		Type: huma.TypeString, Examples: []any{"0x23035f354a070a3e63d9d786f97b45ab3ac0b8a5f5cbbda5ca9fbb1b34f55c92"},
	})
	s.MaxItems = schema.Ptr(param.IDsMax)
	return s
}

// hashes returns the ids in the order of the request, without duplicates.
func (p transactionIDs) hashes() ([]hash.Hash32, error) {
	var ids []hash.Hash32
	seen := map[hash.Hash32]bool{}
	for _, text := range param.SplitList(p) {
		id, err := hash.Parse32(text)
		if err != nil {
			return nil, engine.BadRequest("Invalid hash characters")
		}
		if !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
		if len(ids) > param.IDsMax {
			return nil, engine.Invalid("querystring/tx_id must NOT have more than %d items", param.IDsMax)
		}
	}
	if len(ids) == 0 {
		return nil, engine.BadRequest("Invalid hash characters") // tx_id is given but empty
	}
	return ids, nil
}

type transactionsInput struct {
	IDs transactionIDs `query:"tx_id,explode" required:"true"`
	EventWindow
	param.TransactionOptions
}

// Dependencies returns the tip of the chain, and what the mempool has of the transactions.
func (in *transactionsInput) Dependencies() engine.Dependencies {
	ids, _ := in.IDs.hashes() // the handler reports invalid ids
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = shard.Transaction(id)
	}
	return engine.OnTip("chain").With("mempool", names...)
}

// soughtTransaction is the result for one of the requested ids.
type soughtTransaction struct {
	Found  bool              `json:"found"`
	Result transactionOrLess `json:"result" doc:"The transaction, or its id alone when it is not found."`
}

// transactionOrLess is a transaction, or its id when it was not found.
type transactionOrLess struct {
	found *view.ShownTransaction
	id    missingTransaction
}

// missingTransaction is the id of a transaction that was not found.
type missingTransaction struct {
	TxID hash.Hash32 `json:"tx_id"`
}

// Schema implements huma.SchemaProvider.
func (transactionOrLess) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Title: "SoughtResult", AnyOf: []*huma.Schema{view.ShownTransaction{}.Schema(r), r.Schema(reflect.TypeFor[missingTransaction](), true, "")}}
}

// MarshalJSON implements json.Marshaler.
func (t transactionOrLess) MarshalJSON() ([]byte, error) {
	if t.found != nil {
		return engine.Encode(t.found)
	}
	return engine.Encode(t.id)
}

func (a *api) registerTransactions() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-transactions", Path: "/extended/v1/tx/multiple", Tag: "Transactions", Summary: "Many transactions by their ids",
		Description: "The answer has a member for each id. Each shows the canonical copy, else the transaction as it waits in the mempool or was dropped from it, else its newest orphaned copy.",
		Statuses:    []int{http.StatusBadRequest},
	}, a.getTransactions)
}

// getTransactions reads several transactions. The reference reports a transaction without a canonical copy as not
// found. Here it is shown as waiting or orphaned, just as getTransaction shows it.
func (a *api) getTransactions(ctx context.Context, s *engine.Snapshot, in *transactionsInput) (map[string]soughtTransaction, error) {
	ids, err := in.IDs.hashes()
	if err != nil {
		return nil, err
	}
	all := make(map[string]soughtTransaction, len(ids))
	for _, id := range ids {
		all[id.String()] = soughtTransaction{Result: transactionOrLess{id: missingTransaction{id}}}
	}
	found, err := view.FindTransactions(ctx, s, ids...)
	if err != nil || len(found) == 0 {
		return all, err
	}
	var rows []*view.TransactionRow
	var withEvents []view.RowKey
	for _, id := range ids {
		r := found[id].Chosen()
		if r == nil {
			continue
		}
		rows = append(rows, r)
		if in.EventOffset < int64(r.EventCount) {
			withEvents = append(withEvents, r.RowKey)
		}
	}
	var events *engine.Result[view.EventRow]
	var window func(b *engine.Batch)
	if len(withEvents) > 0 {
		window = func(b *engine.Batch) {
			events = view.QueueEventWindow(b, withEvents, in.EventOffset, page.LimitOr(in.EventLimit, page.EventsLimit))
		}
	}
	interfaces, err := view.Complete(ctx, s, rows, false, window)
	if err != nil {
		return nil, err
	}
	var shown map[view.RowKey][]view.EventRow
	if events != nil {
		shown = view.ByTransaction(events.Rows)
	}
	how := view.Rendering{Interfaces: interfaces, WithoutArguments: in.ExcludeFunctionArgs}
	for id, r := range found {
		tx := &view.ShownTransaction{}
		if r.Waiting != nil {
			waiting := view.RenderWaiting(r.Waiting, how)
			tx.Waiting = &waiting
		} else {
			mined := view.RenderTransaction(r.Mined, how)
			mined.Events = view.RenderEvents(shown[r.Mined.RowKey], id)
			tx.Mined = &mined
		}
		all[id.String()] = soughtTransaction{Found: true, Result: transactionOrLess{found: tx}}
	}
	return all, nil
}
