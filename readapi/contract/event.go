package contract

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/activity"
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

const contractEventsLimit = 20

// EventFilter holds the query parameters that select events of a contract.
type EventFilter struct {
	Topic     string               `query:"topic" maxLength:"128" doc:"Events whose printed tuple has this topic: the value of the first of its fields topic, event, action, notification, type and name that is a text."`
	Function  string               `query:"function_name" maxLength:"128" doc:"Events of transactions that call a function with this name, of whatever contract. Not together with topic."`
	FromBlock param.OptionalHeight `query:"from_block" doc:"Events of blocks from this height on."`
	ToBlock   param.OptionalHeight `query:"to_block" doc:"Events of blocks up to this height."`
}

// printPlace is a cursor, the position of an event in the chain: block height:microblock sequence:transaction
// index:event index.
type printPlace string

// ContractInput holds the path parameter of a contract.
type ContractInput struct {
	ID contractName `path:"contract_id"`
}

type contractEventsInput struct {
	ContractInput
	Limit  int        `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Page size; 0 means the default."`
	Offset int64      `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the newest row."`
	Cursor printPlace `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,10}:[0-9]{1,9}:[0-9]{1,9}$" doc:"cursor.next of another page: opens the page that follows it."`
	Sender string     `query:"sender" maxLength:"200" doc:"Events of transactions that this account sent."`
	EventFilter
}

type contractLogsInput struct {
	ContractInput
	Limit  int        `query:"limit" minimum:"0" maximum:"100" default:"20" doc:"Page size; 0 means the default."`
	Offset int64      `query:"offset" minimum:"-1000" maximum:"1000" default:"0" doc:"Number of events to skip towards older events, counted from the cursor or from the newest event. A negative number goes towards newer events."`
	Cursor printPlace `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,10}:[0-9]{1,9}:[0-9]{1,9}$" doc:"First event of the page, as block height:microblock sequence (2147483647 for none):transaction index:event index."`
	EventFilter
}

// contractEventPage is a page of the events of a contract, newest first. It has no total;
// /extended/v2/smart-contracts/{contract_id}/logs has one.
type contractEventPage struct {
	Limit   int            `json:"limit"`
	Offset  int64          `json:"offset"`
	Results []printedBody  `json:"results" nullable:"false"`
	Cursor  page.KeyCursor `json:"cursor"`
}

// contractLogPage is a page of the events of a contract, newest first, in version 2 of the API. Its next page is the
// newer one.
type contractLogPage struct {
	Limit      int           `json:"limit"`
	Offset     int64         `json:"offset"`
	Total      int64         `json:"total" doc:"Number of rows in the whole list."`
	NextCursor *string       `json:"next_cursor" doc:"Cursor of the page of newer rows; null on the newest page."`
	PrevCursor *string       `json:"prev_cursor" doc:"Cursor of the page of older rows; null on the oldest page."`
	Cursor     *string       `json:"cursor" doc:"Cursor of this page: its first row."`
	Results    []printedBody `json:"results" nullable:"false"`
}

// printedBody is an event that a contract printed, and the function whose call made it print.
type printedBody struct {
	view.EventBody
	FunctionName *string `json:"function_name" doc:"The function that the transaction calls, of whatever contract; null for a transaction that calls none. The peer has no such member."`
}

// shape returns the event as clients see it.
func (r *printedRow) shape() printedBody {
	return printedBody{view.RenderEvent(r.EventRow, r.id), r.called}
}

// printedRow is an event that a contract printed, with its position.
type printedRow struct {
	view.EventRow
	id       hash.Hash32
	height   int64
	sequence int32
	number   int64 // in the list
	called   *string
}

// place returns the position of the event as a cursor.
func (r *printedRow) place() string {
	return page.PositionText(r.height, r.sequence, r.Index) + ":" + strconv.Itoa(int(r.Number))
}

func (a *api) registerContractEvents() {
	const filters = "A page costs the same at any depth, and with a filter by topic, by function or by blocks. "
	engine.Get(a.Engine, engine.Operation{
		ID: "list-contract-events", Path: "/extended/v1/contract/{contract_id}/events", Tag: "Contracts", Summary: "Events that a contract printed, newest first",
		Description: filters + "With `sender`, the server reads every row that `offset` skips. With `sender` and `topic` or `function_name`, a page may have fewer rows than the limit although more follow: its cursor leads on. " + engine.Instead("/extended/v2/smart-contracts/{contract_id}/logs"),
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}, listContractEvents)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-contract-logs", Path: "/extended/v2/smart-contracts/{contract_id}/logs", Tag: "Contracts", Summary: "Events that a contract printed, newest first, with their total",
		Description: filters + "`next_cursor` leads to newer events and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listContractLogs)
}

// printedList is a list of the events that a contract printed. A column numbers its rows; those of the requested blocks
// have the numbers low+1 to high.
type printedList struct {
	contract  int32
	topic     *int32 // nil for all topics
	function  *int32 // key of the function; nil for all functions
	sender    *int32 // nil for all senders
	low, high int64
	// cursor is the number of the event that the request's cursor names; nil without a cursor.
	cursor *int64
}

// The numbered lists of a contract's events: of all, of those of a topic, and of those of a function. Their arguments are
// the contract, $1, and the topic or function from column, $2.
var (
	printedEvents     = newPrintedQueries(&page.Numbered{Table: `{accounts}.contract_event`, Number: "n", Tx: "tx", Rows: `r.contract = $1::int AND $2::int IS NULL`})
	printedOfFunction = newPrintedQueries(&page.Numbered{Table: `{accounts}.contract_event`, Number: "function_n", Tx: "tx", Rows: `r.contract = $1::int AND r.function = $2::int`})
	printedOfTopic    = newPrintedQueries(&page.Numbered{Table: `{accounts}.contract_event`, Number: "topic_n", Tx: "tx", Rows: `r.contract = $1::int AND r.topic = $2::int`})
)

// printedQueries are the queries of a numbered list.
type printedQueries struct {
	// bounds selects how many events precede the transactions $3 and $4, and the number of the event $6 of the transaction
	// $5.
	bounds string
	rows   string // selects the rows with the numbers $3
}

func newPrintedQueries(l *page.Numbered) *printedQueries {
	return &printedQueries{
		bounds: `
		SELECT {}, ` + l.Before("$3::bigint") + `, ` + l.Before("$4::bigint") + l.SQL(`,
		       (SELECT {number} FROM {table} r
		        WHERE {rows} AND $5::bigint IS NOT NULL AND {number} > {before} AND r.tx = $5::bigint AND r.event_index = $6::int
		        ORDER BY {number} LIMIT 1)`, "{before}", l.Before("$5::bigint")),
		rows: printedPage(l.SQL(`
		SELECT r.* FROM unnest($3::bigint[]) AS wanted (n)
		CROSS JOIN LATERAL (
			SELECT {number}::bigint AS number, r.tx, r.source_seq, r.event_index FROM {table} r WHERE {rows} AND {number} = wanted.n::int LIMIT 1
		) r`)),
	}
}

// queries returns the queries of the list. A list with a sender is numbered like that of the whole contract: only
// fillForSender applies the filters by sender, topic and function.
func (l *printedList) queries() *printedQueries {
	switch {
	case l.sender == nil && l.topic != nil:
		return printedOfTopic
	case l.sender == nil && l.function != nil:
		return printedOfFunction
	}
	return printedEvents
}

// column returns the topic or the function whose list numbers the rows; nil for that of the whole contract.
func (l *printedList) column() *int32 {
	switch {
	case l.sender != nil:
		return nil
	case l.topic != nil:
		return l.topic
	}
	return l.function
}

// functionKey returns the key of the function that the filter names; nil for none.
func (f *EventFilter) functionKey() *int32 {
	if f.Function == "" {
		return nil
	}
	key := activity.FunctionKey(f.Function)
	return &key
}

// findPrintedList finds the list that the request describes, in two round trips. It returns nil when the list is empty,
// and page.ErrNoCursor when the cursor's event is not in the list.
func findPrintedList(ctx context.Context, s *engine.Snapshot, contract, sender string, filter EventFilter, cursor printPlace) (*printedList, error) {
	if filter.Topic != "" && filter.Function != "" {
		return nil, engine.BadRequest("can't handle both 'topic' and 'function_name' in the same request")
	}
	var missing error
	if cursor != "" {
		missing = page.ErrNoCursor
	}
	tip, ok := s.Tip("accounts")
	if !ok || !engine.Ready(s, "chain") {
		return nil, missing
	}
	height, sequence, index, event := cursor.parts()
	from, to := filter.FromBlock.Height(0), filter.ToBlock.Height(*tip.Height)
	type listKey struct {
		contract        *int32
		topic, sender   *int32
		before, through int64  // numbers of the transactions before the block range and at its end
		cursor          *int64 // number of the cursor's transaction
	}
	b := s.Batch()
	found := engine.Query(b, func(r *listKey) []any {
		return []any{&r.contract, &r.topic, &r.sender, &r.before, &r.through, &r.cursor}
	}, `
		SELECT {}, c.id,
		       (SELECT t.topic FROM {accounts}.contract_topic t WHERE t.contract = c.id AND t.name = $2::text),
		       (SELECT a.id FROM {accounts}.account a WHERE a.account = $3::text),
		       coalesce((SELECT b.first_tx FROM {accounts}.block b WHERE b.height >= $4::bigint ORDER BY b.height LIMIT 1) - 1, 9223372036854775807),
		       coalesce((SELECT b.last_tx FROM {accounts}.block b WHERE b.height <= $5::bigint ORDER BY b.height DESC LIMIT 1), 0),
		       (SELECT b.first_tx + x.execution_index FROM {accounts}.block b
		        JOIN {chain}.transaction x ON x.source_seq = b.source_seq AND x.tx_index = $7::int
		        WHERE b.height = $6::bigint AND coalesce(x.microblock_sequence, 2147483647) = $8::bigint)
		FROM {accounts}.account c WHERE c.account = $1::text`, contract, filter.Topic, sender, from, to, height, index, sequence)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	key, ok := found.First()
	switch {
	case !ok || filter.Topic != "" && key.topic == nil || sender != "" && key.sender == nil || key.before >= key.through:
		return nil, missing
	case cursor != "" && key.cursor == nil:
		return nil, page.ErrNoCursor
	}
	l := &printedList{contract: *key.contract, topic: key.topic, function: filter.functionKey(), sender: key.sender}
	b = s.Batch()
	bounds := engine.Query(b, func(r *printedList) []any { return []any{&r.low, &r.high, &r.cursor} }, l.queries().bounds,
		l.contract, l.column(), key.before+1, key.through+1, key.cursor, event)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if r, ok := bounds.First(); ok {
		l.low, l.high, l.cursor = r.low, r.high, r.cursor
	}
	if cursor != "" && (l.cursor == nil || *l.cursor <= l.low || *l.cursor > l.high) {
		return nil, page.ErrNoCursor
	}
	return l, nil
}

// parts returns the parts of the cursor; all are -1, which no event has, when it is empty.
func (c printPlace) parts() (height, sequence int64, index, event int32) {
	numbers := [4]int64{-1, -1, -1, -1}
	for i, part := range strings.SplitN(string(c), ":", 4) {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil {
			numbers[i] = n // the pattern has been checked
		}
	}
	return numbers[0], numbers[1], int32(min(numbers[2], math.MaxInt32)), int32(min(numbers[3], math.MaxInt32))
}

// printedPage returns a query for printedColumns. rows is a query for rows of a list with the columns number, tx,
// source_seq and event_index.
func printedPage(rows string) string {
	return `
		SELECT ` + view.EventSQL + `, x.txid, t.height, coalesce(t.microblock_sequence, 2147483647), l.number, x.function_name
		FROM (` + rows + `) l
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction t WHERE t.n = l.tx LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.event e WHERE e.source_seq = l.source_seq AND e.tx_index = t.tx_index AND e.event_index = l.event_index LIMIT 1) e
		CROSS JOIN LATERAL (SELECT x.txid, x.function_name FROM {chain}.transaction x WHERE x.source_seq = l.source_seq AND x.tx_index = t.tx_index LIMIT 1) x
		ORDER BY l.number DESC`
}

func printedColumns(r *printedRow) []any {
	return append(view.EventColumns(&r.EventRow), &r.id, &r.height, &r.sequence, &r.number, &r.called)
}

// queuePrinted adds to the batch the query for the rows with the given numbers. The answer shows those from number first down to
// number last.
func (l *printedList) queuePrinted(b *engine.Batch, numbers []int64, first, last int64) *engine.Result[printedRow] {
	shown := func(r *printedRow) bool { return r.number <= first && r.number >= last }
	return engine.QueryPart(b, shown, printedColumns, l.queries().rows, l.contract, l.column(), numbers)
}

// start returns the number of the first event of the page at an offset.
func (l *printedList) start(offset int64) int64 {
	if l.cursor != nil {
		return *l.cursor - offset
	}
	return l.high - offset
}

func listContractEvents(ctx context.Context, s *engine.Snapshot, in *contractEventsInput) (*contractEventPage, error) {
	list := &contractEventPage{Limit: page.LimitOr(in.Limit, contractEventsLimit), Offset: in.Offset, Results: []printedBody{}}
	l, err := findPrintedList(ctx, s, string(in.ID), in.Sender, in.EventFilter, in.Cursor)
	if l == nil || err != nil {
		return list, err
	}
	if l.sender != nil {
		return list, l.fillForSender(ctx, s, list)
	}
	var numbers []int64
	start := l.start(min(in.Offset, page.OffsetMax))
	for n := start; n > l.low && len(numbers) <= list.Limit; n-- {
		numbers = append(numbers, n)
	}
	b := s.Batch()
	found := l.queuePrinted(b, numbers, start, start-int64(list.Limit)+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.fill(found.Rows)
	return list, nil
}

// fill fills the page with rendered rows. There may be one row more than the page has: the first of the next page.
func (list *contractEventPage) fill(rows []printedRow) {
	keyPage := page.NewKeyPage(list.Limit, rows, func(r printedRow) string { return r.place() })
	list.Cursor = keyPage.Cursor
	for i := range keyPage.Results {
		list.Results = append(list.Results, keyPage.Results[i].shape())
	}
}

// senderEventsMax is the maximum number of events of a sender that one request examines for those of a topic or function.
const senderEventsMax = 5000

// printedOfSender selects the events of a page of fillForSender.
var printedOfSender = printedPage(`
		SELECT r.n::bigint AS number, r.tx, r.source_seq, r.event_index FROM (
			SELECT * FROM {accounts}.contract_event r
			WHERE r.contract = $1::int AND r.sender = $2::int AND r.n > $4::bigint AND r.n <= $5::bigint
			ORDER BY r.n DESC LIMIT CASE WHEN $3::int IS NULL AND $9::int IS NULL THEN $6::bigint + $7::bigint ELSE $8::bigint END
		) r
		WHERE ($3::int IS NULL OR r.topic = $3::int) AND ($9::int IS NULL OR r.function = $9::int) ORDER BY r.n DESC OFFSET $6::bigint LIMIT $7::bigint`)

// unexaminedOfSender selects the first event that fillForSender does not examine: the next page begins there if this page
// is not full.
var unexaminedOfSender = printedPage(`
		SELECT r.n::bigint AS number, r.tx, r.source_seq, r.event_index FROM {accounts}.contract_event r
		WHERE ($3::int IS NOT NULL OR $7::int IS NOT NULL) AND r.contract = $1::int AND r.sender = $2::int AND r.n > $4::bigint AND r.n <= $5::bigint
		ORDER BY r.n DESC OFFSET $6::bigint LIMIT 1`)

// fillForSender fills a page of the events that a contract printed in transactions of a sender, from the index of a
// contract's events by sender. With a topic or a function, it examines at most senderEventsMax of these events for those
// that match.
func (l *printedList) fillForSender(ctx context.Context, s *engine.Snapshot, list *contractEventPage) error {
	start := l.start(0)
	b := s.Batch()
	found := engine.QueryPage(b, list.Limit, printedColumns, printedOfSender,
		l.contract, *l.sender, l.topic, l.low, start, min(list.Offset, page.OffsetMax), int64(list.Limit)+1, int64(senderEventsMax), l.function)
	unexamined := engine.QueryPage(b, 0, printedColumns, unexaminedOfSender, l.contract, *l.sender, l.topic, l.low, start, int64(senderEventsMax), l.function)
	if err := b.Run(ctx); err != nil {
		return err
	}
	list.fill(found.Rows)
	if next, ok := unexamined.First(); ok && list.Cursor.Next == nil {
		place := next.place()
		list.Cursor.Next = &place
	}
	return nil
}

func listContractLogs(ctx context.Context, s *engine.Snapshot, in *contractLogsInput) (*contractLogPage, error) {
	page := &contractLogPage{Limit: page.LimitOr(in.Limit, contractEventsLimit), Offset: in.Offset, Results: []printedBody{}}
	l, err := findPrintedList(ctx, s, string(in.ID), "", in.EventFilter, in.Cursor)
	if l == nil || err != nil {
		return page, err
	}
	page.Total = l.high - l.low
	start, limit := l.start(in.Offset), int64(page.Limit)
	newer, older := min(start+limit, l.high), min(start-limit, l.high)
	numbers := []int64{newer, older}
	for n := min(start, l.high); n > start-limit && n > l.low; n-- {
		numbers = append(numbers, n)
	}
	b := s.Batch()
	found := l.queuePrinted(b, distinctAbove(numbers, l.low), start, start-limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i := range found.Rows {
		r := &found.Rows[i]
		place := r.place()
		if r.number == newer && start < l.high {
			page.NextCursor = &place
		}
		if r.number == older {
			page.PrevCursor = &place
		}
		if r.number <= start && r.number > start-limit {
			if page.Cursor == nil {
				page.Cursor = &place
			}
			page.Results = append(page.Results, r.shape())
		}
	}
	return page, nil
}

// distinctAbove returns the numbers greater than low, each once.
func distinctAbove(numbers []int64, low int64) (distinct []int64) {
	seen := map[int64]bool{}
	for _, n := range numbers {
		if n > low && !seen[n] {
			seen[n] = true
			distinct = append(distinct, n)
		}
	}
	return distinct
}
