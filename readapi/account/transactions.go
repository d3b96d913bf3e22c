package account

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// AccountTransactionsInput holds the parameters of a page of an account's transactions.
type AccountTransactionsInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	page.ListPage
	param.ListedBlock
	param.ArgumentsInput
}

// Dependencies returns the rows of the account, and the blocks that bound the list by hash.
func (in *AccountTransactionsInput) Dependencies() engine.Dependencies {
	return in.OfAccount(string(in.Principal))
}

// page returns the requested account and page.
func (in *AccountTransactionsInput) page(ctx context.Context, s *engine.Snapshot) (account string, p *page.Request, err error) {
	if account, err = in.Principal.Account(); err != nil {
		return "", nil, err
	}
	p = in.Request()
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return "", nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return "", nil, engine.ErrNoChain
	}
	return account, p, nil
}

func (a *api) registerAccountTransactions() {
	r := engine.Operation{
		ID: "list-account-transactions", Path: "/extended/v1/address/{principal}/transactions", Tag: "Accounts", Summary: "Transactions of an account, newest first",
		Description: "Lists the transactions that the account sends or sponsors, that transfer STX to it, that call or deploy it, and those with an event that moves STX or a token from or to it. " +
			engine.Instead("/extended/v3/principals/{principal}/transactions") + page.ListCursors,
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}
	engine.Get(a.Engine, r, a.listAccountTransactions)
}

func (a *api) listAccountTransactions(ctx context.Context, s *engine.Snapshot, in *AccountTransactionsInput) (*page.NumberedPage[view.TransactionBody], error) {
	account, p, err := in.page(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	head, found := transactions.Queue(b, p, account)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return view.TransactionPage(ctx, s, p, head, found, in.ArgumentsInput)
}
