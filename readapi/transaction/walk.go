package transaction

import (
	"context"
	"strconv"

	"strata/domain/activity"
	"strata/domain/clarity"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// TransactionFilter holds the parameters for which transactions are listed, and in which order.
type TransactionFilter struct {
	SortBy       string               `query:"sort_by" enum:"block_height,burn_block_time,fee" default:"block_height" doc:"Transactions with the same time or fee are in the order of the chain."`
	FromAddress  param.AddressText    `query:"from_address" doc:"The address that sent them."`
	ToAddress    param.PrincipalText  `query:"to_address" doc:"The address or contract that token transfers went to."`
	StartTime    param.OptionalNumber `query:"start_time" doc:"The earliest time of the Bitcoin block, in Unix seconds."`
	EndTime      param.OptionalNumber `query:"end_time" doc:"The latest time of the Bitcoin block, in Unix seconds."`
	ContractID   param.PrincipalText  `query:"contract_id" doc:"The contract that they call."`
	FunctionName string               `query:"function_name" doc:"The function that they call."`
	Nonce        param.OptionalNumber `query:"nonce" doc:"The sender's nonce."`
}

// check returns an error for the first invalid parameter.
func (f *TransactionFilter) check() error {
	for _, named := range []struct {
		name, text, what string
		contract         bool
	}{
		{"from_address", string(f.FromAddress), "STX address", false},
		{"to_address", string(f.ToAddress), "STX address", true},
		{"contract_id", string(f.ContractID), "principal", true},
	} {
		if named.text == "" {
			continue
		}
		p, err := clarity.ParsePrincipal(named.text)
		if err != nil || p.String() != named.text || p.Contract != "" && !named.contract {
			return engine.BadRequest(`Invalid query parameter for "%s": "%s" is not a valid %s`, named.name, named.text, named.what)
		}
	}
	return nil
}

// none reports whether nothing is filtered and the order is that of the chain.
func (f *TransactionFilter) none() bool {
	return *f == TransactionFilter{SortBy: f.SortBy} && f.SortBy == "block_height"
}

// callsOnly reports whether the list is that of all calls of a contract in the order of the chain. The projection
// numbers these.
func (f *TransactionFilter) callsOnly() bool {
	return *f == TransactionFilter{SortBy: "block_height", ContractID: f.ContractID}
}

// transactionWalk searches a numbered list for transactions that match the filters: the list of the recipient, of the
// called contract, or of the sender, whichever the filters name first in this order, else the list of all transactions.
// One request examines a bounded number of rows; a walk that reaches the bound can continue from its cursor.
type transactionWalk struct {
	list       page.Numbered
	conditions string // SQL on r, a row of the list; p, its transaction in accounts; t, that in chain; c, its block
	chain      bool   // whether conditions or key need t
	blocks     bool   // whether conditions or key need c
	key        string // SQL expression to sort by; empty for the order of the list
	args       []any
}

// Arguments of a walk after those of a page: $9 is the owner of the list, then come the matching rows to skip and the
// rows to examine. The values that the conditions compare with follow.
const (
	walkSkipped  = `$10::bigint`
	walkExamined = `$11::bigint`
)

// walk returns the walk that finds the transactions of the given types that match the filter; nil means all types.
// offset is the number of matching rows to skip.
func (f *TransactionFilter) walk(types []int16, offset int64, oldestFirst bool) *transactionWalk {
	w := &transactionWalk{list: view.AllTransactions, conditions: `($9::text IS NULL OR true)`}
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	owner := text("")
	from, contract := text(string(f.FromAddress)), text(string(f.ContractID))
	switch {
	case f.ToAddress != "":
		owner, w.list = text(string(f.ToAddress)), view.AccountTransactions
		w.conditions = view.Involved("r", activity.Recipient)
	case f.ContractID != "":
		owner, contract, w.list = contract, nil, view.AccountCalls
		w.conditions = `true`
	case f.FromAddress != "":
		owner, from, w.list = from, nil, view.AccountTransactions
		w.conditions = view.Involved("r", activity.Sender)
	}
	w.list.OldestFirst = oldestFirst
	isCall := strconv.Itoa(int(activity.ContractCall))
	w.conditions += `
			AND ($12::smallint[] IS NULL OR p.type = ANY ($12)) AND ($13::text IS NULL OR {sender} = $13) AND ($14::text IS NULL OR {contract} = $14 AND p.type = ` + isCall + `)
			AND ($15::text IS NULL OR {function} = $15 AND p.type = ` + isCall + `) AND ($16::numeric IS NULL OR {nonce} = $16)
			AND ($17::bigint IS NULL OR {time} >= $17) AND ($18::bigint IS NULL OR {time} <= $18)`
	w.chain = from != nil || contract != nil || f.FunctionName != "" || f.Nonce != "" || f.SortBy == "fee"
	w.blocks = f.StartTime != "" || f.EndTime != "" || f.SortBy == "burn_block_time"
	switch f.SortBy {
	case "fee":
		w.key = `t.fee`
	case "burn_block_time":
		w.key = `c.burn_block_time`
	}
	w.args = []any{owner, offset, int64(page.ExaminedMax), types, from, contract, text(f.FunctionName), text(string(f.Nonce)), f.StartTime.Time(), f.EndTime.Time()}
	return w
}

// matches returns the FROM item for the rows of the list that match, r with its joins, and its WHERE clause. It
// examines the rows from the number in the given column of page onwards.
func (w *transactionWalk) matches(from string) string {
	window := `{number} <= page.` + from + ` AND {number} > page.` + from + ` - ` + walkExamined + ` AND {number} > page.low ORDER BY {number} DESC`
	if w.list.OldestFirst {
		window = `{number} >= page.` + from + ` AND {number} < page.` + from + ` + ` + walkExamined + ` AND {number} <= page.high ORDER BY {number}`
	}
	chain, block := `CROSS JOIN LATERAL (SELECT NULL::text AS sender, NULL::text AS contract_id, NULL::text AS function_name, NULL::numeric AS nonce) t`, `CROSS JOIN LATERAL (SELECT NULL::bigint AS burn_block_time) c`
	if w.chain {
		chain = `CROSS JOIN LATERAL (SELECT sender, contract_id, function_name, nonce, fee FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t`
	}
	if w.blocks {
		block = `CROSS JOIN LATERAL (SELECT burn_block_time FROM {accounts}.block c WHERE c.height = p.height LIMIT 1) c`
	}
	return w.list.SQL(`(
				SELECT r.*, {number}::bigint AS number, {tx} AS place FROM {table} r WHERE {rows} AND `+window+` LIMIT `+walkExamined+`
			) r
			CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = r.place LIMIT 1) p
			`+chain+`
			`+block+`
			WHERE `+w.conditions, "{sender}", "t.sender", "{contract}", "t.contract_id", "{function}", "t.function_name", "{nonce}", "t.nonce", "{time}", "c.burn_block_time")
}

// top returns the column of page that holds the number of the list's first row.
func (w *transactionWalk) top() string {
	if w.list.OldestFirst {
		return "first"
	}
	return "high"
}

// walkHead holds the bounds of the list that a walk searches, and how many of the rows examined from its beginning
// match.
type walkHead struct {
	page.Head
	matching int64
}

// queueHead adds the query for the head of the walk to a batch.
func (w *transactionWalk) queueHead(b *engine.Batch, args []any) *engine.Result[walkHead] {
	return engine.Query(b, func(h *walkHead) []any {
		h.OldestFirst = w.list.OldestFirst
		return []any{&h.Low, &h.High, &h.Start, &h.matching}
	}, `
		SELECT {}, page.low, page.high, page.start, matching.n
		FROM (SELECT page.*, page.low + 1 AS first FROM `+w.list.PageSQL()+`) page
		CROSS JOIN LATERAL (SELECT count(*) AS n FROM `+w.matches(w.top())+`) matching
		WHERE `+walkSkipped+` IS NOT NULL`, args...)
}

// queueRows adds the query for the transactions of a page to a batch. It selects one more, which shows that the list
// goes on.
func (w *transactionWalk) queueRows(b *engine.Batch, limit int, args []any) *engine.Result[view.TransactionRow] {
	direction, from, key := ` DESC`, "start", `r.number`
	if w.list.OldestFirst {
		direction = ``
	}
	order := key + direction
	if w.key != "" {
		from, key = w.top(), w.key
		order = key + direction + `, r.place` + direction
	}
	return engine.QueryPage(b, limit, view.PlacedColumns, `
		SELECT {accounts.transaction p} || `+view.TransactionSources+view.PlacedSQL+`
		FROM (
			SELECT r.number, r.place, r.key
			FROM (SELECT page.*, page.low + 1 AS first FROM `+w.list.PageSQL()+`) page
			CROSS JOIN LATERAL (
				SELECT r.number, r.place, `+key+` AS key FROM `+w.matches(from)+`
				ORDER BY `+order+` OFFSET `+walkSkipped+` LIMIT $8::bigint + 1
			) r
		) r `+view.PlacedTransaction+`ORDER BY r.key`+direction+`, r.place`+direction, args...)
}

// timeSlack is a generous bound, in seconds, on how much older a Bitcoin block can be than one before it. The clocks of
// miners differ by two hours at most.
const timeSlack = 6 * 3600

// firstNotOlder returns the SQL expression for the height of the first block that is not older than a time. Since block
// times do not always ascend, the search may end at any of several candidates; timeSlack makes up for that.
func firstNotOlder(time string) string {
	return page.Bisection{
		Low:   `(SELECT k.height FROM {accounts}.block k ORDER BY k.height LIMIT 1)`,
		High:  `(SELECT k.height + 1 FROM {accounts}.block k ORDER BY k.height DESC LIMIT 1)`,
		Probe: `SELECT k.height AS n, k.burn_block_time >= ` + time + ` AS holds FROM {accounts}.block k WHERE k.height = {middle} LIMIT 1`,
	}.First()
}

// heightsOfTimes selects the heights between which the blocks from the time $1 to $2 lie; null for no bound.
var heightsOfTimes = `
		SELECT {}, CASE WHEN $1::bigint IS NOT NULL THEN ` + firstNotOlder(`($1 - $3::bigint)`) + ` END,
		       CASE WHEN $2::bigint IS NOT NULL THEN ` + firstNotOlder(`($2 + $3::bigint)`) + ` END`

// narrow restricts the page request to the heights between which blocks of the requested times can lie.
func (f *TransactionFilter) narrow(ctx context.Context, s *engine.Snapshot, p *page.Request) error {
	start, end := f.StartTime.Time(), f.EndTime.Time()
	if start == nil && end == nil {
		return nil
	}
	type heights struct{ first, last *int64 }
	b := s.Batch()
	bounds := engine.Query(b, func(h *heights) []any { return []any{&h.first, &h.last} }, heightsOfTimes, start, end, int64(timeSlack))
	if err := b.Run(ctx); err != nil {
		return err
	}
	h, _ := bounds.First()
	p.From, p.To = param.Higher(p.From, h.first), param.Lower(p.To, h.last)
	return nil
}
