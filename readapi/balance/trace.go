package balance

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
)

var (
	tracedBalanceBlock = &engine.TraceTable{
		Projection: "balances", Name: "block", Key: "height",
		Values:  "burn_block_height index_block_hash:hex pox_v1_unlock_height pox_v2_unlock_height pox_v3_unlock_height pox_v4_unlock_height",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: engine.WholeEvent}},
	}
	tracedLock = &engine.TraceTable{
		Projection: "balances", Name: "stx_lock", Key: "account height position",
		Values:  "amount:text unlock_height pox_version cause txid:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
	}
	// A holding is the balance that the last change of the ledger left, so its source is that change.
	tracedHolding = &engine.TraceTable{
		Projection: "balances", Name: "holding", Key: "account asset",
		Join:    `JOIN {balances}.ledger l ON l.holding = t.id AND l.height = t.height AND l.n = t.n`,
		Values:  "n height balance:text sent:text received:text fees:text rewards:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[l.pointer]`}},
		Order:   `t.asset, t.balance DESC, t.account`,
	}
	tracedLedger = &engine.TraceTable{
		Projection: "balances", Name: "ledger", Key: "account asset height n",
		Values:  "tx_index cause delta:text balance:text sent:text received:text fees:text rewards:text",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
	}
)

// stxLookups returns the look-ups of the blocks that an account's STX at a block depend on, the block itself and that of its last
// lock, and of all changes up to it of STX and the given assets.
func stxLookups(account string, at param.Moment, assets ...string) []engine.Lookup {
	block := engine.Lookup{
		Name: "block", Table: tracedBalanceBlock, Args: []any{account, at.Height}, Order: `t.height DESC`,
		Where: `t.height = $2 OR t.height = (SELECT l.height FROM {balances}.stx_lock l WHERE l.account = $1 AND l.height <= $2 ORDER BY l.height DESC, l.position DESC LIMIT 1)`,
	}
	return append([]engine.Lookup{block}, ledgerLookups(account, at, append([]string{"stx"}, assets...)...)...)
}

// ledgerLookups returns the look-ups of all changes of an account's balances of the given assets up to a block.
func ledgerLookups(account string, at param.Moment, assets ...string) (lookups []engine.Lookup) {
	for _, asset := range assets {
		lookups = append(lookups, engine.Lookup{
			Name: "ledger of " + asset, Table: tracedLedger, Where: `t.holding = (SELECT h.id FROM {balances}.holding h WHERE h.account = $1 AND h.asset = $2) AND t.height <= $3`,
			Args: []any{account, asset, at.Height}, NewestFirst: []string{"t.height", "t.n"},
		})
	}
	return lookups
}
