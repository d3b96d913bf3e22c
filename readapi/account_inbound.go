package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/answer"
)

type inboundInput struct {
	Principal principalParameter `path:"principal"`
	ListPage
	ListedBlock
}

func (in *inboundInput) Dependencies() dependencies { return in.ofAccount(string(in.Principal)) }

// inboundTransfer is STX that came to an account.
type inboundTransfer struct {
	Sender       string      `json:"sender"`
	Amount       amount      `json:"amount" doc:"µSTX"`
	Memo         hexText     `json:"memo" doc:"The memo's bytes; of a bulk-send the value that the contract printed."`
	BlockHeight  int64       `json:"block_height"`
	TxID         hash.Hash32 `json:"tx_id"`
	TransferType string      `json:"transfer_type" enum:"bulk-send,stx-transfer,stx-transfer-memo" doc:"Paid by the contract send-many-memo, by a token transfer, or by a contract with a memo."`
	TxIndex      int32       `json:"tx_index"`

	event eventBody
}

// transferTypes are the numbers that the projection accounts has for them.
var transferTypes = map[int16]string{1: "bulk-send", 2: "stx-transfer", 3: "stx-transfer-memo"}

func (a *API) registerInbound() {
	r := resource{
		id: "list-inbound-stx", path: "/extended/v1/address/{principal}/stx_inbound", tag: "Accounts", summary: "STX that came to an account, newest first",
		about: "By token transfers, by contracts with a memo, and by the contract send-many-memo; each once. " +
			instead("/extended/v3/principals/{principal}/transactions") + listCursors,
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, r, a.listInbound)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, in *inboundInput, page *numberedPage[inboundTransfer]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		events := make([]eventBody, len(page.Results))
		for i := range page.Results {
			events[i] = page.Results[i].event
		}
		return accountEventLookups(string(in.Principal), events), nil
	})
}

// inboundRow is an event that brought STX, with its transaction.
type inboundRow struct {
	transactionRow
	event        eventRow
	eventNumber  int64 // in the list of all events of the account
	transferType int16
	printed      []byte // by the event after it
}

func inboundColumns(r *inboundRow) []any {
	columns := []any{&r.eventNumber, &r.transferType, &r.printed, &r.event.amount, &r.event.kind, &r.event.sender, &r.event.memo, &r.event.number}
	return append(columns, placedColumns(&r.transactionRow)...)
}

func (a *API) listInbound(ctx context.Context, s *snapshot, in *inboundInput) (*numberedPage[inboundTransfer], error) {
	account, err := in.Principal.account()
	if err != nil {
		return nil, err
	}
	p := in.asked()
	if p.from, p.to, err = in.heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return nil, errNoChain
	}
	b := s.batch()
	head := queueHead(b, &inboundEvents, p, account)
	found := query(b, inboundColumns, `
		SELECT `+transactionSources+`r.n, r.transfer_type, after.value, e.amount::text, e.type, e.sender, e.memo, e.event_index, `+placedSQL+`
		FROM `+inboundEvents.rowsSQL()+placedTransaction+`
		CROSS JOIN LATERAL (
			SELECT * FROM {chain}.event e WHERE e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = r.event_index LIMIT 1
		) e
		LEFT JOIN LATERAL (
			SELECT value FROM {chain}.event e
			WHERE r.transfer_type = 1 AND e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = r.event_index + 1 LIMIT 1
		) after ON true `+inboundEvents.order(), p.args(account)...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	rows := make([]*transactionRow, len(found.rows))
	for i := range found.rows {
		rows[i] = &found.rows[i].transactionRow
	}
	if _, err := complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	first, _ := head.first()
	page := newNumberedPage[inboundTransfer](p, first)
	for i := range found.rows {
		page.Results = append(page.Results, found.rows[i].shape())
	}
	return page, nil
}

func (r *inboundRow) shape() inboundTransfer {
	memo := r.event.memo
	switch transfer, ok := r.tx.Payload.(*transaction.TokenTransfer); {
	case r.transferType == 1:
		memo = r.printed
	case r.transferType == 2 && ok:
		memo = transfer.Memo[:]
	}
	r.event.rowKey = r.rowKey
	return inboundTransfer{
		Sender: valueOf(r.event.sender), Amount: amountOf(r.event.amount), Memo: hexOf(memo), BlockHeight: r.height, TxID: r.id,
		TransferType: transferTypes[r.transferType], TxIndex: r.index, event: eventBody{row: r.event, number: r.eventNumber},
	}
}
