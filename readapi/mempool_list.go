package readapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"strata/domain/clarity"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

const mempoolLimit = 20

// MempoolInput says which transactions that wait to be mined are asked for, and in which order.
type MempoolInput struct {
	PageInput
	Sender    string `query:"sender_address" doc:"Those that this address sends."`
	Recipient string `query:"recipient_address" doc:"Those that transfer STX to this principal, or call or deploy this contract."`
	Address   string `query:"address" doc:"Those of either kind."`
	OrderBy   string `query:"order_by" enum:"age,size,fee" default:"age" doc:"By when they were received, by their size in bytes, or by their fee."`
	Order     string `query:"order" enum:"asc,desc" default:"desc" doc:"The least first, or the greatest: of ages the newest."`
	TransactionOptions
}

type mempoolOfInput struct {
	Principal principalParameter `path:"principal"`
	PageInput
	TransactionOptions
}

func (in *mempoolOfInput) Dependencies() dependencies {
	return onTip("chain").with("mempool", shard.Account(string(in.Principal)))
}

type droppedInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" maximum:"10000" default:"0" doc:"Rows before the page."`
	TransactionOptions
}

// ofMempool is what lists of the mempool are made of: also the interfaces of contracts that are called.
func ofMempool() dependencies { return onTip("chain").with("mempool", shard.Mempool) }

func (a *API) registerMempoolLists() {
	get(a.Engine, resource{
		id: "list-mempool", path: "/extended/v1/tx/mempool", tag: "Mempool", summary: "Transactions that wait to be mined",
		about: "Of as many nodes as announce theirs. " + instead("/extended/v3/mempool/transactions"), statuses: []int{http.StatusBadRequest},
		class: answer.Mempool, of: ofMempool(), taggedByContent: true, deprecated: true,
	}, a.listMempool)
	get(a.Engine, resource{
		id: "list-dropped", path: "/extended/v1/tx/mempool/dropped", tag: "Mempool", summary: "Transactions that were dropped, those that were received last first",
		about:    "What nodes dropped, what was replaced by what was mined, and what became too old. `offset` reaches as far as 10,000.",
		statuses: []int{http.StatusBadRequest},
		class:    answer.Mempool, of: ofMempool(), taggedByContent: true,
	}, a.listDropped)
	get(a.Engine, resource{
		id: "list-mempool-of", path: "/extended/v1/address/{principal}/mempool", tag: "Mempool", summary: "Transactions of an account that wait to be mined",
		about:    "It sends them, they transfer STX to it, or they call or deploy it. " + instead("/extended/v3/principals/{principal}/mempool/transactions"),
		statuses: []int{http.StatusBadRequest}, class: answer.Mempool, taggedByContent: true, deprecated: true,
	}, a.listMempoolOf)
	tracedWaitingPage[*MempoolInput](a, "list-mempool")
	tracedWaitingPage[*droppedInput](a, "list-dropped")
	tracedWaitingPage[*mempoolOfInput](a, "list-mempool-of")
}

func tracedWaitingPage[In any](a *API, id string) {
	traced(a.Engine, id, func(_ context.Context, _ *snapshot, _ In, page *offsetPage[waitingBody]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		rows := make([]*waitingRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].row
		}
		return waitingLookups(rows), nil
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

func (a *API) listMempool(ctx context.Context, s *snapshot, in *MempoolInput) (*offsetPage[waitingBody], error) {
	part, err := in.part()
	if err != nil {
		return nil, err
	}
	return a.mempoolPage(ctx, s, part, mempoolOrders[in.OrderBy], in.Order == "asc", in.PageInput, in.TransactionOptions)
}

func (a *API) listMempoolOf(ctx context.Context, s *snapshot, in *mempoolOfInput) (*offsetPage[waitingBody], error) {
	account, err := in.Principal.account()
	if err != nil {
		return nil, badRequest("Invalid query parameter, not a valid principal")
	}
	return a.mempoolPage(ctx, s, concerned(account), mempoolOrders["age"], false, in.PageInput, in.TransactionOptions)
}

// part is what the filters of a request choose.
func (in *MempoolInput) part() (p partOfMempool, err error) {
	for _, name := range []string{in.Sender, in.Recipient, in.Address} {
		if parsed, err := clarity.ParsePrincipal(name); name != "" && (err != nil || parsed.String() != name) {
			return p, badRequest(`Error: Invalid query parameter: "%s" is not a valid STX address or principal`, name)
		}
	}
	switch {
	case in.Address != "" && (in.Sender != "" || in.Recipient != ""):
		return p, badRequest(`The "address" filter cannot be specified with other address filters`)
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

func (a *API) mempoolPage(ctx context.Context, s *snapshot, part partOfMempool, order string, ascending bool, in PageInput, how TransactionOptions) (*offsetPage[waitingBody], error) {
	page := &offsetPage[waitingBody]{Limit: orDefault(in.Limit, mempoolLimit), Offset: in.Offset, Results: []waitingBody{}}
	if !knowsMempool(s) {
		return page, nil
	}
	direction := " DESC"
	if ascending {
		direction = ""
	}
	n := len(part.args)
	sorted := "p." + order + direction + ", p.txid" + direction
	from := `FROM (` + part.sql() + ` ORDER BY ` + order + direction + `, txid` + direction + ` LIMIT ` + placeholder(n+1) + `::bigint OFFSET ` + placeholder(n+2) + `::bigint) p
		JOIN {mempool}.transaction w ON w.txid = p.txid ORDER BY ` + sorted
	b := s.batch()
	total := query(b, func(n *int64) []any { return []any{n} }, part.count(), part.args...)
	found := query(b, waitingColumns, `SELECT `+waitingSQL+from, append(slices.Clone(part.args), int64(page.Limit), min(in.Offset, offsetMost))...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.first()
	return page, a.showWaiting(ctx, s, page, found, how)
}

// showWaiting puts rows into a page.
func (a *API) showWaiting(ctx context.Context, s *snapshot, page *offsetPage[waitingBody], found *result[waitingRow], how TransactionOptions) error {
	rows := waitingRowsOf(found)
	if len(rows) == 0 {
		return nil
	}
	interfaces, err := complete(ctx, s, rows, false, nil)
	if err != nil {
		return err
	}
	for i := range found.rows {
		page.Results = append(page.Results, renderWaiting(&found.rows[i], rendering{interfaces, how.ExcludeFunctionArgs}))
	}
	return nil
}

// waitingRowsOf are the rows of a result, to be completed in place.
func waitingRowsOf(found *result[waitingRow]) []*transactionRow {
	rows := make([]*transactionRow, len(found.rows))
	for i := range found.rows {
		rows[i] = &found.rows[i].transactionRow
	}
	return rows
}

func (a *API) listDropped(ctx context.Context, s *snapshot, in *droppedInput) (*offsetPage[waitingBody], error) {
	page := &offsetPage[waitingBody]{Limit: orDefault(in.Limit, mempoolLimit), Offset: in.Offset, Results: []waitingBody{}}
	if !knowsMempool(s) {
		return page, nil
	}
	b := s.batch()
	total := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], coalesce(sum(n), 0)::bigint FROM {mempool}.counter WHERE status <> 'pending'`)
	found := query(b, waitingColumns, `
		SELECT `+waitingSQL+`
		FROM (
			SELECT txid, receipt_time FROM {mempool}.transaction WHERE status NOT IN ('pending', 'mined')
			ORDER BY receipt_time DESC, txid DESC LIMIT $1::bigint OFFSET $2::bigint
		) p
		JOIN {mempool}.transaction w ON w.txid = p.txid
		ORDER BY p.receipt_time DESC, p.txid DESC`, int64(page.Limit), in.Offset)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.first()
	return page, a.showWaiting(ctx, s, page, found, in.TransactionOptions)
}
