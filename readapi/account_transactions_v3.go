package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

type accountTransactionsV3Input struct {
	PrincipalInput
	KeysetInput
	BlockRange
}

func (in *accountTransactionsV3Input) Dependencies() dependencies {
	return in.ofAccount(string(in.Principal))
}

// accountTransactionV3 is a transaction of an account with what it did to its balances.
type accountTransactionV3 struct {
	Transaction      transactionSummary `json:"transaction"`
	Involvement      string             `json:"involvement" enum:"sender,sponsor,affected"`
	BalanceChanges   stxChange          `json:"balance_changes"`
	AffectedBalances affectedBalances   `json:"affected_balances" doc:"What of the account was moved."`
}

type stxChange struct {
	STX assetChange `json:"stx"`
}

// assetChange is what a transaction did to the balance of an asset.
type assetChange struct {
	Sent     amount `json:"sent" doc:"In base units, a fee that the account has paid included; of non-fungible tokens how many."`
	Received amount `json:"received"`
	Net      amount `json:"net" doc:"received without sent; it may be negative."`
}

type affectedBalances struct {
	STX bool `json:"stx"`
	FT  bool `json:"ft"`
	NFT bool `json:"nft"`
}

func newAssetChange(sent, received amount) assetChange {
	return assetChange{sent, received, subtractAmounts(received, sent)}
}

func (r *accountTransaction) summarize() accountTransactionV3 {
	involvement := "affected"
	switch {
	case r.involvement&involvedSender != 0:
		involvement = "sender"
	case r.involvement&involvedSponsor != 0:
		involvement = "sponsor"
	}
	return accountTransactionV3{
		Transaction: summarize(&r.transactionRow), Involvement: involvement,
		BalanceChanges:   stxChange{newAssetChange(r.allSent(), amount(r.received))},
		AffectedBalances: affectedBalances{r.involvement&affectedSTX != 0, r.involvement&affectedFT != 0, r.involvement&affectedNFT != 0},
	}
}

func (a *API) registerAccountTransactionsV3() {
	r := resource{
		id: "list-principal-transactions", path: "/extended/v3/principals/{principal}/transactions", tag: "Accounts", summary: "Transactions of an account with what they did to its STX, newest first",
		about:    "`from_block` and `to_block` are ours.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip,
	}
	get(a.Engine, r, a.listAccountTransactionsV3)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, in *accountTransactionsV3Input, page *keysetPage[accountTransactionV3]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		rows := make([]*transactionRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].Transaction.row
		}
		return accountTransactionLookups(string(in.Principal), rows), nil
	})
}

func (a *API) listAccountTransactionsV3(ctx context.Context, s *snapshot, in *accountTransactionsV3Input) (*keysetPage[accountTransactionV3], error) {
	p, account := in.asked(), string(in.Principal)
	page := &keysetPage[accountTransactionV3]{Limit: in.Limit, Results: []accountTransactionV3{}}
	var err error
	if p.from, p.to, err = in.heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return page, nil
	}
	b := s.batch()
	head := queueHead(b, &accountTransactions, p, account)
	found := queueAccountTransactions(b, p, account)
	beside := accountTransactions.queueNeighbours(b, p, account)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	rows := transactionsOf(found)
	if _, err := complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	for i := range found.rows {
		page.Results = append(page.Results, found.rows[i].summarize())
	}
	first, _ := head.first()
	page.Total, page.Cursor = first.total(), keysetOf(&first, rows, beside.rows)
	return page, nil
}
