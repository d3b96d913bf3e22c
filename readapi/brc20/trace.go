package brc20

import (
	"context"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
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

func (a *api) traceBRC20() {
	engine.Trace(a.Engine, "getBrc20Tokens", func(_ context.Context, _ *engine.Snapshot, _ *BRC20TokensInput, page *ordinal.OrdinalsPage[brc20Token]) ([]engine.Lookup, error) {
		if page == nil {
			return nil, nil
		}
		return deployLookups(page.Results...), nil
	})
	engine.Trace(a.Engine, "getBrc20TokenDetails", func(_ context.Context, _ *engine.Snapshot, _ *BRC20Input, details *brc20Details) ([]engine.Lookup, error) {
		if details == nil {
			return nil, nil
		}
		return append(deployLookups(details.Token), mintLookup(tickerOf(details.Token.Ticker))), nil
	})
	engine.Trace(a.Engine, "getBrc20TokenHolders", func(_ context.Context, _ *engine.Snapshot, in tickerNamed, page *ordinal.OrdinalsPage[brc20Holder]) ([]engine.Lookup, error) {
		if page == nil {
			return nil, nil
		}
		addresses := make([]string, len(page.Results))
		for i, h := range page.Results {
			addresses[i] = h.Address
		}
		return []engine.Lookup{
			tickerLookup(in.ticker()),
			{
				Name: "balance", Table: tracedBRC20Balance, Where: `t.ticker = $1 AND t.address = ANY ($2)`, Args: []any{in.ticker(), addresses},
				Order: `t.total DESC, t.address`,
			},
		}, nil
	})
	engine.Trace(a.Engine, "getBrc20Balances", brc20BalanceLookups)
	engine.Trace(a.Engine, "getBrc20TransferableInscriptions", func(_ context.Context, _ *engine.Snapshot, in *BRC20TransferableInput, page *ordinal.OrdinalsPage[brc20Transferable]) ([]engine.Lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		ids, tickers := make([]string, len(page.Results)), make([]string, len(page.Results))
		for i, t := range page.Results {
			ids[i], tickers[i] = t.InscriptionID, tickerOf(t.Ticker)
		}
		return []engine.Lookup{
			{
				Name: "operation", Table: tracedBRC20Operation, Order: `t.height DESC, t.tx_index DESC`,
				Where: `t.kind = 3 AND t.id = ANY ($1) AND t.sent_height IS NULL AND t.address = $2`, Args: []any{ids, ordinals.Bounded(in.Address)},
			},
			tickerLookup(tickers...),
		}, nil
	})
	engine.Trace(a.Engine, "getBrc20Activity", func(_ context.Context, _ *engine.Snapshot, _ *BRC20ActivityInput, page *ordinal.OrdinalsPage[brc20Activity]) ([]engine.Lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		n := len(page.Results)
		heights, transactions, tickers := make([]int64, n), make([]hash.Hash32, n), make([]string, n)
		for i, o := range page.Results {
			heights[i], tickers[i] = o.BlockHeight, tickerOf(o.Ticker)
			transactions[i], _ = hash.Parse32("0x" + o.TxID) // shape has written it: it always parses
		}
		return []engine.Lookup{
			{
				Name: "operation", Table: tracedBRC20Operation, Args: []any{heights, transactions}, Order: `t.height DESC, t.tx_index DESC`,
				Where: `(t.height, t.txid) IN (SELECT * FROM unnest($1::bigint[], $2::bytea[]))`,
			},
			tickerLookup(tickers...),
			{Name: "block", Table: tracedBRC20Block, Where: `t.height = ANY ($1)`, Args: []any{heights}, Order: `t.height DESC`},
		}, nil
	})
}

// tickerNamed is an input that names a token.
type tickerNamed interface{ ticker() string }

func (in *BRC20Input) ticker() string { return tickerOf(string(in.Ticker)) }

// tickerLookup returns the lookup of tokens by their tickers.
func tickerLookup(tickers ...string) engine.Lookup {
	return engine.Lookup{Name: "token", Table: tracedBRC20Token, Where: `t.ticker = ANY ($1)`, Args: []any{schema.Distinct(tickers)}, Order: `t.ticker`}
}

// deployLookups returns the lookups of tokens and of the blocks that deployed them.
func deployLookups(tokens ...brc20Token) []engine.Lookup {
	if len(tokens) == 0 {
		return nil
	}
	tickers, heights := make([]string, len(tokens)), make([]int64, len(tokens))
	for i := range tokens {
		tickers[i], heights[i] = tickerOf(tokens[i].Ticker), tokens[i].BlockHeight
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

// brc20BalanceLookups returns the lookups of the balances of a page and of all entries of each.
func brc20BalanceLookups(_ context.Context, _ *engine.Snapshot, in *BRC20BalancesInput, list *ordinal.OrdinalsPage[brc20Balance]) ([]engine.Lookup, error) {
	if list == nil || len(list.Results) == 0 {
		return nil, nil
	}
	address, tickers := ordinals.Bounded(in.Address), make([]string, len(list.Results))
	for i, b := range list.Results {
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
	return lookups, nil
}
