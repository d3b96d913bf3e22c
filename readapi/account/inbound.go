package account

import (
	"context"
	"net/http"
	"strconv"

	"strata/domain/activity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

type inboundInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	page.ListPage
	param.ListedBlock
}

func (in *inboundInput) Dependencies() engine.Dependencies { return in.OfAccount(string(in.Principal)) }

// inboundTransfer is a transfer of STX to an account.
type inboundTransfer struct {
	Sender       string        `json:"sender"`
	Amount       schema.Amount `json:"amount" doc:"µSTX"`
	Memo         view.HexText  `json:"memo" doc:"Bytes of the memo; for a bulk-send, the value that the contract printed."`
	BlockHeight  int64         `json:"block_height"`
	TxID         hash.Hash32   `json:"tx_id"`
	TransferType string        `json:"transfer_type" enum:"bulk-send,stx-transfer,stx-transfer-memo" doc:"bulk-send: a transfer by the contract send-many-memo; stx-transfer: a token transfer; stx-transfer-memo: a transfer with a memo by another contract."`
	TxIndex      int32         `json:"tx_index"`
}

func (a *api) registerInbound() {
	r := engine.Operation{
		ID: "list-inbound-stx", Path: "/extended/v1/address/{principal}/stx_inbound", Tag: "Accounts", Summary: "STX transfers to an account, newest first",
		Description: "Lists token transfers, transfers with a memo by contracts, and transfers by the contract send-many-memo, each once. " +
			engine.Instead("/extended/v3/principals/{principal}/transactions") + page.ListCursors,
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}
	engine.Get(a.Engine, r, a.listInbound)
}

// inboundRow is the event of an inbound transfer, with its transaction.
type inboundRow struct {
	view.TransactionRow
	event        view.EventRow
	transferType activity.TransferType
	printed      []byte // value of the event that follows, for a bulk-send
}

func inboundColumns(r *inboundRow) []any {
	columns := []any{&r.transferType, &r.printed, &r.event.Amount, &r.event.Kind, &r.event.Sender, &r.event.Memo}
	return append(columns, view.PlacedColumns(&r.TransactionRow)...)
}

// inboundReader reads an account's list of inbound transfers.
var inboundReader = page.NewReader(&view.InboundEvents, inboundColumns,
	`{chain.event e} || `+view.TransactionSources+`r.transfer_type, after.value, e.amount::text, e.type, e.sender, e.memo, `+view.PlacedSQL,
	view.PlacedTransaction+`
		CROSS JOIN LATERAL (
			SELECT * FROM {chain}.event e WHERE e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = r.event_index LIMIT 1
		) e
		LEFT JOIN LATERAL (
			SELECT value FROM {chain}.event e
			WHERE r.transfer_type = `+strconv.Itoa(int(activity.BulkSend))+` AND e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = r.event_index + 1 LIMIT 1
		) after ON true `)

func (a *api) listInbound(ctx context.Context, s *engine.Snapshot, in *inboundInput) (*page.NumberedPage[inboundTransfer], error) {
	account, err := in.Principal.Account()
	if err != nil {
		return nil, err
	}
	p := in.Request()
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return nil, engine.ErrNoChain
	}
	b := s.Batch()
	head, found := inboundReader.Queue(b, p, account)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := make([]*view.TransactionRow, len(found.Rows))
	for i := range found.Rows {
		rows[i] = &found.Rows[i].TransactionRow
	}
	if _, err := view.Complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	first, _ := head.First()
	page := page.NewNumberedPage[inboundTransfer](p, first)
	for i := range found.Rows {
		page.Results = append(page.Results, found.Rows[i].shape())
	}
	return page, nil
}

func (r *inboundRow) shape() inboundTransfer {
	memo := r.event.Memo
	switch transfer, ok := r.Tx.Payload.(*transaction.TokenTransfer); {
	case r.transferType == activity.BulkSend:
		memo = r.printed
	case r.transferType == activity.PlainTransfer && ok:
		memo = transfer.Memo[:]
	}
	return inboundTransfer{
		Sender: view.ValueOf(r.event.Sender), Amount: view.AmountOf(r.event.Amount), Memo: view.HexOf(memo), BlockHeight: r.Height, TxID: r.ID,
		TransferType: r.transferType.String(), TxIndex: r.Index,
	}
}
