package brc20

import (
	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// brc20Operation is the SQL expression for the JSON pointer of the BRC-20 operation o, of block b, in its event of the
// feed.
const brc20Operation = `ARRAY['/apply/' || b.block_index || '/transactions/' || o."transaction" || '/metadata/brc20_operation']`

// joinOperation joins the operation to which a row of t refers, and the block of that operation.
const joinOperation = `
	LEFT JOIN {brc20}.operation o ON o.height = t.height AND o.tx_index = t.tx_index
	LEFT JOIN {brc20}.block b ON b.height = t.height`

var (
	tracedBRC20Block = &engine.TraceTable{
		Projection: brc20, Name: "block", Key: "height", Values: "block_hash:hex time",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/apply/' || t.block_index]`}},
	}
	// A token comes from its deploy; its minted supply and number of holders are sums over its operations.
	tracedBRC20Token = &engine.TraceTable{
		Projection: brc20, Name: "token", Key: "ticker", Join: joinOperation,
		Values:  "tick id number height txid:hex address decimals self_mint max_supply:text mint_limit:text minted:text tx_count holders",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
	tracedBRC20Operation = &engine.TraceTable{
		Projection: brc20, Name: "operation", Key: "height tx_index",
		Join:    `JOIN {brc20}.block b ON b.height = t.height CROSS JOIN LATERAL (SELECT t."transaction") o`,
		Values:  "kind ticker id number address receiver amount:text txid:hex satpoint",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
	// A balance equals the last entry of its ticker and address.
	tracedBRC20Balance = &engine.TraceTable{
		Projection: brc20, Name: "balance", Key: "ticker address", Join: joinOperation,
		Values:  "height tx_index available:text transferrable:text total:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
	tracedBRC20Entry = &engine.TraceTable{
		Projection: brc20, Name: "entry", Key: "ticker address height tx_index", Join: joinOperation,
		Values:  "available_delta:text transferrable_delta:text available:text transferrable:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
)

// tickerLookup returns the lookup of tokens by their tickers.
func tickerLookup(tickers ...string) engine.Lookup {
	return engine.Lookup{Name: "token", Table: tracedBRC20Token, Where: `t.ticker = ANY ($1)`, Args: []any{schema.Distinct(tickers)}, Order: `t.ticker`}
}

// deployLookups returns the lookups of tokens and of the blocks that deployed them.
func deployLookups(shown []brc20TokenRow) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	tickers, heights := make([]string, len(shown)), make([]int64, len(shown))
	for i := range shown {
		tickers[i], heights[i] = tickerOf(shown[i].tick), shown[i].height
	}
	return []engine.Lookup{
		tickerLookup(tickers...),
		{Name: "block", Table: tracedBRC20Block, Where: `t.height = ANY ($1)`, Args: []any{heights}, Order: `t.height DESC`},
	}
}

// mintLookup returns the lookup of the mints of a token, whose minted supply is their sum.
func mintLookup(ticker string) engine.Lookup {
	return engine.Lookup{
		Name: "mint", Table: tracedBRC20Operation, Where: `t.ticker = $1 AND t.kind = 2`, Args: []any{ticker}, NewestFirst: []string{"t.height", "t.tx_index"},
	}
}

// holderLookups returns the lookups of a token and of the balances of a page of its holders.
func holderLookups(ticker string, shown []brc20Holder) []engine.Lookup {
	addresses := make([]string, len(shown))
	for i, h := range shown {
		addresses[i] = h.Address
	}
	return []engine.Lookup{
		tickerLookup(ticker),
		{
			Name: "balance", Table: tracedBRC20Balance, Where: `t.ticker = $1 AND t.address = ANY ($2)`, Args: []any{ticker, addresses},
			Order: `t.total DESC, t.address`,
		},
	}
}

// transferableLookups returns the lookups of amounts that an address can send, and of their tokens.
func transferableLookups(in *BRC20TransferableInput, shown []transferableRow) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	ids, tickers := make([]string, len(shown)), make([]string, len(shown))
	for i := range shown {
		ids[i], tickers[i] = shown[i].id, tickerOf(shown[i].ticker)
	}
	return []engine.Lookup{
		{
			Name: "operation", Table: tracedBRC20Operation, Order: `t.height DESC, t.tx_index DESC`,
			Where: `t.kind = 3 AND t.id = ANY ($1) AND t.sent_height IS NULL AND t.address = $2`, Args: []any{ids, ordinals.Bounded(in.Address)},
		},
		tickerLookup(tickers...),
	}
}

// activityLookups returns the lookups of operations, and of their tokens and blocks.
func activityLookups(shown []activityRow) []engine.Lookup {
	n := len(shown)
	if n == 0 {
		return nil
	}
	heights, transactions, tickers := make([]int64, n), make([]hash.Hash32, n), make([]string, n)
	for i := range shown {
		heights[i], transactions[i], tickers[i] = shown[i].height, shown[i].tx, tickerOf(shown[i].ticker)
	}
	return []engine.Lookup{
		{
			Name: "operation", Table: tracedBRC20Operation, Args: []any{heights, transactions}, Order: `t.height DESC, t.tx_index DESC`,
			Where: `(t.height, t.txid) IN (SELECT * FROM unnest($1::bigint[], $2::bytea[]))`,
		},
		tickerLookup(tickers...),
		{Name: "block", Table: tracedBRC20Block, Where: `t.height = ANY ($1)`, Args: []any{heights}, Order: `t.height DESC`},
	}
}

// balanceLookups returns the lookups of the balances of a page and of all entries of each.
func balanceLookups(in *BRC20BalancesInput, shown []brc20Balance) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	address, tickers := ordinals.Bounded(in.Address), make([]string, len(shown))
	for i, b := range shown {
		tickers[i] = tickerOf(b.Ticker)
	}
	lookups := []engine.Lookup{tickerLookup(tickers...)}
	until, historic := in.BlockHeight.Value()
	if !historic {
		until = page.RankedOffsetMax
		lookups = append(lookups, engine.Lookup{
			Name: "balance", Table: tracedBRC20Balance, Where: `t.address = $1 AND t.ticker = ANY ($2)`, Args: []any{address, tickers},
			Order: `t.total DESC, t.ticker`,
		})
	}
	for _, ticker := range tickers {
		lookups = append(lookups, engine.Lookup{
			Name: "entries of " + ticker, Table: tracedBRC20Entry, Where: `t.address = $1 AND t.ticker = $2 AND t.height <= $3`, Args: []any{address, ticker, until},
			NewestFirst: []string{"t.height", "t.tx_index"},
		})
	}
	return lookups
}
