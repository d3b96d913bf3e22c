package brc20

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
)

// brc20Token is a BRC-20 token.
type brc20Token struct {
	ID              string  `json:"id" doc:"Id of the inscription that deployed the token."`
	Number          *int64  `json:"number" doc:"Number of that inscription; null when the feed has not given it."`
	BlockHeight     int64   `json:"block_height"`
	TxID            string  `json:"tx_id"`
	Address         string  `json:"address" doc:"The address that deployed the token."`
	Ticker          string  `json:"ticker" doc:"As spelled by the deploy."`
	MaxSupply       string  `json:"max_supply"`
	MintLimit       *string `json:"mint_limit" doc:"Maximum amount of one mint; null for no limit."`
	Decimals        int16   `json:"decimals"`
	DeployTimestamp int64   `json:"deploy_timestamp" doc:"Milliseconds since 1970."`
	MintedSupply    string  `json:"minted_supply"`
	TxCount         int64   `json:"tx_count" doc:"Number of operations, including the deploy."`
	SelfMint        bool    `json:"self_mint" doc:"Whether only the deployer may mint."`
	Incomplete      bool    `json:"incomplete,omitempty" doc:"True if the feed has operations of the token that could not be read, so that its supply, holders and balances may be wrong: /audit/v1/quarantine has them. Absent otherwise."`
}

// brc20Details is a token with its supply.
type brc20Details struct {
	Token  brc20Token  `json:"token"`
	Supply brc20Supply `json:"supply"`
}

type brc20Supply struct {
	MaxSupply    string `json:"max_supply"`
	MintedSupply string `json:"minted_supply"`
	Holders      int64  `json:"holders" doc:"Number of addresses with a balance above zero."`
}

// brc20TokenRow is a deployed token as the tables store it.
type brc20TokenRow struct {
	id, address, tick, maxSupply, minted string
	number                               *int64
	height, time, txCount, holders       int64
	tx                                   hash.Hash32
	mintLimit                            *string
	decimals                             int16
	selfMint, incomplete                 bool
}

func brc20TokenColumns(r *brc20TokenRow) []any {
	return []any{
		&r.id, &r.address, &r.tick, &r.maxSupply, &r.minted, &r.number, &r.height, &r.time, &r.txCount, &r.holders, &r.tx, &r.mintLimit, &r.decimals,
		&r.selfMint, &r.incomplete,
	}
}

// brc20TokenSQL selects what brc20TokenColumns reads from a token t and its block b.
var brc20TokenSQL = `{brc20.token t, brc20.block b}, t.id, t.address, t.tick, t.max_supply::text, t.minted::text, t.number, t.height, b.time, t.tx_count,
	t.holders, t.txid, t.mint_limit::text, t.decimals, t.self_mint, ` + lacks("t.ticker", "")

func (r *brc20TokenRow) shape() brc20Token {
	return brc20Token{
		ID: r.id, Number: r.number, BlockHeight: r.height, TxID: ordinal.Bare(r.tx), Address: r.address, Ticker: r.tick,
		MaxSupply: tokenAmount(r.maxSupply, &r.decimals), MintLimit: tokenAmountOrNull(r.mintLimit, &r.decimals), Decimals: r.decimals,
		DeployTimestamp: ordinal.Milliseconds(r.time), MintedSupply: tokenAmount(r.minted, &r.decimals), TxCount: r.txCount, SelfMint: r.selfMint,
		Incomplete: r.incomplete,
	}
}

// brc20TokenOrder is a sort order of the list of tokens.
type brc20TokenOrder string

// Schema implements huma.SchemaProvider.
func (brc20TokenOrder) Schema(huma.Registry) *huma.Schema {
	s := param.Constants("index", "tx_count", "index")
	s.Description = "index: newest deploy first. tx_count: most operations first."
	return s
}

const byTxCount brc20TokenOrder = "tx_count"

// BRC20TokensInput filters and sorts the list of tokens.
type BRC20TokensInput struct {
	Ticker  tickerPrefixes  `query:"ticker,explode"`
	OrderBy brc20TokenOrder `query:"order_by"`
	ordinal.OrdinalsPageInput
}

func (a *api) registerBRC20Tokens() {
	engine.Get(a.Engine, brc20Resource(engine.Operation{
		ID: "getBrc20Tokens", Path: "/tokens", Summary: "BRC-20 tokens", Statuses: []int{http.StatusBadRequest},
		Description: "Tokens whose deploy is known. With `ticker`, each request reads and counts all tokens that match; sorted by `tx_count`, it passes over all " +
			"rows before the page.",
	}), a.brc20Tokens)
}

func (a *api) brc20Tokens(ctx context.Context, s *engine.Snapshot, in *BRC20TokensInput) (*ordinal.OrdinalsPage[brc20Token], error) {
	return pageOf(ctx, s, in.OrdinalsPageInput, in.read, (*brc20TokenRow).shape)
}

func (in *BRC20TokensInput) read(ctx context.Context, s *engine.Snapshot) (rows []brc20TokenRow, total int64, err error) {
	least, beyond, filters := in.Ticker.ranges()
	switch {
	case filters:
		return in.readMatching(ctx, s, least, beyond)
	case in.OrderBy != byTxCount:
		return page.ReadList(ctx, s, deployedTokens, in.Offset, in.Limit, brc20TokenColumns, brc20TokenPage)
	}
	b := s.Batch()
	lengths := page.QueryLengths(b, brc20, "tokens")
	matches := engine.Query(b, brc20TokenColumns, brc20TokenPage(`
		SELECT ticker, tx_count FROM {brc20}.token WHERE height IS NOT NULL ORDER BY tx_count DESC, ticker OFFSET $1 LIMIT $2`,
		`p.tx_count DESC, p.ticker`), min(in.Offset, page.RankedOffsetMax), int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	return matches.Rows, lengths()[0], nil
}

// deployedTokens is the list of deployed tokens, the newest first.
var deployedTokens = page.OrderedList{RankedList: page.RankedList{
	Projection: brc20, Name: "tokens", Rows: `{brc20}.token c WHERE c.height IS NOT NULL`, Key: []string{"c.height", "c.tx_index"}, Columns: "c.ticker",
}, Descending: true}

// brc20TokenPage returns the query that adds the shown columns of each token to a page query, which selects tickers.
func brc20TokenPage(page, order string) string {
	return `
SELECT r.* FROM (` + page + `) p
CROSS JOIN LATERAL (
	SELECT ` + brc20TokenSQL + ` FROM {brc20}.token t JOIN {brc20}.block b ON b.height = t.height WHERE t.ticker = p.ticker LIMIT 1
) r ORDER BY ` + order
}

// readMatching counts the tokens in ranges of tickers, which reads all of them, and reads a page of them.
func (in *BRC20TokensInput) readMatching(ctx context.Context, s *engine.Snapshot, least, beyond []string) ([]brc20TokenRow, int64, error) {
	order := `height DESC, tx_index DESC`
	if in.OrderBy == byTxCount {
		order = `tx_count DESC, ticker`
	}
	matching := `
	SELECT t.ticker, t.height, t.tx_index, t.tx_count
	FROM unnest($1::text[], $2::text[]) AS range (least, beyond)
	CROSS JOIN LATERAL (
		SELECT * FROM {brc20}.token t WHERE t.ticker >= range.least AND t.ticker < range.beyond AND t.height IS NOT NULL OFFSET 0
	) t`
	b := s.Batch()
	count := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, (SELECT count(*) FROM (`+matching+`) m)`, least, beyond)
	matches := engine.Query(b, brc20TokenColumns, brc20TokenPage(matching+` ORDER BY `+order+` OFFSET $3 LIMIT $4`, inPage(order)),
		least, beyond, min(in.Offset, page.RankedOffsetMax), int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	total, _ := count.First()
	return matches.Rows, total, nil
}

// inPage prefixes each column of an order with p, the alias of the page in a query.
func inPage(order string) string { return "p." + strings.ReplaceAll(order, ", ", ", p.") }

func (a *api) registerBRC20Token() {
	engine.Get(a.Engine, brc20Resource(engine.Operation{
		ID: "getBrc20TokenDetails", Path: "/tokens/{ticker}", Summary: "A BRC-20 token", PointRead: true,
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}), a.brc20Token)
}

// notFound returns the error for a token that is unknown.
func (in *BRC20Input) notFound(ctx context.Context, s *engine.Snapshot) error {
	return ordinal.NotFound(ctx, s, ordinals.TokenSubject(storedText(string(in.Ticker))))
}

func (a *api) brc20Token(ctx context.Context, s *engine.Snapshot, in *BRC20Input) (*brc20Details, error) {
	if s.Active(brc20) == nil {
		return nil, ordinal.ErrOrdinalsNotFound
	}
	b := s.Batch()
	matches := engine.Query(b, brc20TokenColumns, `
		SELECT `+brc20TokenSQL+`
		FROM {brc20}.token t JOIN {brc20}.block b ON b.height = t.height WHERE t.ticker = $1`, tickerOf(string(in.Ticker)))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := matches.First()
	if !ok {
		return nil, in.notFound(ctx, s)
	}
	s.TraceRows(func() []engine.Lookup { return []engine.Lookup{mintLookup(tickerOf(row.tick))} })
	t := row.shape()
	return &brc20Details{Token: t, Supply: brc20Supply{MaxSupply: t.MaxSupply, MintedSupply: t.MintedSupply, Holders: row.holders}}, nil
}
