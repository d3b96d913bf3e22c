package readapi

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

// MempoolPageInput says which page of the mempool is asked for.
type MempoolPageInput struct {
	Limit  int           `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor mempoolCursor `query:"cursor" pattern:"^[0-9]{1,18}:0x[a-fA-F0-9]{64}$" doc:"The first transaction of the page: cursor.next or cursor.previous of another one."`
}

type mempoolOfV3Input struct {
	Principal principalParameter `path:"principal"`
	MempoolPageInput
}

func (in *mempoolOfV3Input) Dependencies() dependencies {
	return onTip("chain").with("mempool", shard.Account(string(in.Principal)))
}

// mempoolCursor names a transaction by the time of its receipt and its id.
type mempoolCursor string

// newest is above all transactions.
var newest = hash.Hash32{
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
}

func (c mempoolCursor) position() (time int64, id hash.Hash32) {
	at, text, _ := strings.Cut(string(c), ":")
	time, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return math.MaxInt64, newest // it is not given
	}
	if id, err = hash.Parse32(text); err != nil {
		return time, newest
	}
	return time, id
}

func (r *waitingRow) cursor() *string {
	text := strconv.FormatInt(r.receiptTime, 10) + ":" + r.id.String()
	return &text
}

func (a *API) registerMempoolListsV3() {
	get(a.Engine, resource{
		id: "list-mempool-v3", path: "/extended/v3/mempool/transactions", tag: "Mempool", summary: "Transactions that wait to be mined, the newest first",
		statuses: []int{http.StatusBadRequest}, class: answer.Mempool, of: ofMempool(), taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *MempoolPageInput) (*keysetPage[waitingSummary], error) {
		return a.mempoolPageV3(ctx, s, partOfMempool{}, in)
	})
	get(a.Engine, resource{
		id: "list-mempool-of-v3", path: "/extended/v3/principals/{principal}/mempool/transactions", tag: "Mempool", summary: "Transactions of an account that wait to be mined, the newest first",
		about:    "It sends them, they transfer STX to it, or they call or deploy it.",
		statuses: []int{http.StatusBadRequest}, class: answer.Mempool, taggedByContent: true,
	}, func(ctx context.Context, s *snapshot, in *mempoolOfV3Input) (*keysetPage[waitingSummary], error) {
		return a.mempoolPageV3(ctx, s, concerned(string(in.Principal)), &in.MempoolPageInput)
	})
	tracedWaitingPageV3[*MempoolPageInput](a, "list-mempool-v3")
	tracedWaitingPageV3[*mempoolOfV3Input](a, "list-mempool-of-v3")
}

func tracedWaitingPageV3[In any](a *API, id string) {
	traced(a.Engine, id, func(_ context.Context, _ *snapshot, _ In, page *keysetPage[waitingSummary]) ([]lookup, error) {
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

func (a *API) mempoolPageV3(ctx context.Context, s *snapshot, part partOfMempool, in *MempoolPageInput) (*keysetPage[waitingSummary], error) {
	page := &keysetPage[waitingSummary]{Limit: in.Limit, Results: []waitingSummary{}}
	if !knowsMempool(s) {
		return page, nil
	}
	time, id := in.Cursor.position()
	n := len(part.args)
	args := append(part.args[:n:n], time, id, int64(in.Limit))
	within := func(comparison string) string {
		sql := part.sql()
		condition := ` AND (p.receipt_time, p.txid) ` + comparison + ` (` + placeholder(n+1) + `::bigint, ` + placeholder(n+2) + `::bytea)`
		return strings.ReplaceAll(sql, " UNION ", condition+" UNION ") + condition
	}
	b := s.batch()
	total := query(b, func(n *int64) []any { return []any{n} }, part.count(), part.args...)
	found := queryPage(b, in.Limit, waitingColumns, `
		SELECT `+waitingSQL+`
		FROM (`+within("<=")+` ORDER BY receipt_time DESC, txid DESC LIMIT `+placeholder(n+3)+`::bigint + 1) p
		JOIN {mempool}.transaction w ON w.txid = p.txid
		ORDER BY p.receipt_time DESC, p.txid DESC`, args...)
	// The page before begins with the last of as many rows above as a page has.
	before := query(b, func(r *waitingRow) []any { return []any{&r.receiptTime, &r.id} }, `
		SELECT ARRAY[]::bigint[], p.receipt_time, p.txid
		FROM (`+within(">")+` ORDER BY receipt_time, txid LIMIT `+placeholder(n+3)+`::bigint) p
		ORDER BY p.receipt_time DESC, p.txid DESC LIMIT 1`, args...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.first()
	if r, ok := before.first(); ok {
		page.Cursor.Previous = r.cursor()
	}
	if len(found.rows) > in.Limit {
		page.Cursor.Next = found.rows[in.Limit].cursor()
		found.rows = found.rows[:in.Limit]
	}
	if len(found.rows) == 0 {
		return page, nil
	}
	page.Cursor.Current = found.rows[0].cursor()
	if _, err := complete(ctx, s, waitingRowsOf(found), true, nil); err != nil {
		return nil, err
	}
	for i := range found.rows {
		r := &found.rows[i]
		page.Results = append(page.Results, waitingSummary{WaitingBase: newWaitingBase(r), SummaryPayload: summarizePayload(r.tx), row: r})
	}
	return page, nil
}
