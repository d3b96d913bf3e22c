package readapi

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

const poxTransactionsLimit = 20

type burnBlockPoxTransactionsInput struct {
	BurnBlockInput
	Limit  int   `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the first."`
	NumberCursor
}

type addressPoxTransactionsInput struct {
	BitcoinAddressInput
	Limit  int    `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64  `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest; with a cursor 1000 at most."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}(:[0-9]{1,9})?$" doc:"Where the page begins, as cursors of other pages name it."`
}

// poxTransaction is an output of the commit of a miner.
type poxTransaction struct {
	BurnBlockHeight int64       `json:"burn_block_height"`
	BurnBlockHash   hash.Hash32 `json:"burn_block_hash"`
	TxID            hash.Hash32 `json:"tx_id"`
	Recipient       string      `json:"recipient"`
	UTXOIndex       *int64      `json:"utxo_idx" doc:"The number of the output; null where the node did not say."`
	Amount          amount      `json:"amount" doc:"Satoshi."`

	rank int64
}

func poxTransactionColumns(t *poxTransaction) []any {
	return []any{&t.BurnBlockHeight, &t.rank, &t.BurnBlockHash, &t.TxID, &t.Recipient, &t.UTXOIndex, &t.Amount}
}

// poxTransactionFill adds the Bitcoin block to the rows of a page.
func poxTransactionFill(page, order string) string {
	return `
		SELECT ARRAY[b.source_seq], p.a, p.b::bigint, b.burn_block_hash, p.txid, p.recipient, p.utxo_index, p.amount
		FROM (` + page + `) p
		CROSS JOIN LATERAL (SELECT * FROM {pox}.burn_block b WHERE b.height = p.a LIMIT 1) b
		ORDER BY ` + order
}

func poxTransactionList(address string) *keyedList[poxTransaction, poxTransaction] {
	return &keyedList[poxTransaction, poxTransaction]{
		ordered: ordered{rankedList{
			projection: "pox", name: "payouts:" + address, rows: `{pox}.payout c WHERE c.recipient = $1`, args: []any{address},
			key: []string{"c.height", "c.rank"}, columns: `c.txid, c.recipient, c.utxo_index, c.amount::text AS amount`,
		}, true},
		columns: poxTransactionColumns, fill: poxTransactionFill,
		key:   func(t *poxTransaction) listKey { return listKey{t.BurnBlockHeight, t.rank} },
		shape: func(t *poxTransaction) poxTransaction { return *t },
	}
}

func (a *API) registerPoxTransactions() {
	const told = "Nodes tell these one by one since release 3.3.0.0.5. "
	get(a.Engine, resource{
		id: "list-burn-block-pox-transactions", path: "/extended/v2/burn-blocks/{height_or_hash}/pox-transactions", tag: "Stacking",
		summary: "Outputs of a Bitcoin block that pay stackers", taggedByContent: true,
		about:    told + "In the order of transaction ids. `prev_cursor` leads on, `next_cursor` back. Of a block that is not followed there are none.",
		statuses: []int{http.StatusBadRequest}, class: answer.Tip, of: on("pox", shard.Bitcoin),
	}, listBurnBlockPoxTransactions)
	get(a.Engine, resource{
		id: "list-address-pox-transactions", path: "/extended/v2/addresses/{address}/pox-transactions", tag: "Stacking",
		summary: "Outputs of Bitcoin blocks that pay an address for stacking, newest first", taggedByContent: true,
		about:    told + "Those of a block are in the order of transaction ids. `next_cursor` leads to newer rows and `prev_cursor` to older ones.",
		statuses: []int{http.StatusBadRequest}, class: answer.Tip,
	}, func(ctx context.Context, s *snapshot, in *addressPoxTransactionsInput) (*numberedPage[poxTransaction], error) {
		address, err := in.Address.text()
		if err != nil {
			return nil, err
		}
		ask := keyedAsk{orDefault(in.Limit, poxTransactionsLimit), in.Offset, in.Cursor}
		if s.active("pox") == nil {
			return &numberedPage[poxTransaction]{Limit: ask.limit, Offset: ask.offset, Results: []poxTransaction{}}, nil
		}
		page, _, err := poxTransactionList(address).read(ctx, s, ask)
		return page, err
	})
	tracedPoxTransactions[*burnBlockPoxTransactionsInput](a, "list-burn-block-pox-transactions")
	tracedPoxTransactions[*addressPoxTransactionsInput](a, "list-address-pox-transactions")
}

var tracedPayout = &tracedTable{
	projection: "pox", name: "payout", key: "height rank", values: "recipient amount:text txid:hex utxo_index",
	sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/pox_transactions/' || t.commitment || '/reward_recipients/' || t.output]`}},
}

func tracedPoxTransactions[In any](a *API, id string) {
	traced(a.Engine, id, func(_ context.Context, _ *snapshot, _ In, page *numberedPage[poxTransaction]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		heights, ranks := make([]int64, len(page.Results)), make([]int64, len(page.Results))
		for i := range page.Results {
			heights[i], ranks[i] = page.Results[i].BurnBlockHeight, page.Results[i].rank
		}
		return placedLookups(lookup{name: "payout", table: tracedPayout, newestFirst: []string{"t.height", "t.rank"}}, "rank", heights, ranks), nil
	})
}

// listBurnBlockPoxTransactions reads a range of the ranks of a block: the first in the order of transaction ids has the highest.
func listBurnBlockPoxTransactions(ctx context.Context, s *snapshot, in *burnBlockPoxTransactionsInput) (*numberedPage[poxTransaction], error) {
	p := &asked{offset: in.Offset, limit: orDefault(in.Limit, poxTransactionsLimit), number: in.number()}
	if s.active("pox") == nil {
		return newNumberedPage[poxTransaction](p, pageHead{}), nil
	}
	var height, payouts int64
	b := s.batch()
	block := followedBlock(b, in.Block, func(*struct{}) []any { return []any{&height, &payouts} }, `b.height, b.payouts::bigint`)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(block.rows) == 0 {
		return newNumberedPage[poxTransaction](p, pageHead{}), nil
	}
	head := headOf(p, payouts)
	page := newNumberedPage[poxTransaction](p, head)
	b = s.batch()
	found := query(b, poxTransactionColumns, poxTransactionFill(`
		SELECT c.height AS a, c.rank AS b, c.txid, c.recipient, c.utxo_index, c.amount::text AS amount
		FROM {pox}.payout c WHERE c.height = $1 AND c.rank < $2::bigint AND c.rank >= $3::bigint`, `p.b DESC`), height, head.start, head.start-int64(p.limit))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	page.Results = append(page.Results, found.rows...)
	return page, nil
}

// headOf is where a page stands in a list of so many rows, which are numbered from 1; the last one comes first.
func headOf(p *asked, total int64) pageHead {
	head := pageHead{high: total, start: total}
	if p.number != nil {
		head.start = min(*p.number, total)
	}
	head.start -= min(p.offset, offsetMost)
	return head
}

// followedBlock adds the query for a followed Bitcoin block to a batch; latest is the highest.
func followedBlock[T any](b *batch, named heightOrHash, columns func(*T) []any, selected string) *result[T] {
	const sql = ` FROM {pox}.burn_block b `
	switch latest, height, id := named.parse(); {
	case height != nil:
		return query(b, columns, `SELECT ARRAY[b.source_seq], `+selected+sql+`WHERE b.height = $1`, *height)
	case id != nil:
		return query(b, columns, `SELECT ARRAY[b.source_seq], `+selected+sql+`WHERE b.burn_block_hash = $1 ORDER BY b.height DESC LIMIT 1`, *id)
	case latest:
		return query(b, columns, `SELECT ARRAY[b.source_seq], `+selected+sql+`ORDER BY b.height DESC LIMIT 1`)
	}
	return &result[T]{} // a height beyond 64 bits
}
