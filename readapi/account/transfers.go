package account

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// Transferred is a transaction with the STX that it moved from or to an account.
type Transferred struct {
	Tx           view.TransactionBody `json:"tx"`
	STXSent      schema.Amount        `json:"stx_sent" doc:"µSTX, including the fee if the account paid it."`
	STXReceived  schema.Amount        `json:"stx_received" doc:"µSTX"`
	STXTransfers []view.StxTransfer   `json:"stx_transfers" nullable:"false" doc:"Taken from the first 1000 asset events of the account in the transaction; the list of the transaction's events has all."`
}

// allTransferred is Transferred with the tokens that the transaction moved.
type allTransferred struct {
	Transferred
	FTTransfers  []ftTransfer  `json:"ft_transfers" nullable:"false"`
	NFTTransfers []nftTransfer `json:"nft_transfers" nullable:"false"`
}

type ftTransfer struct {
	AssetIdentifier string        `json:"asset_identifier"`
	Amount          schema.Amount `json:"amount" doc:"In base units."`
	view.TransferSides
}

type nftTransfer struct {
	AssetIdentifier string            `json:"asset_identifier"`
	Value           view.ClarityValue `json:"value"`
	view.TransferSides
}

// TransferInput holds the path parameters of a transaction of an account.
type TransferInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	param.TransactionInput
}

// Dependencies returns the rows of the account.
func (in *TransferInput) Dependencies() engine.Dependencies {
	return param.BlockRange{}.OfAccount(string(in.Principal))
}

func (a *api) registerTransfers() {
	const newer = "/extended/v3/principals/{principal}/transactions"
	r := engine.Operation{
		ID: "list-account-transfers", Path: "/extended/v1/address/{principal}/transactions_with_transfers", Tag: "Accounts", Summary: "Transactions of an account with its transfers in them, newest first",
		Description: engine.Instead(newer) + page.ListCursors, Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}
	engine.Get(a.Engine, r, a.listTransfers)
	one := engine.Operation{
		ID: "get-account-transfers", Path: "/extended/v1/address/{principal}/{tx_id}/with_transfers", Tag: "Accounts", Summary: "A transaction with the STX that it moved from or to an account",
		Description: engine.Instead(newer), Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}
	engine.Get(a.Engine, one, a.getTransfers)
}

func (a *api) listTransfers(ctx context.Context, s *engine.Snapshot, in *AccountTransactionsInput) (*page.NumberedPage[allTransferred], error) {
	account, p, err := in.page(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	head, found := members.Queue(b, p, account)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	transactions, err := a.withTransfers(ctx, s, account, found.Rows, in.ArgumentsInput)
	if err != nil {
		return nil, err
	}
	first, _ := head.First()
	page := page.NewNumberedPage[allTransferred](p, first)
	page.Results = append(page.Results, transactions...)
	return page, nil
}

// transferSQL selects the transaction with the id $2 from the list of the account $1.
var transferSQL = `
		SELECT {accounts.account_transaction r} || ` + memberSQL + `
		FROM ` + transactionPlacesSQL("$2") + ` CROSS JOIN LATERAL (
			SELECT r.*, r.n::bigint AS number, r.tx AS place FROM {accounts}.account_transaction r
			WHERE ` + memberOfPlace + `
		) r ` + view.PlacedTransaction

// getTransfers answers for one transaction. It accepts an id without 0x, too.
func (a *api) getTransfers(ctx context.Context, s *engine.Snapshot, in *TransferInput) (*Transferred, error) {
	account, err := in.Principal.Account()
	if err != nil {
		return nil, err
	}
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	missing := engine.NotFound("No matching transaction found")
	if _, ok := s.Tip("accounts"); !ok {
		return nil, missing
	}
	b := s.Batch()
	found := engine.Query(b, memberColumns, transferSQL, account, [][]byte{id[:]})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(found.Rows) == 0 {
		return nil, missing
	}
	transactions, err := a.withTransfers(ctx, s, account, found.Rows[:1], param.ArgumentsInput{})
	if err != nil {
		return nil, err
	}
	return &transactions[0].Transferred, nil
}

// withTransfers renders transactions of an account together with the assets of the account that they moved. found must
// be a contiguous range of the account's list, newest first: the moves are read as one range.
func (a *api) withTransfers(ctx context.Context, s *engine.Snapshot, account string, found []memberRow, how param.ArgumentsInput) ([]allTransferred, error) {
	if len(found) == 0 {
		return nil, nil
	}
	rows := transactionsOf(found)
	var moves *engine.Result[listedEvent]
	interfaces, err := view.Complete(ctx, s, rows, false, func(b *engine.Batch) {
		moves = queueMoves(b, account, rows[len(rows)-1].Place, rows[0].Place)
	})
	if err != nil {
		return nil, err
	}
	transactions, byPlace := make([]allTransferred, len(found)), map[int64]*allTransferred{}
	for i := range found {
		r := &found[i]
		transactions[i] = allTransferred{
			Transferred: Transferred{
				Tx:      view.RenderTransaction(&r.TransactionRow, view.Rendering{Interfaces: interfaces, WithoutArguments: how.ExcludeFunctionArgs}),
				STXSent: r.allSent(), STXReceived: schema.Amount(r.received), STXTransfers: []view.StxTransfer{},
			},
			FTTransfers: []ftTransfer{}, NFTTransfers: []nftTransfer{},
		}
		byPlace[r.Place] = &transactions[i]
	}
	for _, e := range moves.Rows {
		if t := byPlace[e.place]; t != nil {
			t.add(&e.EventRow)
		}
	}
	return transactions, nil
}

// add appends the transfer of an event.
func (t *allTransferred) add(e *view.EventRow) {
	sides := view.TransferSides{Sender: view.ValueOf(e.Sender), Recipient: view.ValueOf(e.Recipient)}
	switch view.EventKinds[e.Kind].Shown {
	case view.EventSTX:
		t.STXTransfers = append(t.STXTransfers, view.StxTransfer{Amount: view.AmountOf(e.Amount), TransferSides: sides})
	case view.EventFT:
		t.FTTransfers = append(t.FTTransfers, ftTransfer{view.ValueOf(e.Asset), view.AmountOf(e.Amount), sides})
	case view.EventNFT:
		t.NFTTransfers = append(t.NFTTransfers, nftTransfer{view.ValueOf(e.Asset), view.ShowRaw(e.Value), sides})
	}
}
