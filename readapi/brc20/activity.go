package brc20

import (
	"context"
	"net/http"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// brc20Activity is a BRC-20 operation. Exactly one of the last four fields is set: the one of its kind.
type brc20Activity struct {
	Operation     string  `json:"operation" enum:"deploy,mint,transfer,transfer_send"`
	Ticker        string  `json:"ticker" doc:"As spelled by the deploy of the token."`
	InscriptionID string  `json:"inscription_id"`
	BlockHeight   int64   `json:"block_height" doc:"Height of the block of this operation; the hash, time and transaction are also those of this operation."`
	BlockHash     string  `json:"block_hash"`
	TxID          string  `json:"tx_id"`
	Location      *string `json:"location" doc:"Transaction, output and offset of the inscription after the operation; null when the feed does not say."`
	Address       string  `json:"address" doc:"The address that acts. For a send, the receiver; empty when the amount was burnt."`
	Timestamp     int64   `json:"timestamp" doc:"Milliseconds since 1970."`

	Deploy       *brc20Deploy   `json:"deploy,omitempty"`
	Mint         *brc20Mint     `json:"mint,omitempty"`
	Transfer     *brc20Transfer `json:"transfer,omitempty" doc:"An amount was inscribed for a later send."`
	TransferSend *brc20Send     `json:"transfer_send,omitempty" doc:"An inscribed amount was sent."`
}

type brc20Deploy struct {
	MaxSupply string  `json:"max_supply"`
	MintLimit *string `json:"mint_limit" doc:"Maximum amount of one mint; null for no limit."`
	Decimals  int16   `json:"decimals"`
}

type brc20Mint struct {
	Amount string `json:"amount"`
}

type brc20Transfer struct {
	Amount      string `json:"amount"`
	FromAddress string `json:"from_address"`
}

type brc20Send struct {
	Amount      string `json:"amount"`
	FromAddress string `json:"from_address"`
	ToAddress   string `json:"to_address"`
}

// activityRow is an operation as the tables store it.
type activityRow struct {
	kind                         int16
	ticker, id, address          string
	height, time                 int64
	blockHash, tx                hash.Hash32
	satpoint, receiver           *string
	amount, maxSupply, mintLimit *string
	decimals, deployDecimals     *int16
}

func activityColumns(r *activityRow) []any {
	return []any{
		&r.kind, &r.ticker, &r.id, &r.address, &r.height, &r.time, &r.blockHash, &r.tx, &r.satpoint, &r.receiver, &r.amount, &r.maxSupply, &r.mintLimit,
		&r.decimals, &r.deployDecimals,
	}
}

// newestFirst orders the operations of a page p.
const newestFirst = `p.height DESC, p.tx_index DESC`

// activityPage returns the query that adds the shown columns of each operation to a page query, which selects height
// and tx_index. LIMIT 1 does not change the result: it keeps Postgres from reading all operations at once.
func activityPage(page, order string) string {
	return `
SELECT r.* FROM (` + page + `) p
CROSS JOIN LATERAL (
	SELECT {brc20.operation o, brc20.token t, brc20.block b},
	       o.kind, coalesce(t.tick, o.ticker) AS tick, o.id, o.address, o.height, b.time, b.block_hash, o.txid, o.satpoint, o.receiver,
	       o.amount::text, o.max_supply::text, o.mint_limit::text, t.decimals, o.decimals AS deploy_decimals
	FROM {brc20}.operation o
	JOIN {brc20}.block b ON b.height = o.height
	LEFT JOIN {brc20}.token t ON t.ticker = o.ticker
	WHERE o.height = p.height AND o.tx_index = p.tx_index LIMIT 1
) r
ORDER BY ` + order
}

func (r *activityRow) shape() brc20Activity {
	a := brc20Activity{
		Operation: string(ordinals.BRC20Kinds[r.kind]), Ticker: r.ticker, InscriptionID: r.id, BlockHeight: r.height, BlockHash: ordinal.Bare(r.blockHash), TxID: ordinal.Bare(r.tx),
		Location: r.satpoint, Address: r.address, Timestamp: ordinal.Milliseconds(r.time),
	}
	amount := ""
	if r.amount != nil {
		amount = tokenAmount(*r.amount, r.decimals)
	}
	switch ordinals.BRC20Kinds[r.kind] {
	case ordinals.BRC20KindDeploy:
		a.Deploy = &brc20Deploy{
			MaxSupply: tokenAmount(schema.OrEmpty(r.maxSupply), r.deployDecimals), MintLimit: tokenAmountOrNull(r.mintLimit, r.deployDecimals),
			Decimals: int16(decimalsOf(r.deployDecimals)),
		}
	case ordinals.BRC20KindMint:
		a.Mint = &brc20Mint{amount}
	case ordinals.BRC20KindTransfer:
		a.Transfer = &brc20Transfer{amount, r.address}
	case ordinals.BRC20KindTransferSend:
		a.Address = schema.OrEmpty(r.receiver)
		a.TransferSend = &brc20Send{amount, r.address, a.Address}
	}
	return a
}

// BRC20ActivityInput filters the list of operations.
type BRC20ActivityInput struct {
	Ticker      tickerList              `query:"ticker,explode"`
	BlockHeight ordinal.HeightParameter `query:"block_height" doc:"Height of the block of the operations."`
	Operation   operationList           `query:"operation,explode"`
	Address     string                  `query:"address" doc:"The address that acts, or that receives what is sent."`
	ordinal.OrdinalsPageInput
}

func (a *api) registerBRC20Activity() {
	engine.Get(a.Engine, brc20Resource(engine.Operation{
		ID: "getBrc20Activity", Path: "/activity", Summary: "BRC-20 operations", Statuses: []int{http.StatusBadRequest, http.StatusServiceUnavailable},
		Description: "The newest operation comes first. A page costs the same at any depth, except with two combinations of filters, which read operations " +
			"to count them: `block_height` reads those of the block; `ticker` together with `address` reads those of the tickers or those of the address, " +
			"whichever are fewer.",
	}), a.brc20Activity)
}

func (a *api) brc20Activity(ctx context.Context, s *engine.Snapshot, in *BRC20ActivityInput) (*ordinal.OrdinalsPage[brc20Activity], error) {
	return pageOf(ctx, s, in.OrdinalsPageInput, in.read, (*activityRow).shape)
}

// read reads a page with the cheapest query for the given filters.
func (in *BRC20ActivityInput) read(ctx context.Context, s *engine.Snapshot) (rows []activityRow, total int64, err error) {
	tickers, kinds, address := in.Ticker.values(), in.Operation.values(), ordinals.Bounded(in.Address)
	height, hasHeight := in.BlockHeight.Value()
	switch {
	case hasHeight:
		return in.count(ctx, s, operationsOfBlock, tickers, kinds, address, height)
	case len(tickers) > 0 && address != "":
		return in.countFewer(ctx, s, tickers, kinds, address)
	case len(tickers) == 0 && len(kinds) == 0 && address == "":
		return page.ReadList(ctx, s, allOperations, in.Offset, in.Limit, activityColumns, activityPage)
	}
	return mergeOf(tickers, kinds, address).read(ctx, s, in.Offset, in.Limit)
}

var allOperations = listOfOperations("all", `{brc20}.operation c WHERE true`)

// listOfOperations returns a list of operations whose length the tables store under name.
func listOfOperations(name, rows string, args ...any) page.OrderedList {
	return page.OrderedList{RankedList: page.RankedList{
		Projection: brc20, Name: name, Rows: rows, Args: args, Key: []string{"c.height", "c.tx_index"}, Columns: "c.height, c.tx_index",
	}, Descending: true}
}

// Queries for the operations that match the filters: tickers $1, kinds $2, address $3, height $6. Null tickers, null
// kinds and an empty address do not filter.
const (
	operationsOfBlock = `
	SELECT height, tx_index FROM {brc20}.operation
	WHERE height = $6 AND ($1::text[] IS NULL OR ticker = ANY ($1)) AND ($2::smallint[] IS NULL OR kind = ANY ($2))
	  AND ($3::text = '' OR address = $3 OR receiver = $3)`
	operationsOfOneAddress = `
	SELECT height, tx_index FROM {brc20}.operation
	WHERE address = $3 AND ticker = ANY ($1) AND kind = ANY (coalesce($2::smallint[], ARRAY[1, 2, 3, 4]::smallint[]))
	UNION ALL
	SELECT height, tx_index FROM {brc20}.operation
	WHERE receiver = $3 AND receiver <> address AND ticker = ANY ($1) AND ($2::smallint[] IS NULL OR 4 = ANY ($2))`
	operationsOfTickers = `
	SELECT height, tx_index FROM {brc20}.operation
	WHERE ticker = ANY ($1) AND kind = ANY (coalesce($2::smallint[], ARRAY[1, 2, 3, 4]::smallint[])) AND (address = $3 OR receiver = $3)`
)

// countFewer counts the operations of some tickers and an address. It reads those of the tickers or those of the
// address, whichever are fewer.
func (in *BRC20ActivityInput) countFewer(ctx context.Context, s *engine.Snapshot, tickers []string, kinds []int16, address string) ([]activityRow, int64, error) {
	names := make([]string, 0, len(tickers)+1)
	for _, ticker := range tickers {
		names = append(names, "ticker:"+ticker)
	}
	b := s.Batch()
	lengths := page.QueryLengths(b, brc20, append(names, "address:"+address)...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	n, ofTickers := lengths(), int64(0)
	for i := range tickers {
		ofTickers += n[i]
	}
	if ofTickers < n[len(tickers)] {
		return in.count(ctx, s, operationsOfTickers, tickers, kinds, address)
	}
	return in.count(ctx, s, operationsOfOneAddress, tickers, kinds, address)
}

// count counts the operations that match the filters, and reads a page of them.
func (in *BRC20ActivityInput) count(ctx context.Context, s *engine.Snapshot, operations string, tickers []string, kinds []int16, address string, height ...any) ([]activityRow, int64, error) {
	b := s.Batch()
	args := append([]any{tickers, kinds, address, min(in.Offset, page.RankedOffsetMax), int64(in.Limit)}, height...)
	totals := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, n.total FROM (SELECT count(*) AS total FROM (`+operations+`) m) n
		WHERE $4::bigint >= 0 AND $5::bigint > 0`, args...)
	matches := engine.Query(b, activityColumns, activityPage(`
		SELECT height, tx_index FROM (`+operations+`) m ORDER BY height DESC, tx_index DESC OFFSET $4 LIMIT $5`, newestFirst), args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, ordinal.CountTooLong(err)
	}
	total, _ := totals.First()
	return matches.Rows, total, nil
}
