package readapi

import (
	"context"

	"strata/domain/hash"
	"strata/domain/ordinals"
)

// brc20Operation is where in an event of the feed the operation of table o in block b is.
const brc20Operation = `ARRAY['/apply/' || b.block_index || '/transactions/' || o."transaction" || '/metadata/brc20_operation']`

// joinOperation joins the operation that a row of t names, and its block.
const joinOperation = `
	LEFT JOIN {brc20}.operation o ON o.height = t.height AND o.tx_index = t.tx_index
	LEFT JOIN {brc20}.block b ON b.height = t.height`

var (
	tracedBRC20Block = &tracedTable{
		projection: brc20, name: "block", key: "height", values: "block_hash:hex time",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/apply/' || t.block_index]`}},
	}
	// A token is what its deploy says; what was minted, and by how many it is held, are sums over its operations.
	tracedBRC20Token = &tracedTable{
		projection: brc20, name: "token", key: "ticker", join: joinOperation,
		values:  "tick id number height txid:hex address decimals self_mint max_supply:text mint_limit:text minted:text tx_count holders",
		sources: []tracedSource{{column: "source_seq", pointers: brc20Operation}},
	}
	tracedBRC20Operation = &tracedTable{
		projection: brc20, name: "operation", key: "height tx_index",
		join:    `JOIN {brc20}.block b ON b.height = t.height CROSS JOIN LATERAL (SELECT t."transaction") o`,
		values:  "kind ticker id number address receiver amount:text txid:hex satpoint",
		sources: []tracedSource{{column: "source_seq", pointers: brc20Operation}},
	}
	// A balance is what the last entry left.
	tracedBRC20Balance = &tracedTable{
		projection: brc20, name: "balance", key: "ticker address", join: joinOperation,
		values:  "height tx_index available:text transferrable:text total:text",
		sources: []tracedSource{{column: "source_seq", pointers: brc20Operation}},
	}
	tracedBRC20Entry = &tracedTable{
		projection: brc20, name: "entry", key: "ticker address height tx_index", join: joinOperation,
		values:  "available_delta:text transferrable_delta:text available:text transferrable:text",
		sources: []tracedSource{{column: "source_seq", pointers: brc20Operation}},
	}
)

func (a *API) traceBRC20() {
	traced(a.Engine, "getBrc20Tokens", func(_ context.Context, _ *snapshot, _ *BRC20TokensInput, page *ordinalsPage[brc20Token]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		return deployLookups(page.Results...), nil
	})
	traced(a.Engine, "getBrc20TokenDetails", func(_ context.Context, _ *snapshot, _ *BRC20Input, details *brc20Details) ([]lookup, error) {
		if details == nil {
			return nil, nil
		}
		return append(deployLookups(details.Token), mintLookup(tickerOf(details.Token.Ticker))), nil
	})
	traced(a.Engine, "getBrc20TokenHolders", func(_ context.Context, _ *snapshot, in tickerNamed, page *ordinalsPage[brc20Holder]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		addresses := make([]string, len(page.Results))
		for i, h := range page.Results {
			addresses[i] = h.Address
		}
		return []lookup{
			tickerLookup(in.ticker()),
			{
				name: "balance", table: tracedBRC20Balance, where: `t.ticker = $1 AND t.address = ANY ($2)`, args: []any{in.ticker(), addresses},
				order: `t.total DESC, t.address`,
			},
		}, nil
	})
	traced(a.Engine, "getBrc20Balances", brc20BalanceLookups)
	traced(a.Engine, "getBrc20TransferableInscriptions", func(_ context.Context, _ *snapshot, in *BRC20TransferableInput, page *ordinalsPage[brc20Transferable]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		ids, tickers := make([]string, len(page.Results)), make([]string, len(page.Results))
		for i, t := range page.Results {
			ids[i], tickers[i] = t.InscriptionID, tickerOf(t.Ticker)
		}
		return []lookup{
			{
				name: "operation", table: tracedBRC20Operation, order: `t.height DESC, t.tx_index DESC`,
				where: `t.kind = 3 AND t.id = ANY ($1) AND t.sent_height IS NULL AND t.address = $2`, args: []any{ids, ordinals.Bounded(in.Address)},
			},
			tickerLookup(tickers...),
		}, nil
	})
	traced(a.Engine, "getBrc20Activity", func(_ context.Context, _ *snapshot, _ *BRC20ActivityInput, page *ordinalsPage[brc20Activity]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		n := len(page.Results)
		heights, transactions, tickers := make([]int64, n), make([]hash.Hash32, n), make([]string, n)
		for i, o := range page.Results {
			heights[i], tickers[i] = o.BlockHeight, tickerOf(o.Ticker)
			transactions[i], _ = hash.Parse32("0x" + o.TxID) // which we have written
		}
		return []lookup{
			{
				name: "operation", table: tracedBRC20Operation, args: []any{heights, transactions}, order: `t.height DESC, t.tx_index DESC`,
				where: `(t.height, t.txid) IN (SELECT * FROM unnest($1::bigint[], $2::bytea[]))`,
			},
			tickerLookup(tickers...),
			{name: "block", table: tracedBRC20Block, where: `t.height = ANY ($1)`, args: []any{heights}, order: `t.height DESC`},
		}, nil
	})
}

// tickerNamed is an input that names a token.
type tickerNamed interface{ ticker() string }

func (in *BRC20Input) ticker() string { return tickerOf(string(in.Ticker)) }

// tickerLookup finds tokens.
func tickerLookup(tickers ...string) lookup {
	return lookup{name: "token", table: tracedBRC20Token, where: `t.ticker = ANY ($1)`, args: []any{distinct(tickers)}, order: `t.ticker`}
}

// deployLookups find tokens and the blocks that deployed them.
func deployLookups(tokens ...brc20Token) []lookup {
	if len(tokens) == 0 {
		return nil
	}
	tickers, heights := make([]string, len(tokens)), make([]int64, len(tokens))
	for i := range tokens {
		tickers[i], heights[i] = tickerOf(tokens[i].Ticker), tokens[i].BlockHeight
	}
	return []lookup{
		tickerLookup(tickers...),
		{name: "block", table: tracedBRC20Block, where: `t.height = ANY ($1)`, args: []any{heights}, order: `t.height DESC`},
	}
}

// mintLookup finds what was minted of a token: its supply is the sum.
func mintLookup(ticker string) lookup {
	return lookup{
		name: "mint", table: tracedBRC20Operation, where: `t.ticker = $1 AND t.kind = 2`, args: []any{ticker}, newestFirst: []string{"t.height", "t.tx_index"},
	}
}

// brc20BalanceLookups find the balances of a page, and then all changes of each.
func brc20BalanceLookups(_ context.Context, _ *snapshot, in *BRC20BalancesInput, page *ordinalsPage[brc20Balance]) ([]lookup, error) {
	if page == nil || len(page.Results) == 0 {
		return nil, nil
	}
	address, tickers := ordinals.Bounded(in.Address), make([]string, len(page.Results))
	for i, b := range page.Results {
		tickers[i] = tickerOf(b.Ticker)
	}
	lookups := []lookup{tickerLookup(tickers...)}
	until, then := in.BlockHeight.value()
	if !then {
		until = offsetMax
		lookups = append(lookups, lookup{
			name: "balance", table: tracedBRC20Balance, where: `t.address = $1 AND t.ticker = ANY ($2)`, args: []any{address, tickers},
			order: `t.total DESC, t.ticker`,
		})
	}
	for _, ticker := range tickers {
		lookups = append(lookups, lookup{
			name: "entries of " + ticker, table: tracedBRC20Entry, where: `t.address = $1 AND t.ticker = $2 AND t.height <= $3`, args: []any{address, ticker, until},
			newestFirst: []string{"t.height", "t.tx_index"},
		})
	}
	return lookups, nil
}
