package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

const (
	listLimit = 20
	// listCursors is said of lists of version 1.
	listCursors = " `next_cursor` leads to newer rows and `prev_cursor` to older ones; these, `cursor`, `from_block` and `to_block` are ours."
)

// ListPage says which page of a list of transactions is asked for.
type ListPage struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row."`
	NumberCursor
}

func (p *ListPage) asked() *asked {
	return &asked{number: p.number(), offset: p.Offset, limit: orDefault(p.Limit, listLimit)}
}

// AccountTransactionsInput names a page of the transactions of an account.
type AccountTransactionsInput struct {
	Principal principalParameter `path:"principal"`
	ListPage
	ListedBlock
	ArgumentsInput
}

func (in *AccountTransactionsInput) Dependencies() dependencies {
	return in.ofAccount(string(in.Principal))
}

// page is the account and the page that are asked for.
func (in *AccountTransactionsInput) page(ctx context.Context, s *snapshot) (account string, p *asked, err error) {
	if account, err = in.Principal.account(); err != nil {
		return "", nil, err
	}
	p = in.asked()
	if p.from, p.to, err = in.heights(ctx, s); err != nil {
		return "", nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return "", nil, errNoChain
	}
	return account, p, nil
}

func (a *API) registerAccountTransactions() {
	r := resource{
		id: "list-account-transactions", path: "/extended/v1/address/{principal}/transactions", tag: "Accounts", summary: "Transactions of an account, newest first",
		about: "Those that it sends, sponsors, receives a token transfer of, is called or deployed by, or is a party of an event of that moves STX or a token. " +
			instead("/extended/v3/principals/{principal}/transactions") + listCursors,
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, r, a.listAccountTransactions)
	traced(a.Engine, r.id, func(ctx context.Context, s *snapshot, in *AccountTransactionsInput, page *numberedPage[transactionBody]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return accountTransactionLookups(string(in.Principal), rowsShown(page.Results)), nil
	})
}

func (a *API) listAccountTransactions(ctx context.Context, s *snapshot, in *AccountTransactionsInput) (*numberedPage[transactionBody], error) {
	account, p, err := in.page(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.batch()
	head := queueHead(b, &accountTransactions, p, account)
	found := queueListed(b, &accountTransactions, p, account)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return transactionPage(ctx, s, p, head, found, in.ArgumentsInput)
}

// transactionPage completes and shows the transactions of a page.
func transactionPage(ctx context.Context, s *snapshot, p *asked, head *result[pageHead], found *result[transactionRow], how ArgumentsInput) (*numberedPage[transactionBody], error) {
	rows := rowsOf(found)
	interfaces, err := complete(ctx, s, rows, false, nil)
	if err != nil {
		return nil, err
	}
	first, _ := head.first()
	page := newNumberedPage[transactionBody](p, first)
	for _, r := range rows {
		page.Results = append(page.Results, renderTransaction(r, rendering{interfaces, how.ExcludeFunctionArgs}))
	}
	return page, nil
}
