package brc20

import (
	"context"
	"net/http"

	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// brc20Transferable is an amount that was inscribed for a send and has not been sent yet.
type brc20Transferable struct {
	InscriptionNumber *int64        `json:"inscription_number" doc:"Null when the feed has not given it."`
	InscriptionID     string        `json:"inscription_id"`
	OrdinalNumber     *string       `json:"ordinal_number" doc:"Number of the satoshi that carries the inscription; null when the feed has not given it."`
	Amount            schema.Amount `json:"amount" doc:"In base units."`
	Ticker            string        `json:"ticker" doc:"As spelled by the deploy of the token."`
}

// BRC20TransferableInput names the holder of the amounts and filters them by ticker.
type BRC20TransferableInput struct {
	BRC20AddressInput
	Ticker tickerList `query:"ticker,explode"`
	ordinal.OrdinalsPageInput
}

func (a *api) registerBRC20Transferable() {
	engine.Get(a.Engine, brc20Resource(engine.Operation{
		ID: "getBrc20TransferableInscriptions", Path: "/balances/{address}/transferable", Summary: "Amounts that an address can send",
		Description: "The newest comes first. With `ticker`, each request reads all amounts that the address can send, to count them.",
		Statuses:    []int{http.StatusBadRequest, http.StatusServiceUnavailable},
	}), a.brc20Transferable)
}

type transferableRow struct {
	number, sat        *int64
	id, amount, ticker string
	decimals           *int16
}

func transferableColumns(r *transferableRow) []any {
	return []any{&r.number, &r.sat, &r.id, &r.amount, &r.ticker, &r.decimals}
}

// transferablePage returns the query that adds the shown columns of each amount to a page query, which selects height
// and tx_index.
func transferablePage(page, order string) string {
	return `
SELECT r.* FROM (` + page + `) p
CROSS JOIN LATERAL (
	SELECT {brc20.operation o, brc20.token t}, o.number, o.sat, o.id, o.amount::text, coalesce(t.tick, o.ticker) AS tick, t.decimals
	FROM {brc20}.operation o
	LEFT JOIN {brc20}.token t ON t.ticker = o.ticker
	WHERE o.height = p.height AND o.tx_index = p.tx_index LIMIT 1
) r
ORDER BY ` + order
}

func (a *api) brc20Transferable(ctx context.Context, s *engine.Snapshot, in *BRC20TransferableInput) (*ordinal.OrdinalsPage[brc20Transferable], error) {
	return pageOf(ctx, s, in.OrdinalsPageInput, in.read, func(r *transferableRow) brc20Transferable {
		return brc20Transferable{
			InscriptionNumber: r.number, InscriptionID: r.id, OrdinalNumber: ordinal.DecimalOrNull(r.sat), Ticker: r.ticker,
			Amount: schema.Amount(ordinals.BaseUnits(unitsOf(r.amount), decimalsOf(r.decimals)).String()),
		}
	})
}

// rowsTransferable selects the transfer inscriptions of an address that have not been sent.
const rowsTransferable = `{brc20}.operation c WHERE c.address = $1 AND c.kind = 3 AND c.sent_height IS NULL`

func (in *BRC20TransferableInput) read(ctx context.Context, s *engine.Snapshot) (rows []transferableRow, total int64, err error) {
	address, tickers := ordinals.Bounded(in.Address), in.Ticker.values()
	if len(tickers) == 0 {
		l := listOfOperations("transferable:"+address, rowsTransferable, address)
		return page.ReadList(ctx, s, l, in.Offset, in.Limit, transferableColumns, transferablePage)
	}
	b := s.Batch()
	matching := ` FROM ` + rowsTransferable + ` AND c.ticker = ANY ($2)`
	totals := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, count(*)`+matching, address, tickers)
	matches := engine.Query(b, transferableColumns, transferablePage(`
		SELECT c.height, c.tx_index`+matching+` ORDER BY c.height DESC, c.tx_index DESC OFFSET $3 LIMIT $4`, newestFirst),
		address, tickers, min(in.Offset, page.RankedOffsetMax), int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, 0, ordinal.CountTooLong(err)
	}
	total, _ = totals.First()
	return matches.Rows, total, nil
}
