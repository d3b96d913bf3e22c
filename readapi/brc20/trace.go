package brc20

import (
	"fmt"

	"strata/domain/ordinals"
	"strata/readapi/internal/engine"
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
		Projection: brc20, Name: "block", Key: "height", NewestFirst: []string{"t.height"}, Values: "block_hash:hex time",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/apply/' || t.block_index]`}},
	}
	// A token comes from its deploy; its minted supply and number of holders are sums over its operations.
	tracedBRC20Token = &engine.TraceTable{
		Projection: brc20, Name: "token", Key: "ticker", Join: joinOperation,
		Values:  "tick id number height txid:hex address decimals self_mint max_supply:text mint_limit:text minted:text tx_count holders",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
	tracedBRC20Operation = &engine.TraceTable{
		Projection: brc20, Name: "operation", Key: "height tx_index", NewestFirst: []string{"t.height", "t.tx_index"},
		Join:    `JOIN {brc20}.block b ON b.height = t.height CROSS JOIN LATERAL (SELECT t."transaction") o`,
		Values:  "kind ticker id number address receiver amount:text txid:hex satpoint",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
	// A balance equals the last entry of its ticker and address.
	tracedBRC20Balance = &engine.TraceTable{
		Projection: brc20, Name: "balance", Key: "ticker address", Order: `t.total DESC, t.ticker, t.address`, Join: joinOperation,
		Values:  "height tx_index available:text transferrable:text total:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
	tracedBRC20Entry = &engine.TraceTable{
		Projection: brc20, Name: "entry", Key: "ticker address height tx_index", Join: joinOperation,
		Values:  "available_delta:text transferrable_delta:text available:text transferrable:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: brc20Operation}},
	}
)

// mintLookup returns the lookup of the mints of a token, whose minted supply is their sum.
func mintLookup(ticker string) engine.Lookup {
	return engine.Lookup{
		Name: "mint", Table: tracedBRC20Operation, Where: `t.ticker = $1 AND t.kind = 2`, Args: []any{ticker}, NewestFirst: []string{"t.height", "t.tx_index"},
	}
}

// entryLookup returns the lookup of the entries that add up to a balance after the block at a height; nil for the current balance.
func entryLookup(address, ticker string, height *int64) engine.Lookup {
	l := engine.Lookup{
		Name: "entries of " + ticker + " of " + address, Table: tracedBRC20Entry, Where: `t.address = $1 AND t.ticker = $2`,
		Args: []any{ordinals.Bounded(address), tickerOf(ticker)}, NewestFirst: []string{"t.height", "t.tx_index"},
	}
	if height != nil {
		l.Name, l.Where, l.Args = fmt.Sprint(l.Name, " at ", *height), l.Where+` AND t.height <= $3`, append(l.Args, *height)
	}
	return l
}
