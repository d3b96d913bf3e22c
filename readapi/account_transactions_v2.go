package readapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

// AddressInput names an account as version 2 of the API does.
type AddressInput struct {
	Address principalParameter `path:"address"`
}

type accountTransactionsV2Input struct {
	AddressInput
	Limit  int         `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64       `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row."`
	Cursor blockCursor `query:"cursor" doc:"Where the page begins: index block hash, microblock sequence (2147483647 for none) and index in the block's list, with colons between."`
	BlockRange
	ArgumentsInput
}

func (in *accountTransactionsV2Input) Dependencies() dependencies {
	d := in.ofAccount(string(in.Address))
	if id, _, _, err := in.Cursor.parse(); err == nil {
		d = d.and("accounts", shard.Block(id))
	}
	return d
}

// blockCursor is where a transaction stands in a block that is named by its hash: hash:sequence:index.
type blockCursor string

func (c blockCursor) parse() (block hash.Hash32, sequence, index int64, err error) {
	parts := strings.Split(string(c), ":")
	bad := notFound("Invalid cursor format")
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

// place is the position in the chain that the cursor names; nil when there is no cursor.
func (c blockCursor) place(ctx context.Context, s *snapshot) (*chainPlace, error) {
	if c == "" {
		return nil, nil
	}
	id, sequence, index, err := c.parse()
	if err != nil {
		return nil, err
	}
	b := s.batch()
	found := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[k.source_seq], k.height FROM {accounts}.block k WHERE k.index_block_hash = $1`, id)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	height, ok := found.first()
	if !ok {
		return nil, notFound("Invalid cursor: block not found")
	}
	return &chainPlace{height, sequence, index}, nil
}

func (p *listPlace) blockCursor() *string {
	text := p.block.String() + ":" + strconv.Itoa(int(p.sequence)) + ":" + strconv.Itoa(int(p.index))
	return &text
}

// placedPage is a page of a list, newest first, as version 2 of the API has it. Mind the directions: next is newer.
type placedPage[T any] struct {
	Limit      int     `json:"limit"`
	Offset     int64   `json:"offset"`
	Total      int64   `json:"total" doc:"Length of the whole list."`
	NextCursor *string `json:"next_cursor" doc:"The page of newer rows; null on the newest page."`
	PrevCursor *string `json:"prev_cursor" doc:"The page of older rows; null on the oldest page."`
	Cursor     *string `json:"cursor" doc:"This page: its first row; null when it is empty."`
	Results    []T     `json:"results" nullable:"false"`
}

// accountTransactionV2 is a transaction of an account with how much it moved of it.
type accountTransactionV2 struct {
	Tx          transactionBody `json:"tx"`
	STXSent     amount          `json:"stx_sent" doc:"µSTX, the fee included when the account has paid it."`
	STXReceived amount          `json:"stx_received" doc:"µSTX"`
	Events      movesByAsset    `json:"events" doc:"How many events there are in which something of the account moves."`
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

func (r *accountTransaction) counts() movesByAsset {
	of := func(m []int32) moveCounts { return moveCounts{m[0], m[1], m[2]} }
	return movesByAsset{of(r.moved[0:3]), of(r.moved[3:6]), of(r.moved[6:9])}
}

func (a *API) registerAccountTransactionsV2() {
	r := resource{
		id: "list-account-transactions-v2", path: "/extended/v2/addresses/{address}/transactions", tag: "Accounts", summary: "Transactions of an account with how much they moved of it, newest first",
		about:    instead("/extended/v3/principals/{principal}/transactions") + " `from_block` and `to_block` are ours.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, deprecated: true,
	}
	get(a.Engine, r, a.listAccountTransactionsV2)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, in *accountTransactionsV2Input, page *placedPage[accountTransactionV2]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		rows := make([]*transactionRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].Tx.row
		}
		return accountTransactionLookups(string(in.Address), rows), nil
	})
}

func (a *API) listAccountTransactionsV2(ctx context.Context, s *snapshot, in *accountTransactionsV2Input) (*placedPage[accountTransactionV2], error) {
	account, err := in.Address.account()
	if err != nil {
		return nil, err
	}
	p := &asked{offset: in.Offset, limit: orDefault(in.Limit, listLimit)}
	page := &placedPage[accountTransactionV2]{Limit: p.limit, Offset: p.offset, Results: []accountTransactionV2{}}
	if p.from, p.to, err = in.heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return page, nil
	}
	if p.place, err = in.Cursor.place(ctx, s); err != nil {
		return nil, err
	}
	b := s.batch()
	head := queueHead(b, &accountTransactions, p, account)
	found := queueAccountTransactions(b, p, account)
	beside := accountTransactions.queueNeighbours(b, p, account)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	interfaces, err := complete(ctx, s, transactionsOf(found), false, nil)
	if err != nil {
		return nil, err
	}
	for i := range found.rows {
		r := &found.rows[i]
		page.Results = append(page.Results, accountTransactionV2{
			renderTransaction(&r.transactionRow, rendering{interfaces, in.ExcludeFunctionArgs}), r.allSent(), amount(r.received), r.counts(),
		})
	}
	first, _ := head.first()
	page.Total = first.total()
	if len(found.rows) > 0 {
		r := &found.rows[0]
		page.Cursor = (&listPlace{block: r.indexHash, sequence: r.sequence(), index: r.index}).blockCursor()
	}
	for i := range beside.rows {
		if at := &beside.rows[i]; at.number > first.start || first.empty() {
			page.NextCursor = at.blockCursor()
		} else {
			page.PrevCursor = at.blockCursor()
		}
	}
	return page, nil
}
