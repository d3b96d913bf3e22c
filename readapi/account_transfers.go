package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

// transfersMost is how many events of a transaction are shown beside it. The sums are of all.
const transfersMost = 1000

// Transferred is a transaction with what it moved of an account.
type Transferred struct {
	Tx           transactionBody `json:"tx"`
	STXSent      amount          `json:"stx_sent" doc:"µSTX, the fee included when the account has paid it."`
	STXReceived  amount          `json:"stx_received" doc:"µSTX"`
	STXTransfers []stxTransfer   `json:"stx_transfers" nullable:"false" doc:"The first 1000 at most: the account's events of the transaction are a list of their own."`
}

// allTransferred is Transferred with tokens.
type allTransferred struct {
	Transferred
	FTTransfers  []ftTransfer  `json:"ft_transfers" nullable:"false"`
	NFTTransfers []nftTransfer `json:"nft_transfers" nullable:"false"`
}

// TransferParties are those between whom something was moved.
type TransferParties struct {
	Sender    string `json:"sender,omitempty" doc:"Absent for a mint."`
	Recipient string `json:"recipient,omitempty" doc:"Absent for a burn."`
}

type stxTransfer struct {
	Amount amount `json:"amount" doc:"µSTX"`
	TransferParties
}

type ftTransfer struct {
	AssetIdentifier string `json:"asset_identifier"`
	Amount          amount `json:"amount" doc:"In base units."`
	TransferParties
}

type nftTransfer struct {
	AssetIdentifier string       `json:"asset_identifier"`
	Value           clarityValue `json:"value"`
	TransferParties
}

// TransferInput names a transaction and an account.
type TransferInput struct {
	Principal principalParameter `path:"principal"`
	TransactionInput
}

func (in *TransferInput) Dependencies() dependencies {
	return BlockRange{}.ofAccount(string(in.Principal))
}

func (a *API) registerTransfers() {
	const newer = "/extended/v3/principals/{principal}/transactions"
	r := resource{
		id: "list-account-transfers", path: "/extended/v1/address/{principal}/transactions_with_transfers", tag: "Accounts", summary: "Transactions of an account with what they moved of it, newest first",
		about: instead(newer) + listCursors, statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, r, a.listTransfers)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, in *AccountTransactionsInput, page *numberedPage[allTransferred]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		rows := make([]*transactionRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].Tx.row
		}
		return accountTransactionLookups(string(in.Principal), rows), nil
	})
	one := resource{
		id: "get-account-transfers", path: "/extended/v1/address/{principal}/{tx_id}/with_transfers", tag: "Accounts", summary: "A transaction with the STX that it moved of an account",
		about: instead(newer), statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, one, a.transfersOf)
	traced(a.Engine, one.id, func(_ context.Context, _ *snapshot, in *TransferInput, found *Transferred) ([]lookup, error) {
		if found == nil {
			return nil, nil
		}
		return accountTransactionLookups(string(in.Principal), []*transactionRow{found.Tx.row}), nil
	})
}

func (a *API) listTransfers(ctx context.Context, s *snapshot, in *AccountTransactionsInput) (*numberedPage[allTransferred], error) {
	account, p, err := in.page(ctx, s)
	if err != nil {
		return nil, err
	}
	b := s.batch()
	head := queueHead(b, &accountTransactions, p, account)
	found := queueAccountTransactions(b, p, account)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	shown, err := a.transferred(ctx, s, account, found.rows, in.ArgumentsInput)
	if err != nil {
		return nil, err
	}
	first, _ := head.first()
	page := newNumberedPage[allTransferred](p, first)
	page.Results = append(page.Results, shown...)
	return page, nil
}

// transfersOf answers for one transaction. An id without 0x means the same.
func (a *API) transfersOf(ctx context.Context, s *snapshot, in *TransferInput) (*Transferred, error) {
	account, err := in.Principal.account()
	if err != nil {
		return nil, err
	}
	id, err := in.ID.hash()
	if err != nil {
		return nil, err
	}
	missing := notFound("No matching transaction found")
	if _, ok := s.tip("accounts"); !ok {
		return nil, missing
	}
	l := accountTransactions.named("$1")
	b := s.batch()
	found := query(b, accountTransactionColumns, `
		SELECT `+accountTransactionSQL+`
		FROM `+placesOf("$2")+` CROSS JOIN LATERAL (
			SELECT r.*, r.n::bigint AS number, r.tx AS place FROM {accounts}.account_transaction r
			WHERE `+l.rows+` AND r.n = `+l.before("(at.n + 1)")+` AND r.tx = at.n LIMIT 1
		) r `+placedTransaction, account, [][]byte{id[:]})
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(found.rows) == 0 {
		return nil, missing
	}
	shown, err := a.transferred(ctx, s, account, found.rows[:1], ArgumentsInput{})
	if err != nil {
		return nil, err
	}
	return &shown[0].Transferred, nil
}

// transferred shows transactions of an account, which follow each other in its list, with what they moved of it.
func (a *API) transferred(ctx context.Context, s *snapshot, account string, found []accountTransaction, how ArgumentsInput) ([]allTransferred, error) {
	if len(found) == 0 {
		return nil, nil
	}
	rows := make([]*transactionRow, len(found))
	for i := range found {
		rows[i] = &found[i].transactionRow
	}
	var moves *result[listedEvent]
	interfaces, err := complete(ctx, s, rows, false, func(b *batch) {
		moves = queueMoves(b, account, rows[len(rows)-1].place, rows[0].place)
	})
	if err != nil {
		return nil, err
	}
	shown, at := make([]allTransferred, len(found)), map[int64]*allTransferred{}
	for i := range found {
		r := &found[i]
		shown[i] = allTransferred{
			Transferred: Transferred{
				Tx:      renderTransaction(&r.transactionRow, rendering{interfaces, how.ExcludeFunctionArgs}),
				STXSent: r.allSent(), STXReceived: amount(r.received), STXTransfers: []stxTransfer{},
			},
			FTTransfers: []ftTransfer{}, NFTTransfers: []nftTransfer{},
		}
		at[r.place] = &shown[i]
	}
	for _, e := range moves.rows {
		if to := at[e.place]; to != nil {
			to.add(&e.eventRow)
		}
	}
	return shown, nil
}

func (t *allTransferred) add(e *eventRow) {
	parties := TransferParties{valueOf(e.sender), valueOf(e.recipient)}
	switch eventKinds[e.kind].shown {
	case eventSTX:
		t.STXTransfers = append(t.STXTransfers, stxTransfer{amountOf(e.amount), parties})
	case eventFT:
		t.FTTransfers = append(t.FTTransfers, ftTransfer{valueOf(e.asset), amountOf(e.amount), parties})
	case eventNFT:
		t.NFTTransfers = append(t.NFTTransfers, nftTransfer{valueOf(e.asset), showRaw(e.value), parties})
	}
}
