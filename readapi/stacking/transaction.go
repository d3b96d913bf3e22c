package stacking

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

const poxTransactionsLimit = 20

type burnBlockPoxTransactionsInput struct {
	param.BurnBlockInput
	Limit  int   `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the first row."`
	page.NumberCursor
}

type addressPoxTransactionsInput struct {
	param.BitcoinAddressInput
	Limit  int    `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64  `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row. With a cursor, at most 1000."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,9}$" doc:"Where the page begins: a cursor from another page."`
}

// poxTransaction is an output of a block commit that pays a stacker.
type poxTransaction struct {
	BurnBlockHeight int64         `json:"burn_block_height"`
	BurnBlockHash   hash.Hash32   `json:"burn_block_hash"`
	TxID            hash.Hash32   `json:"tx_id"`
	Recipient       string        `json:"recipient"`
	UTXOIndex       *int64        `json:"utxo_idx" doc:"Index of the output; null when the node did not report it."`
	Amount          schema.Amount `json:"amount" doc:"Satoshi."`
}

// payoutRow is an output as it is read from the tables.
type payoutRow struct {
	poxTransaction
	rank int64 // position in its Bitcoin block, in descending order of transaction ids
}

func payoutColumns(r *payoutRow) []any {
	return []any{&r.BurnBlockHeight, &r.rank, &r.BurnBlockHash, &r.TxID, &r.Recipient, &r.UTXOIndex, &r.Amount}
}

// poxTransactionFill returns the query that adds the columns of the Bitcoin block to the rows of a page.
func poxTransactionFill(page, order string) string {
	return `
		SELECT p.shown || {pox.burn_block b}, p.a, p.b::bigint, b.burn_block_hash, p.txid, p.recipient, p.utxo_index, p.amount
		FROM (` + page + `) p
		CROSS JOIN LATERAL (SELECT * FROM {pox}.burn_block b WHERE b.height = p.a LIMIT 1) b
		ORDER BY ` + order
}

func poxTransactionList(address string) *page.KeyedList[payoutRow, poxTransaction] {
	return &page.KeyedList[payoutRow, poxTransaction]{
		OrderedList: page.OrderedList{RankedList: page.RankedList{
			Projection: "pox", Name: "payouts:" + address, Rows: `{pox}.payout c WHERE c.recipient = $1`, Args: []any{address},
			Key: []string{"c.height", "c.rank"}, Columns: `{pox.payout c} AS shown, c.txid, c.recipient, c.utxo_index, c.amount::text AS amount`,
		}, Descending: true},
		Columns: payoutColumns, Fill: poxTransactionFill,
		Key:   func(r *payoutRow) page.ListKey { return page.ListKey{A: r.BurnBlockHeight, B: r.rank} },
		Shape: func(r *payoutRow) poxTransaction { return r.poxTransaction },
	}
}

func (a *api) registerPoxTransactions() {
	const reported = "Nodes report these outputs one by one since release 3.3.0.0.5. "
	engine.Get(a.Engine, engine.Operation{
		ID: "list-burn-block-pox-transactions", Path: "/extended/v2/burn-blocks/{height_or_hash}/pox-transactions", Tag: "Stacking",
		Summary: "Outputs of a Bitcoin block that pay stackers",
		Description: reported + "They are in the order of transaction ids. `prev_cursor` leads to the following page, `next_cursor` to the preceding one. " +
			"A block that the chain does not follow has none.",
		Statuses: []int{http.StatusBadRequest}, Dependencies: engine.On("pox", shard.Bitcoin),
	}, listBurnBlockPoxTransactions)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-address-pox-transactions", Path: "/extended/v2/addresses/{address}/pox-transactions", Tag: "Stacking",
		Summary:     "Outputs of Bitcoin blocks that pay an address for stacking, newest first",
		Description: reported + "Within a block they are in the order of transaction ids. `next_cursor` leads to newer rows and `prev_cursor` to older ones.",
		Statuses:    []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *addressPoxTransactionsInput) (*page.NumberedPage[poxTransaction], error) {
		address, err := in.Address.Text()
		if err != nil {
			return nil, err
		}
		ask := page.KeyRequest{Limit: page.LimitOr(in.Limit, poxTransactionsLimit), Offset: in.Offset, Cursor: in.Cursor}
		if s.Active("pox") == nil {
			return &page.NumberedPage[poxTransaction]{Limit: ask.Limit, Offset: ask.Offset, Results: []poxTransaction{}}, nil
		}
		return poxTransactionList(address).Read(ctx, s, ask)
	})
}

var tracedPayout = &engine.TraceTable{
	Projection: "pox", Name: "payout", Key: "height rank", NewestFirst: []string{"t.height", "t.rank"}, Values: "recipient amount:text txid:hex utxo_index",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/pox_transactions/' || t.commitment || '/reward_recipients/' || t.output]`}},
}

// listBurnBlockPoxTransactions reads a range of the ranks of a block. The first transaction id has the highest rank.
func listBurnBlockPoxTransactions(ctx context.Context, s *engine.Snapshot, in *burnBlockPoxTransactionsInput) (*page.NumberedPage[poxTransaction], error) {
	p := &page.Request{Offset: in.Offset, Limit: page.LimitOr(in.Limit, poxTransactionsLimit), Number: in.Number()}
	if s.Active("pox") == nil {
		return page.NewNumberedPage[poxTransaction](p, page.Head{}), nil
	}
	var height, payouts int64
	b := s.Batch()
	block := followedBlock(b, in.Block, func(*struct{}) []any { return []any{&height, &payouts} }, `b.height, b.payouts::bigint`)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(block.Rows) == 0 {
		return page.NewNumberedPage[poxTransaction](p, page.Head{}), nil
	}
	head := headOf(p, payouts)
	page := page.NewNumberedPage[poxTransaction](p, head)
	b = s.Batch()
	outputs := engine.Query(b, payoutColumns, poxTransactionFill(`
		SELECT c.height AS a, c.rank AS b, {pox.payout c} AS shown, c.txid, c.recipient, c.utxo_index, c.amount::text AS amount
		FROM {pox}.payout c WHERE c.height = $1 AND c.rank < $2::bigint AND c.rank >= $3::bigint`, `p.b DESC`), height, head.Start, head.Start-int64(p.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i := range outputs.Rows {
		page.Results = append(page.Results, outputs.Rows[i].poxTransaction)
	}
	return page, nil
}

// headOf returns the head of a page in a list of total rows, which are numbered from 1 and listed from the last to the
// first.
func headOf(p *page.Request, total int64) page.Head {
	head := page.Head{High: total, Start: total}
	if p.Number != nil {
		head.Start = min(*p.Number, total)
	}
	head.Start -= min(p.Offset, page.OffsetMax)
	return head
}

// followedBlock adds to a batch the query for a Bitcoin block that the chain follows; "latest" means the highest one.
func followedBlock[T any](b *engine.Batch, named param.HeightOrHash, columns func(*T) []any, selected string) *engine.Result[T] {
	const sql = ` FROM {pox}.burn_block b `
	switch latest, height, id := named.Parse(); {
	case height != nil:
		return engine.Query(b, columns, `SELECT {pox.burn_block b}, `+selected+sql+`WHERE b.height = $1`, *height)
	case id != nil:
		return engine.Query(b, columns, `SELECT {pox.burn_block b}, `+selected+sql+`WHERE b.burn_block_hash = $1 ORDER BY b.height DESC LIMIT 1`, *id)
	case latest:
		return engine.Query(b, columns, `SELECT {pox.burn_block b}, `+selected+sql+`ORDER BY b.height DESC LIMIT 1`)
	}
	return &engine.Result[T]{} // the height exceeds 64 bits: no block
}
