package mempool

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"strata/domain/clarity"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

const mempoolLimit = 20

// MempoolInput holds the query parameters of a list of pending transactions: page, filters and order.
type MempoolInput struct {
	page.PageInput
	Sender    param.PrincipalText `query:"sender_address" doc:"Transactions that this address sends."`
	Recipient param.PrincipalText `query:"recipient_address" doc:"Transactions that transfer STX to this principal, or call or deploy this contract."`
	Address   param.PrincipalText `query:"address" doc:"Transactions with this principal as sender, sponsor or recipient."`
	OrderBy   string              `query:"order_by" enum:"age,size,fee" default:"age" doc:"Sort by the time of receipt, by the size in bytes or by the fee."`
	Order     string              `query:"order" enum:"asc,desc" default:"desc" doc:"asc: least first; desc: greatest first, which for age means newest first."`
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

// mempoolDependencies are the dependencies of lists of the whole mempool. They include the chain, which has the
// interfaces of the called contracts.
func mempoolDependencies() engine.Dependencies {
	return engine.OnTip("chain").With("mempool", shard.Mempool)
}

func (a *api) registerMempoolLists() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool", Path: "/extended/v1/tx/mempool", Tag: "Mempool", Summary: "Pending transactions",
		Description: "Lists the mempools of all nodes that send theirs to the server. " + engine.Instead("/extended/v3/mempool/transactions"), Statuses: []int{http.StatusBadRequest},
		Dependencies: mempoolDependencies(), Deprecated: true,
	}, a.listMempool)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-dropped", Path: "/extended/v1/tx/mempool/dropped", Tag: "Mempool", Summary: "Dropped transactions, most recently received first",
		Description:  "Lists the transactions that nodes dropped, those that a mined transaction replaced, and those that became too old. `offset` is at most 10,000.",
		Statuses:     []int{http.StatusBadRequest},
		Dependencies: mempoolDependencies(),
	}, a.listDropped)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool-of", Path: "/extended/v1/address/{principal}/mempool", Tag: "Mempool", Summary: "Pending transactions of an account",
		Description: "Lists the pending transactions that the account sends or sponsors, that transfer STX to it, or that call or deploy it. " + engine.Instead("/extended/v3/principals/{principal}/mempool/transactions"),
		Statuses:    []int{http.StatusBadRequest}, Deprecated: true,
	}, a.listMempoolOf)
}

// placeholder returns the placeholder of the nth argument of a query.
func placeholder(n int) string { return "$" + strconv.Itoa(n) }

// mempoolOrders maps the values of order_by to the columns that lists of the mempool are sorted by. Each has an index.
var mempoolOrders = map[string]string{"age": "receipt_time", "size": "size", "fee": "fee"}

// mempoolFilter selects pending transactions that meet at least one of several conditions. Each condition is a range of
// an index.
type mempoolFilter struct {
	// any are the conditions on a transaction p, with the arguments args. Without conditions the filter selects the
	// whole mempool.
	any  []string
	args []any
}

// accountFilter selects the transactions that an account sends or sponsors, that transfer STX to it, or that call or
// deploy it.
func accountFilter(account string) mempoolFilter {
	return mempoolFilter{any: []string{"p.sender = $1", "p.sponsor = $1", "p.recipient = $1", "p.contract_id = $1"}, args: []any{account}}
}

// sql returns a query for the selected transactions, each once.
func (f mempoolFilter) sql() string {
	const each = `SELECT p.receipt_time, p.size, p.fee, p.txid FROM {mempool}.transaction p WHERE p.status = 'pending'`
	if len(f.any) == 0 {
		return each
	}
	queries := make([]string, len(f.any))
	for i, condition := range f.any {
		queries[i] = each + " AND " + condition
	}
	return strings.Join(queries, " UNION ")
}

func (a *api) listMempool(ctx context.Context, s *engine.Snapshot, in *MempoolInput) (*page.OffsetPage[view.WaitingBody], error) {
	filter, err := in.filter()
	if err != nil {
		return nil, err
	}
	return a.mempoolPage(ctx, s, filter, mempoolOrders[in.OrderBy], in.Order == "asc", in.PageInput, in.TransactionOptions)
}

func (a *api) listMempoolOf(ctx context.Context, s *engine.Snapshot, in *mempoolOfInput) (*page.OffsetPage[view.WaitingBody], error) {
	account, err := in.Principal.Account()
	if err != nil {
		return nil, engine.BadRequest("Invalid query parameter, not a valid principal")
	}
	return a.mempoolPage(ctx, s, accountFilter(account), mempoolOrders["age"], false, in.PageInput, in.TransactionOptions)
}

// filter returns the filter of the request's parameters.
func (in *MempoolInput) filter() (f mempoolFilter, err error) {
	for _, name := range []param.PrincipalText{in.Sender, in.Recipient, in.Address} {
		if parsed, err := clarity.ParsePrincipal(string(name)); name != "" && (err != nil || parsed.String() != string(name)) {
			return f, engine.BadRequest(`Error: Invalid query parameter: "%s" is not a valid STX address or principal`, name)
		}
	}
	switch {
	case in.Address != "" && (in.Sender != "" || in.Recipient != ""):
		return f, engine.BadRequest(`The "address" filter cannot be specified with other address filters`)
	case in.Address != "":
		return accountFilter(string(in.Address)), nil
	case in.Sender != "" && in.Recipient != "":
		return mempoolFilter{any: []string{"p.sender = $1 AND (p.recipient = $2 OR p.contract_id = $2)"}, args: []any{string(in.Sender), string(in.Recipient)}}, nil
	case in.Sender != "":
		return mempoolFilter{any: []string{"p.sender = $1"}, args: []any{string(in.Sender)}}, nil
	case in.Recipient != "":
		return mempoolFilter{any: []string{"p.recipient = $1", "p.contract_id = $1"}, args: []any{string(in.Recipient)}}, nil
	}
	return f, nil
}

// count returns a query for the number of selected transactions. For the whole mempool, the projection keeps a counter.
func (f mempoolFilter) count() string {
	if len(f.any) == 0 {
		return `SELECT {}, coalesce(sum(n), 0)::bigint FROM {mempool}.counter WHERE status = 'pending'`
	}
	return `SELECT {}, count(*) FROM (` + f.sql() + `) p`
}

func (a *api) mempoolPage(ctx context.Context, s *engine.Snapshot, filter mempoolFilter, order string, ascending bool, in page.PageInput, how param.TransactionOptions) (*page.OffsetPage[view.WaitingBody], error) {
	list := &page.OffsetPage[view.WaitingBody]{Limit: page.LimitOr(in.Limit, mempoolLimit), Offset: in.Offset, Results: []view.WaitingBody{}}
	if !view.KnowsMempool(s) {
		return list, nil
	}
	direction := " DESC"
	if ascending {
		direction = ""
	}
	n := len(filter.args)
	sorted := "p." + order + direction + ", p.txid" + direction
	from := `FROM (` + filter.sql() + ` ORDER BY ` + order + direction + `, txid` + direction + ` LIMIT ` + placeholder(n+1) + `::bigint OFFSET ` + placeholder(n+2) + `::bigint) p
		JOIN {mempool}.transaction w ON w.txid = p.txid ORDER BY ` + sorted
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, filter.count(), filter.args...)
	found := engine.Query(b, view.WaitingColumns, `SELECT `+view.WaitingSQL+from, append(slices.Clone(filter.args), int64(list.Limit), min(in.Offset, page.OffsetMax))...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Total, _ = total.First()
	return list, a.fillWaiting(ctx, s, list, found, how)
}

// fillWaiting completes and renders rows into a page.
func (a *api) fillWaiting(ctx context.Context, s *engine.Snapshot, page *page.OffsetPage[view.WaitingBody], found *engine.Result[view.WaitingRow], how param.TransactionOptions) error {
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

// waitingRowsOf returns pointers to the transactions of a result, so that view.Complete completes them in place.
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
		SELECT {}, coalesce(sum(n), 0)::bigint FROM {mempool}.counter WHERE status <> 'pending'`)
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
	return page, a.fillWaiting(ctx, s, page, found, in.TransactionOptions)
}
