package account

import (
	"context"
	"net/http"

	"strata/domain/activity"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

type accountTransactionsV3Input struct {
	param.PrincipalInput
	page.KeysetInput
	param.BlockRange
}

func (in *accountTransactionsV3Input) Dependencies() engine.Dependencies {
	return in.OfAccount(string(in.Principal))
}

// accountTransactionV3 is a transaction of an account, with its effect on the account's balances.
type accountTransactionV3 struct {
	Transaction      view.TransactionSummary `json:"transaction"`
	Involvement      string                  `json:"involvement" enum:"sender,sponsor,affected"`
	BalanceChanges   stxChange               `json:"balance_changes"`
	AffectedBalances affectedBalances        `json:"affected_balances" doc:"Types of assets of the account that the transaction moved."`
}

type stxChange struct {
	STX assetChange `json:"stx"`
}

// assetChange is the effect of a transaction on the balance of an asset.
type assetChange struct {
	Sent     schema.Amount `json:"sent" doc:"In base units, including the fee if the account paid it; for non-fungible tokens, their number."`
	Received schema.Amount `json:"received"`
	Net      schema.Amount `json:"net" doc:"received minus sent; may be negative."`
}

type affectedBalances struct {
	STX bool `json:"stx"`
	FT  bool `json:"ft"`
	NFT bool `json:"nft"`
}

func newAssetChange(sent, received schema.Amount) assetChange {
	return assetChange{sent, received, schema.SubtractAmounts(received, sent)}
}

func summarize(r *memberRow) accountTransactionV3 {
	involvement := "affected"
	switch {
	case r.involvement.Has(activity.Sender):
		involvement = "sender"
	case r.involvement.Has(activity.Sponsor):
		involvement = "sponsor"
	}
	return accountTransactionV3{
		Transaction: view.Summarize(&r.TransactionRow), Involvement: involvement,
		BalanceChanges:   stxChange{newAssetChange(r.allSent(), schema.Amount(r.received))},
		AffectedBalances: affectedBalances{r.involvement.Has(activity.AffectsSTX), r.involvement.Has(activity.AffectsFT), r.involvement.Has(activity.AffectsNFT)},
	}
}

func (a *api) registerAccountTransactionsV3() {
	r := engine.Operation{
		ID: "list-principal-transactions", Path: "/extended/v3/principals/{principal}/transactions", Tag: "Accounts", Summary: "Transactions of an account with the changes of its STX balance, newest first",
		Description: "The reference has neither `from_block` nor `to_block`.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}
	engine.Get(a.Engine, r, a.listAccountTransactionsV3)
}

func (a *api) listAccountTransactionsV3(ctx context.Context, s *engine.Snapshot, in *accountTransactionsV3Input) (*page.KeysetPage[accountTransactionV3], error) {
	p, err := in.Request()
	if err != nil {
		return nil, err
	}
	account := string(in.Principal)
	list := &page.KeysetPage[accountTransactionV3]{Limit: in.Limit, Results: []accountTransactionV3{}}
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return list, nil
	}
	b := s.Batch()
	head, found := members.Queue(b, p, account)
	beside := members.QueueNeighbours(b, p, account)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := transactionsOf(found.Rows)
	if _, err := view.Complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	for i := range found.Rows {
		list.Results = append(list.Results, summarize(&found.Rows[i]))
	}
	first, _ := head.First()
	list.Total, list.Cursor = first.Total(), view.KeysetOf(&first, rows, beside.Rows)
	return list, nil
}
