package account

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// AddressInput holds the path parameter of an account in version 2 of the API.
type AddressInput struct {
	Address param.PrincipalParameter `path:"address"`
}

type accountTransactionsV2Input struct {
	AddressInput
	Limit  int         `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Page size; 0 means the default."`
	Offset int64       `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip, counted from the cursor or from the newest row."`
	Cursor blockCursor `query:"cursor" doc:"First transaction of the page, as index block hash:microblock sequence (2147483647 for none):index in the block."`
	param.BlockRange
	param.ArgumentsInput
}

func (in *accountTransactionsV2Input) Dependencies() engine.Dependencies {
	d := in.OfAccount(string(in.Address))
	if id, _, _, err := in.Cursor.parse(); err == nil {
		d = d.And("accounts", shard.Block(id))
	}
	return d
}

// blockCursor is the position of a transaction, in a block named by its index block hash: hash:sequence:index.
type blockCursor string

func (c blockCursor) parse() (block hash.Hash32, sequence, index int64, err error) {
	parts := strings.Split(string(c), ":")
	bad := engine.NotFound("Invalid cursor format")
	if len(parts) != 3 {
		return block, 0, 0, bad
	}
	if block, err = hash.Parse32(parts[0]); err != nil {
		return block, 0, 0, bad
	}
	for i, n := range []*int64{&sequence, &index} {
		number, err := strconv.ParseUint(parts[1+i], 10, 32)
		if err != nil {
			return block, 0, 0, bad
		}
		*n = int64(number)
	}
	return block, sequence, index, nil
}

// place returns the position in the chain that the cursor names; nil when there is no cursor.
func (c blockCursor) place(ctx context.Context, s *engine.Snapshot) (*page.ChainPlace, error) {
	if c == "" {
		return nil, nil
	}
	id, sequence, index, err := c.parse()
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	found := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, k.height FROM {accounts}.block k WHERE k.index_block_hash = $1`, id)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	height, ok := found.First()
	if !ok {
		return nil, engine.NotFound("Invalid cursor: block not found")
	}
	return &page.ChainPlace{Height: height, Sequence: sequence, Index: index}, nil
}

func blockCursorOf(p *page.ListPlace) *string {
	text := p.Block.String() + ":" + strconv.Itoa(int(p.Sequence)) + ":" + strconv.Itoa(int(p.Index))
	return &text
}

// placedPage is a page of a list, newest first, in version 2 of the API. Its next page is the newer one.
type placedPage[T any] struct {
	Limit      int     `json:"limit"`
	Offset     int64   `json:"offset"`
	Total      int64   `json:"total" doc:"Number of rows in the whole list."`
	NextCursor *string `json:"next_cursor" doc:"Cursor of the page of newer rows; null on the newest page."`
	PrevCursor *string `json:"prev_cursor" doc:"Cursor of the page of older rows; null on the oldest page."`
	Cursor     *string `json:"cursor" doc:"Cursor of this page: its first row; null when it is empty."`
	Results    []T     `json:"results" nullable:"false"`
}

// accountTransactionV2 is a transaction of an account, with the STX that the account sent and received and the number
// of its asset events.
type accountTransactionV2 struct {
	Tx          view.TransactionBody `json:"tx"`
	STXSent     schema.Amount        `json:"stx_sent" doc:"µSTX, including the fee if the account paid it."`
	STXReceived schema.Amount        `json:"stx_received" doc:"µSTX"`
	Events      movesByAsset         `json:"events" doc:"Number of events that move assets of the account."`
}

type movesByAsset struct {
	STX moveCounts `json:"stx"`
	FT  moveCounts `json:"ft"`
	NFT moveCounts `json:"nft"`
}

type moveCounts struct {
	Transfer int32 `json:"transfer"`
	Mint     int32 `json:"mint"`
	Burn     int32 `json:"burn"`
}

func countMoves(r *memberRow) movesByAsset {
	counts := func(m []int32) moveCounts { return moveCounts{m[0], m[1], m[2]} }
	return movesByAsset{counts(r.moved[0:3]), counts(r.moved[3:6]), counts(r.moved[6:9])}
}

func (a *api) registerAccountTransactionsV2() {
	r := engine.Operation{
		ID: "list-account-transactions-v2", Path: "/extended/v2/addresses/{address}/transactions", Tag: "Accounts", Summary: "Transactions of an account with the amounts that they moved, newest first",
		Description: engine.Instead("/extended/v3/principals/{principal}/transactions") + " The reference has neither `from_block` nor `to_block`.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}
	engine.Get(a.Engine, r, a.listAccountTransactionsV2)
}

func (a *api) listAccountTransactionsV2(ctx context.Context, s *engine.Snapshot, in *accountTransactionsV2Input) (*placedPage[accountTransactionV2], error) {
	account, err := in.Address.Account()
	if err != nil {
		return nil, err
	}
	p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, page.ListLimit)}
	list := &placedPage[accountTransactionV2]{Limit: p.Limit, Offset: p.Offset, Results: []accountTransactionV2{}}
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return list, nil
	}
	if p.Place, err = in.Cursor.place(ctx, s); err != nil {
		return nil, err
	}
	b := s.Batch()
	head, found := members.Queue(b, p, account)
	beside := members.QueueNeighbours(b, p, account)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := transactionsOf(found.Rows)
	interfaces, err := view.Complete(ctx, s, rows, false, nil)
	if err != nil {
		return nil, err
	}
	for i := range found.Rows {
		r := &found.Rows[i]
		list.Results = append(list.Results, accountTransactionV2{
			view.RenderTransaction(&r.TransactionRow, view.Rendering{Interfaces: interfaces, WithoutArguments: in.ExcludeFunctionArgs}), r.allSent(), schema.Amount(r.received), countMoves(r),
		})
	}
	first, _ := head.First()
	list.Total = first.Total()
	if len(found.Rows) > 0 {
		r := &found.Rows[0]
		list.Cursor = blockCursorOf((&page.ListPlace{Block: r.IndexHash, Sequence: r.Sequence(), Index: r.Index}))
	}
	for i := range beside.Rows {
		if at := &beside.Rows[i]; at.Number > first.Start || first.Empty() {
			list.NextCursor = blockCursorOf(at)
		} else {
			list.PrevCursor = blockCursorOf(at)
		}
	}
	return list, nil
}
