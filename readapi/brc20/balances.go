package brc20

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// Bounds of a request for the balances of several addresses: of each list, and of all pairs of an address and a height.
const (
	addressesMost = 50
	heightsMost   = 20
	pairsMost     = 100
)

// addressList is a list of addresses in a request.
type addressList []string

// Schema implements huma.SchemaProvider.
func (addressList) Schema(huma.Registry) *huma.Schema {
	most := addressesMost
	s := schema.ListOf("Bitcoin addresses, 50 at most. To name several, repeat the parameter.", &huma.Schema{Type: huma.TypeString})
	s.MaxItems = &most
	return s
}

// heightList is a list of heights of Bitcoin blocks in a request.
type heightList []string

// Schema implements huma.SchemaProvider.
func (heightList) Schema(huma.Registry) *huma.Schema {
	most := heightsMost
	s := schema.ListOf("Balances after the blocks at these heights, 20 at most; the current balances by default. To name several, repeat the parameter. "+
		"Addresses times heights may be 100 at most.", ordinal.HeightSchema())
	s.MaxItems = &most
	return s
}

// BRC20ManyBalancesInput names holders and heights, and filters their balances.
type BRC20ManyBalancesInput struct {
	Address     addressList    `query:"address,explode" required:"true"`
	Ticker      tickerPrefixes `query:"ticker,explode"`
	BlockHeight heightList     `query:"block_height,explode"`
	ordinal.OrdinalsPageInput
}

// addressBalance is the balance of one of several addresses in a token, now or after a block.
type addressBalance struct {
	Address       string `json:"address"`
	BlockHeight   *int64 `json:"block_height" nullable:"true" doc:"The height that the request names; null for the current balance."`
	Ticker        string `json:"ticker"`
	Available     string `json:"available_balance"`
	Transferrable string `json:"transferrable_balance" doc:"Inscribed for a later send."`
	Overall       string `json:"overall_balance" doc:"The sum of both."`
	Negative      bool   `json:"negative,omitempty" doc:"True if one of the balances is below zero, which no token allows: the feed lacks operations. Absent otherwise."`
	Incomplete    bool   `json:"incomplete,omitempty" doc:"True if the feed has operations of the token that could not be read, so that the balance may be wrong: /audit/v1/quarantine has them. Absent otherwise."`
}

func (a *api) registerBRC20ManyBalances() {
	engine.Get(a.Engine, brc20Resource(engine.Operation{
		ID: "getBrc20BalancesOfAddresses", Path: "/balances", Summary: "BRC-20 tokens of several addresses, at several heights",
		Description: "Balances above zero: by address and by height, in the order of the request, and for each pair the largest first. " +
			"Each request reads all tokens of the addresses to count them.",
		Statuses: []int{http.StatusBadRequest, http.StatusServiceUnavailable},
	}), a.brc20ManyBalances)
}

type addressBalanceRow struct {
	brc20BalanceRow
	address *string
	height  *int64
}

func addressBalanceColumns(r *addressBalanceRow) []any {
	return append(brc20BalanceColumns(&r.brc20BalanceRow), &r.address, &r.height)
}

// manyBalances selects balances of the addresses $1, now where $6 is null, else after the blocks at the heights $6. place is
// the position of a pair of an address and a height in the request. Each pair is a range of the same index that a request
// for one address reads.
const manyBalances = `
	SELECT b.shown, b.ticker, b.available, b.transferrable, b.total, asked.address, asked.height, asked.place
	FROM (
		SELECT a.address, h.height, row_number() OVER (ORDER BY a.n, h.n) AS place
		FROM unnest($1::text[]) WITH ORDINALITY AS a (address, n)
		LEFT JOIN unnest($6::bigint[]) WITH ORDINALITY AS h (height, n) ON true
	) asked
	CROSS JOIN LATERAL (
		SELECT {brc20.balance b} AS shown, b.ticker, b.available, b.transferrable, b.total
		FROM {brc20}.balance b
		WHERE b.address = asked.address AND asked.height IS NULL
		UNION ALL
		SELECT {e.source_seq}, b.ticker, e.available, e.transferrable, e.available + e.transferrable
		FROM {brc20}.balance b
		CROSS JOIN LATERAL (
			SELECT source_seq, available, transferrable FROM {brc20}.entry
			WHERE address = b.address AND ticker = b.ticker AND height <= asked.height
			ORDER BY height DESC, tx_index DESC LIMIT 1
		) e
		WHERE b.address = asked.address AND asked.height IS NOT NULL
	) b
	WHERE b.total > 0`

// manyBalancesSQL counts the balances and selects a page of them.
var manyBalancesSQL = `
SELECT {brc20.token t} || p.shown, p.whole, coalesce(t.tick, p.ticker),
       p.available::text, p.transferrable::text, p.total::text, t.decimals, ` + lacks("p.ticker", "coalesce(p.height, ob.height)") + `, p.address, p.height
FROM (
	WITH matching AS MATERIALIZED (` + manyBalances + ` AND ` + inRanges("b.ticker", "$2", "$3") + `)
	SELECT n.whole, page.*
	FROM (SELECT count(*) AS whole FROM matching) n
	LEFT JOIN (SELECT * FROM matching ORDER BY place, total DESC, ticker OFFSET $4 LIMIT $5) page ON true
) p
LEFT JOIN LATERAL (SELECT * FROM {brc20}.token WHERE ticker = p.ticker LIMIT 1) t ON true
ORDER BY p.place, p.total DESC, p.ticker`

func (a *api) brc20ManyBalances(ctx context.Context, s *engine.Snapshot, in *BRC20ManyBalancesInput) (*ordinal.OrdinalsPage[addressBalance], error) {
	addresses, shown := distinct(in.Address, ordinals.Bounded)
	var heights []int64
	for _, text := range in.BlockHeight {
		height, _ := ordinal.HeightParameter(text).Value() // the schema has checked it
		heights = append(heights, height)
	}
	heights, _ = distinct(heights, func(h int64) int64 { return h })
	if n := len(addresses) * max(1, len(heights)); n > pairsMost {
		return nil, engine.Invalid("querystring/address times querystring/block_height must NOT be more than %d, and is %d", pairsMost, n)
	}
	list := ordinal.NewOrdinalsPage[addressBalance](in.OrdinalsPageInput)
	if s.Active(brc20) == nil {
		return list, nil
	}
	least, beyond, _ := in.Ticker.ranges()
	b := s.Batch()
	rows := engine.Query(b, addressBalanceColumns, manyBalancesSQL, addresses, least, beyond, min(in.Offset, page.RankedOffsetMax), int64(in.Limit), heights)
	if err := b.Run(ctx); err != nil {
		return nil, ordinal.CountTooLong(err)
	}
	for _, r := range rows.Rows {
		if list.Total = r.whole; r.tick != nil {
			b := r.shape()
			list.Results = append(list.Results, addressBalance{
				Address: shown[*r.address], BlockHeight: r.height, Ticker: b.Ticker, Available: b.Available, Transferrable: b.Transferrable,
				Overall: b.Overall, Negative: b.Negative, Incomplete: b.Incomplete,
			})
		}
	}
	s.TraceRows(func() (lookups []engine.Lookup) {
		for _, b := range list.Results {
			lookups = append(lookups, entryLookup(b.Address, b.Ticker, b.BlockHeight))
		}
		return lookups
	})
	return list, nil
}

// distinct returns the stored forms of values without repetitions, in their order, and the first value of each form.
func distinct[T, Stored comparable](values []T, store func(T) Stored) (stored []Stored, first map[Stored]T) {
	first = map[Stored]T{}
	for _, value := range values {
		form := store(value)
		if _, ok := first[form]; !ok {
			first[form] = value
			stored = append(stored, form)
		}
	}
	return stored, first
}
