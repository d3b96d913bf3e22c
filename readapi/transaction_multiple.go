package readapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

// idsMost is how many things can be asked for by their ids at once.
const idsMost = 200

// transactionIDs are ids of transactions in a request, as a list; a comma parts them, too.
type transactionIDs []string

// Schema implements huma.SchemaProvider. Which texts are ids is not said here: clients know another error for those that
// are none.
func (transactionIDs) Schema(huma.Registry) *huma.Schema {
	s := listOf("Ids of transactions, 200 at most. To ask for several, repeat the parameter, or part them by commas.", &huma.Schema{
		Type: huma.TypeString, Examples: []any{"0x23035f354a070a3e63d9d786f97b45ab3ac0b8a5f5cbbda5ca9fbb1b34f55c92"},
	})
	s.MaxItems = ptr(idsMost)
	return s
}

// hashes are the ids, each once, in the order of the request.
func (p transactionIDs) hashes() ([]hash.Hash32, error) {
	var ids []hash.Hash32
	seen := map[hash.Hash32]bool{}
	for _, text := range parted(p) {
		id, err := hash.Parse32(text)
		if err != nil {
			return nil, badRequest("Invalid hash characters")
		}
		if !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
		if len(ids) > idsMost {
			return nil, invalid("querystring/tx_id must NOT have more than %d items", idsMost)
		}
	}
	if len(ids) == 0 {
		return nil, badRequest("Invalid hash characters") // tx_id is there, and empty
	}
	return ids, nil
}

// parted are the items of a list, of which each may be several that commas part.
func parted(items []string) []string {
	var all []string
	for _, item := range items {
		all = append(all, strings.Split(item, ",")...)
	}
	return all
}

type transactionsInput struct {
	IDs transactionIDs `query:"tx_id,explode" required:"true"`
	EventWindow
	TransactionOptions
}

func (in *transactionsInput) Dependencies() dependencies {
	ids, _ := in.IDs.hashes() // what is wrong with them is the handler's to say
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = shard.Transaction(id)
	}
	return onTip("chain").with("mempool", names...)
}

// soughtTransaction is what became of the search for a transaction.
type soughtTransaction struct {
	Found  bool              `json:"found"`
	Result transactionOrLess `json:"result" doc:"The transaction; when it is not found, its id alone."`
}

// transactionOrLess is a transaction or, when there is none, its id.
type transactionOrLess struct {
	found *shownTransaction
	id    missingTransaction
}

// missingTransaction is a transaction that was not found.
type missingTransaction struct {
	TxID hash.Hash32 `json:"tx_id"`
}

// Schema implements huma.SchemaProvider.
func (transactionOrLess) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{shownTransaction{}.Schema(r), r.Schema(reflect.TypeFor[missingTransaction](), true, "")}}
}

// MarshalJSON implements json.Marshaler.
func (t transactionOrLess) MarshalJSON() ([]byte, error) {
	if t.found != nil {
		return encode(t.found)
	}
	return encode(t.id)
}

func (a *API) registerTransactions() {
	get(a.Engine, resource{
		id: "get-transactions", path: "/extended/v1/tx/multiple", tag: "Transactions", summary: "Many transactions by their ids",
		about:    "The answer has a member for each id. What was said of one transaction holds for each: the canonical copy, or how it waits, or the newest orphaned one.",
		statuses: []int{http.StatusBadRequest},
		class:    answer.Tip, of: onTip("chain"), taggedByContent: true,
	}, a.getTransactions)
	traced(a.Engine, "get-transactions", func(_ context.Context, _ *snapshot, _ *transactionsInput, found map[string]soughtTransaction) ([]lookup, error) {
		var rows []*transactionRow
		var waiting []*waitingRow
		var events []eventKey
		for _, sought := range found {
			switch tx := sought.Result.found; {
			case tx == nil:
			case tx.waiting != nil:
				waiting = append(waiting, tx.waiting.row)
			default:
				rows, events = append(rows, tx.mined.row), append(events, eventKeys(tx.mined.Events)...)
			}
		}
		if len(rows) == 0 {
			return waitingLookups(waiting), nil
		}
		return append(transactionLookups(rows, events), waitingLookups(waiting)...), nil
	})
}

// getTransactions reads transactions. The reference says of one whose copies are all orphaned that it is not found; here it is
// shown as waiting or orphaned, as it is when it is asked for alone.
func (a *API) getTransactions(ctx context.Context, s *snapshot, in *transactionsInput) (map[string]soughtTransaction, error) {
	ids, err := in.IDs.hashes()
	if err != nil {
		return nil, err
	}
	all := make(map[string]soughtTransaction, len(ids))
	for _, id := range ids {
		all[id.String()] = soughtTransaction{Result: transactionOrLess{id: missingTransaction{id}}}
	}
	found, err := seek(ctx, s, ids...)
	if err != nil || len(found) == 0 {
		return all, err
	}
	var rows []*transactionRow
	var withEvents []rowKey
	for _, id := range ids {
		r := found[id].chosen()
		if r == nil {
			continue
		}
		rows = append(rows, r)
		if in.EventOffset < int64(r.eventCount) {
			withEvents = append(withEvents, r.rowKey)
		}
	}
	var events *result[eventRow]
	var window func(b *batch)
	if len(withEvents) > 0 {
		window = func(b *batch) {
			events = queueEventWindow(b, withEvents, in.EventOffset, orDefault(in.EventLimit, eventsLimit))
		}
	}
	interfaces, err := complete(ctx, s, rows, false, window)
	if err != nil {
		return nil, err
	}
	var shown map[rowKey][]eventRow
	if events != nil {
		shown = byTransaction(events.rows)
	}
	how := rendering{interfaces, in.ExcludeFunctionArgs}
	for id, r := range found {
		tx := &shownTransaction{}
		if r.waiting != nil {
			waiting := renderWaiting(r.waiting, how)
			tx.waiting = &waiting
		} else {
			mined := renderTransaction(r.mined, how)
			mined.Events = renderEvents(shown[r.mined.rowKey], id)
			tx.mined = &mined
		}
		all[id.String()] = soughtTransaction{Found: true, Result: transactionOrLess{found: tx}}
	}
	return all, nil
}
