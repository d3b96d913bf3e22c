package mempool

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// MempoolPageInput says which page of the mempool is asked for.
type MempoolPageInput struct {
	Limit  int           `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Page size."`
	Cursor mempoolCursor `query:"cursor" pattern:"^[0-9]{1,18}:0x[a-fA-F0-9]{64}$" doc:"The first transaction of the page: cursor.next or cursor.previous of another one."`
}

type mempoolOfV3Input struct {
	Principal param.PrincipalParameter `path:"principal"`
	MempoolPageInput
}

func (in *mempoolOfV3Input) Dependencies() engine.Dependencies {
	return engine.OnTip("chain").With("mempool", shard.Account(string(in.Principal)))
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

func cursor(r *view.WaitingRow) *string {
	text := strconv.FormatInt(r.ReceiptTime, 10) + ":" + r.ID.String()
	return &text
}

func (a *api) registerMempoolListsV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool-v3", Path: "/extended/v3/mempool/transactions", Tag: "Mempool", Summary: "Transactions that wait to be mined, the newest first",
		Statuses: []int{http.StatusBadRequest}, Class: answer.Mempool, DependsOn: ofMempool(), TagByContent: true,
	}, func(ctx context.Context, s *engine.Snapshot, in *MempoolPageInput) (*page.KeysetPage[view.WaitingSummary], error) {
		return a.mempoolPageV3(ctx, s, partOfMempool{}, in)
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool-of-v3", Path: "/extended/v3/principals/{principal}/mempool/transactions", Tag: "Mempool", Summary: "Transactions of an account that wait to be mined, the newest first",
		Description: "It sends them, they transfer STX to it, or they call or deploy it.",
		Statuses:    []int{http.StatusBadRequest}, Class: answer.Mempool, TagByContent: true,
	}, func(ctx context.Context, s *engine.Snapshot, in *mempoolOfV3Input) (*page.KeysetPage[view.WaitingSummary], error) {
		return a.mempoolPageV3(ctx, s, concerned(string(in.Principal)), &in.MempoolPageInput)
	})
	tracedWaitingPageV3[*MempoolPageInput](a, "list-mempool-v3")
	tracedWaitingPageV3[*mempoolOfV3Input](a, "list-mempool-of-v3")
}

func tracedWaitingPageV3[In any](a *api, id string) {
	engine.Trace(a.Engine, id, func(_ context.Context, _ *engine.Snapshot, _ In, page *page.KeysetPage[view.WaitingSummary]) ([]engine.Lookup, error) {
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

func (a *api) mempoolPageV3(ctx context.Context, s *engine.Snapshot, part partOfMempool, in *MempoolPageInput) (*page.KeysetPage[view.WaitingSummary], error) {
	page := &page.KeysetPage[view.WaitingSummary]{Limit: in.Limit, Results: []view.WaitingSummary{}}
	if !view.KnowsMempool(s) {
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
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, part.count(), part.args...)
	found := engine.QueryPage(b, in.Limit, view.WaitingColumns, `
		SELECT `+view.WaitingSQL+`
		FROM (`+within("<=")+` ORDER BY receipt_time DESC, txid DESC LIMIT `+placeholder(n+3)+`::bigint + 1) p
		JOIN {mempool}.transaction w ON w.txid = p.txid
		ORDER BY p.receipt_time DESC, p.txid DESC`, args...)
	// The page before begins with the last of as many rows above as a page has.
	before := engine.Query(b, func(r *view.WaitingRow) []any { return []any{&r.ReceiptTime, &r.ID} }, `
		SELECT ARRAY[]::bigint[], p.receipt_time, p.txid
		FROM (`+within(">")+` ORDER BY receipt_time, txid LIMIT `+placeholder(n+3)+`::bigint) p
		ORDER BY p.receipt_time DESC, p.txid DESC LIMIT 1`, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.First()
	if r, ok := before.First(); ok {
		page.Cursor.Previous = cursor(&r)
	}
	if len(found.Rows) > in.Limit {
		page.Cursor.Next = cursor(&found.Rows[in.Limit])
		found.Rows = found.Rows[:in.Limit]
	}
	if len(found.Rows) == 0 {
		return page, nil
	}
	page.Cursor.Current = cursor(&found.Rows[0])
	if _, err := view.Complete(ctx, s, waitingRowsOf(found), true, nil); err != nil {
		return nil, err
	}
	for i := range found.Rows {
		r := &found.Rows[i]
		page.Results = append(page.Results, view.WaitingSummary{WaitingBase: view.NewWaitingBase(r), SummaryPayload: view.SummarizePayload(r.Tx), Row: r})
	}
	return page, nil
}
