package mempool

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"strata/domain/clarity"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

const mempoolLimit = 20

// MempoolInput says which transactions that wait to be mined are asked for, and in which order.
type MempoolInput struct {
	page.PageInput
	Sender    string `query:"sender_address" doc:"Those that this address sends."`
	Recipient string `query:"recipient_address" doc:"Those that transfer STX to this principal, or call or deploy this contract."`
	Address   string `query:"address" doc:"Those of either kind."`
	OrderBy   string `query:"order_by" enum:"age,size,fee" default:"age" doc:"By when they were received, by their size in bytes, or by their fee."`
	Order     string `query:"order" enum:"asc,desc" default:"desc" doc:"The least first, or the greatest: of ages the newest."`
	param.TransactionOptions
}

type mempoolOfInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	page.PageInput
	param.TransactionOptions
}

func (in *mempoolOfInput) Dependencies() engine.Dependencies {
	return engine.OnTip("chain").With("mempool", shard.Account(string(in.Principal)))
}

type droppedInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Page size; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" maximum:"10000" default:"0" doc:"Number of rows to skip."`
	param.TransactionOptions
}

// ofMempool is what lists of the mempool are made of: also the interfaces of contracts that are called.
func ofMempool() engine.Dependencies { return engine.OnTip("chain").With("mempool", shard.Mempool) }

func (a *api) registerMempoolLists() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool", Path: "/extended/v1/tx/mempool", Tag: "Mempool", Summary: "Transactions that wait to be mined",
		Description: "Of as many nodes as announce theirs. " + engine.Instead("/extended/v3/mempool/transactions"), Statuses: []int{http.StatusBadRequest},
		Class: answer.Mempool, DependsOn: ofMempool(), TagByContent: true, Deprecated: true,
	}, a.listMempool)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-dropped", Path: "/extended/v1/tx/mempool/dropped", Tag: "Mempool", Summary: "Transactions that were dropped, those that were received last first",
		Description: "What nodes dropped, what was replaced by what was mined, and what became too old. `offset` reaches as far as 10,000.",
		Statuses:    []int{http.StatusBadRequest},
		Class:       answer.Mempool, DependsOn: ofMempool(), TagByContent: true,
	}, a.listDropped)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool-of", Path: "/extended/v1/address/{principal}/mempool", Tag: "Mempool", Summary: "Transactions of an account that wait to be mined",
		Description: "It sends them, they transfer STX to it, or they call or deploy it. " + engine.Instead("/extended/v3/principals/{principal}/mempool/transactions"),
		Statuses:    []int{http.StatusBadRequest}, Class: answer.Mempool, TagByContent: true, Deprecated: true,
	}, a.listMempoolOf)
	tracedWaitingPage[*MempoolInput](a, "list-mempool")
	tracedWaitingPage[*droppedInput](a, "list-dropped")
	tracedWaitingPage[*mempoolOfInput](a, "list-mempool-of")
}

func tracedWaitingPage[In any](a *api, id string) {
	engine.Trace(a.Engine, id, func(_ context.Context, _ *engine.Snapshot, _ In, page *page.OffsetPage[view.WaitingBody]) ([]engine.Lookup, error) {
		if page == nil {
			return nil, nil
		}
		rows := make([]*view.WaitingRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].Row
		}
		return view.WaitingLookups(rows), nil
	})
}

// placeholder names an argument of a query.
func placeholder(n int) string { return "$" + strconv.Itoa(n) }

// mempoolOrders are columns and indexes of lists of the mempool.
var mempoolOrders = map[string]string{"age": "receipt_time", "size": "size", "fee": "fee"}

// partOfMempool chooses transactions that wait: by conditions of which one has to hold. There are so many as nodes keep, and
// each condition is a range of an index.
type partOfMempool struct {
	// any are conditions on a transaction p, with the arguments args; all of the mempool when there is none.
	any  []string
	args []any
}

// concerned chooses what is about an account.
func concerned(account string) partOfMempool {
	return partOfMempool{any: []string{"p.sender = $1", "p.recipient = $1", "p.contract_id = $1"}, args: []any{account}}
}

// sql is a query for the chosen transactions, each once.
func (p partOfMempool) sql() string {
	const each = `SELECT p.receipt_time, p.size, p.fee, p.txid FROM {mempool}.transaction p WHERE p.status = 'pending'`
	if len(p.any) == 0 {
		return each
	}
	queries := make([]string, len(p.any))
	for i, condition := range p.any {
		queries[i] = each + " AND " + condition
	}
	return strings.Join(queries, " UNION ")
}

func (a *api) listMempool(ctx context.Context, s *engine.Snapshot, in *MempoolInput) (*page.OffsetPage[view.WaitingBody], error) {
	part, err := in.part()
	if err != nil {
		return nil, err
	}
	return a.mempoolPage(ctx, s, part, mempoolOrders[in.OrderBy], in.Order == "asc", in.PageInput, in.TransactionOptions)
}

func (a *api) listMempoolOf(ctx context.Context, s *engine.Snapshot, in *mempoolOfInput) (*page.OffsetPage[view.WaitingBody], error) {
	account, err := in.Principal.Account()
	if err != nil {
		return nil, engine.BadRequest("Invalid query parameter, not a valid principal")
	}
	return a.mempoolPage(ctx, s, concerned(account), mempoolOrders["age"], false, in.PageInput, in.TransactionOptions)
}

// part is what the filters of a request choose.
func (in *MempoolInput) part() (p partOfMempool, err error) {
	for _, name := range []string{in.Sender, in.Recipient, in.Address} {
		if parsed, err := clarity.ParsePrincipal(name); name != "" && (err != nil || parsed.String() != name) {
			return p, engine.BadRequest(`Error: Invalid query parameter: "%s" is not a valid STX address or principal`, name)
		}
	}
	switch {
	case in.Address != "" && (in.Sender != "" || in.Recipient != ""):
		return p, engine.BadRequest(`The "address" filter cannot be specified with other address filters`)
	case in.Address != "":
		return concerned(in.Address), nil
	case in.Sender != "" && in.Recipient != "":
		return partOfMempool{any: []string{"p.sender = $1 AND (p.recipient = $2 OR p.contract_id = $2)"}, args: []any{in.Sender, in.Recipient}}, nil
	case in.Sender != "":
		return partOfMempool{any: []string{"p.sender = $1"}, args: []any{in.Sender}}, nil
	case in.Recipient != "":
		return partOfMempool{any: []string{"p.recipient = $1", "p.contract_id = $1"}, args: []any{in.Recipient}}, nil
	}
	return p, nil
}

// count is a query for how many transactions are chosen. All that wait are counted when they come and go.
func (p partOfMempool) count() string {
	if len(p.any) == 0 {
		return `SELECT ARRAY[]::bigint[], coalesce(sum(n), 0)::bigint FROM {mempool}.counter WHERE status = 'pending'`
	}
	return `SELECT ARRAY[]::bigint[], count(*) FROM (` + p.sql() + `) p`
}

func (a *api) mempoolPage(ctx context.Context, s *engine.Snapshot, part partOfMempool, order string, ascending bool, in page.PageInput, how param.TransactionOptions) (*page.OffsetPage[view.WaitingBody], error) {
	list := &page.OffsetPage[view.WaitingBody]{Limit: page.LimitOr(in.Limit, mempoolLimit), Offset: in.Offset, Results: []view.WaitingBody{}}
	if !view.KnowsMempool(s) {
		return list, nil
	}
	direction := " DESC"
	if ascending {
		direction = ""
	}
	n := len(part.args)
	sorted := "p." + order + direction + ", p.txid" + direction
	from := `FROM (` + part.sql() + ` ORDER BY ` + order + direction + `, txid` + direction + ` LIMIT ` + placeholder(n+1) + `::bigint OFFSET ` + placeholder(n+2) + `::bigint) p
		JOIN {mempool}.transaction w ON w.txid = p.txid ORDER BY ` + sorted
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, part.count(), part.args...)
	found := engine.Query(b, view.WaitingColumns, `SELECT `+view.WaitingSQL+from, append(slices.Clone(part.args), int64(list.Limit), min(in.Offset, page.OffsetMax))...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Total, _ = total.First()
	return list, a.showWaiting(ctx, s, list, found, how)
}

// showWaiting puts rows into a page.
func (a *api) showWaiting(ctx context.Context, s *engine.Snapshot, page *page.OffsetPage[view.WaitingBody], found *engine.Result[view.WaitingRow], how param.TransactionOptions) error {
	rows := waitingRowsOf(found)
	if len(rows) == 0 {
		return nil
	}
	interfaces, err := view.Complete(ctx, s, rows, false, nil)
	if err != nil {
		return err
	}
	for i := range found.Rows {
		page.Results = append(page.Results, view.RenderWaiting(&found.Rows[i], view.Rendering{Interfaces: interfaces, WithoutArguments: how.ExcludeFunctionArgs}))
	}
	return nil
}

// waitingRowsOf are the rows of a result, to be completed in place.
func waitingRowsOf(found *engine.Result[view.WaitingRow]) []*view.TransactionRow {
	rows := make([]*view.TransactionRow, len(found.Rows))
	for i := range found.Rows {
		rows[i] = &found.Rows[i].TransactionRow
	}
	return rows
}

func (a *api) listDropped(ctx context.Context, s *engine.Snapshot, in *droppedInput) (*page.OffsetPage[view.WaitingBody], error) {
	page := &page.OffsetPage[view.WaitingBody]{Limit: page.LimitOr(in.Limit, mempoolLimit), Offset: in.Offset, Results: []view.WaitingBody{}}
	if !view.KnowsMempool(s) {
		return page, nil
	}
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], coalesce(sum(n), 0)::bigint FROM {mempool}.counter WHERE status <> 'pending'`)
	found := engine.Query(b, view.WaitingColumns, `
		SELECT `+view.WaitingSQL+`
		FROM (
			SELECT txid, receipt_time FROM {mempool}.transaction WHERE status NOT IN ('pending', 'mined')
			ORDER BY receipt_time DESC, txid DESC LIMIT $1::bigint OFFSET $2::bigint
		) p
		JOIN {mempool}.transaction w ON w.txid = p.txid
		ORDER BY p.receipt_time DESC, p.txid DESC`, int64(page.Limit), in.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.First()
	return page, a.showWaiting(ctx, s, page, found, in.TransactionOptions)
}
