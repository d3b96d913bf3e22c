package mempool

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// MempoolPageInput holds the query parameters of a page of the mempool in version 3 of the API.
type MempoolPageInput struct {
	Limit  int           `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Page size."`
	Cursor mempoolCursor `query:"cursor" pattern:"^[0-9]{1,18}:(0x)?[a-fA-F0-9]{64}$" doc:"First transaction of the page: time of receipt and id, separated by a colon."`
}

type mempoolOfV3Input struct {
	param.PrincipalInput
	MempoolPageInput
}

// Dependencies replaces those of param.PrincipalInput: the list has no balances, but calls of contracts of the chain.
func (in *mempoolOfV3Input) Dependencies() engine.Dependencies {
	return engine.OnTip("chain").With("mempool", shard.Account(string(in.Principal)))
}

// mempoolCursor identifies a transaction by its time of receipt and its id: time:id.
type mempoolCursor string

// maxID is not below the id of any transaction.
var maxID = hash.Hash32{
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
}

// position returns the time and id that the cursor names; without a cursor, values above those of all transactions.
func (c mempoolCursor) position() (time int64, id hash.Hash32) {
	seconds, text, _ := strings.Cut(string(c), ":")
	time, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return math.MaxInt64, maxID // no cursor: begin with the newest
	}
	if id, err = hash.Parse32(text); err != nil {
		return time, maxID
	}
	return time, id
}

// cursorOf returns the cursor of the page that begins with a transaction.
func cursorOf(r *view.WaitingRow) *string {
	text := strconv.FormatInt(r.ReceiptTime, 10) + ":" + r.ID.String()
	return &text
}

func (a *api) registerMempoolListsV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool-v3", Path: "/extended/v3/mempool/transactions", Tag: "Mempool", Summary: "Pending transactions, newest first",
		Statuses: []int{http.StatusBadRequest}, Dependencies: mempoolDependencies(),
	}, func(ctx context.Context, s *engine.Snapshot, in *MempoolPageInput) (*page.KeysetPage[view.WaitingSummary], error) {
		return a.mempoolPageV3(ctx, s, mempoolFilter{}, in)
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "list-mempool-of-v3", Path: "/extended/v3/principals/{principal}/mempool/transactions", Tag: "Mempool", Summary: "Pending transactions of an account, newest first",
		Description: "Lists the pending transactions that the account sends or sponsors, that transfer STX to it, or that call or deploy it.",
		Statuses:    []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *mempoolOfV3Input) (*page.KeysetPage[view.WaitingSummary], error) {
		return a.mempoolPageV3(ctx, s, accountFilter(string(in.Principal)), &in.MempoolPageInput)
	})
}

func (a *api) mempoolPageV3(ctx context.Context, s *engine.Snapshot, filter mempoolFilter, in *MempoolPageInput) (*page.KeysetPage[view.WaitingSummary], error) {
	page := &page.KeysetPage[view.WaitingSummary]{Limit: in.Limit, Results: []view.WaitingSummary{}}
	if !view.KnowsMempool(s) {
		return page, nil
	}
	time, id := in.Cursor.position()
	n := len(filter.args)
	args := append(filter.args[:n:n], time, id, int64(in.Limit))
	within := func(comparison string) string {
		sql := filter.sql()
		condition := ` AND (p.receipt_time, p.txid) ` + comparison + ` (` + placeholder(n+1) + `::bigint, ` + placeholder(n+2) + `::bytea)`
		return strings.ReplaceAll(sql, " UNION ", condition+" UNION ") + condition
	}
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, filter.count(), filter.args...)
	found := engine.QueryPage(b, in.Limit, view.WaitingColumns, `
		SELECT `+view.WaitingSQL+`
		FROM (`+within("<=")+` ORDER BY receipt_time DESC, txid DESC LIMIT `+placeholder(n+3)+`::bigint + 1) p
		JOIN {mempool}.transaction w ON w.txid = p.txid
		ORDER BY p.receipt_time DESC, p.txid DESC`, args...)
	// The previous page begins with the newest of the limit rows above this page.
	before := engine.Query(b, func(r *view.WaitingRow) []any { return []any{&r.ReceiptTime, &r.ID} }, `
		SELECT {}, p.receipt_time, p.txid
		FROM (`+within(">")+` ORDER BY receipt_time, txid LIMIT `+placeholder(n+3)+`::bigint) p
		ORDER BY p.receipt_time DESC, p.txid DESC LIMIT 1`, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	page.Total, _ = total.First()
	if r, ok := before.First(); ok {
		page.Cursor.Previous = cursorOf(&r)
	}
	if len(found.Rows) > in.Limit {
		page.Cursor.Next = cursorOf(&found.Rows[in.Limit])
		found.Rows = found.Rows[:in.Limit]
	}
	if len(found.Rows) == 0 {
		return page, nil
	}
	page.Cursor.Current = cursorOf(&found.Rows[0])
	if _, err := view.Complete(ctx, s, waitingRowsOf(found), true, nil); err != nil {
		return nil, err
	}
	for i := range found.Rows {
		r := &found.Rows[i]
		page.Results = append(page.Results, view.WaitingSummary{WaitingBase: view.NewWaitingBase(r), SummaryPayload: view.SummarizePayload(r.Tx)})
	}
	return page, nil
}
