package readapi

import (
	"context"
	"maps"
	"slices"
)

var (
	tracedBalanceBlock = &tracedTable{
		projection: "balances", name: "block", key: "height",
		values:  "burn_block_height index_block_hash:hex pox_v1_unlock_height pox_v2_unlock_height pox_v3_unlock_height pox_v4_unlock_height",
		sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
	}
	tracedLock = &tracedTable{
		projection: "balances", name: "stx_lock", key: "account height position",
		values:  "amount:text unlock_height pox_version cause txid:hex",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY[t.pointer]`}},
	}
	// What an account holds is what its last change left.
	tracedHolding = &tracedTable{
		projection: "balances", name: "holding", key: "account asset",
		join:    `JOIN {balances}.ledger l ON l.account = t.account AND l.asset = t.asset AND l.n = t.n`,
		values:  "n height balance:text sent:text received:text fees:text rewards:text",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY[l.pointer]`}},
	}
	tracedLedger = &tracedTable{
		projection: "balances", name: "ledger", key: "account asset n",
		values:  "height tx_index cause delta:text balance:text sent:text received:text fees:text rewards:text",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY[t.pointer]`}},
	}
)

var tracedNegative = &tracedTable{
	projection: "balances", name: "negative_balance", key: "account asset height", values: "balance:text cause",
	sources: []tracedSource{{column: "source_seq", pointers: `ARRAY[t.pointer]`}},
}

// accountNamed is an input that names an account and a block.
type accountNamed interface {
	resolve(ctx context.Context, s *snapshot) (account string, at moment, err error)
}

func (a *API) traceAccounts() {
	traced(a.Engine, "get-stx-balance-v1", func(ctx context.Context, s *snapshot, in accountNamed, b *stxBalance) ([]lookup, error) {
		return accountLookups(ctx, s, in, b != nil, false)
	})
	traced(a.Engine, "get-stx-balance", func(ctx context.Context, s *snapshot, in accountNamed, b *stxBalanceV2) ([]lookup, error) {
		return accountLookups(ctx, s, in, b != nil, false)
	})
	traced(a.Engine, "get-balances-v1", func(ctx context.Context, s *snapshot, in accountNamed, b *balances) ([]lookup, error) {
		if b == nil {
			return nil, nil
		}
		assets := slices.Concat(slices.Collect(maps.Keys(b.Fungible)), slices.Collect(maps.Keys(b.NFT)))
		slices.Sort(assets)
		return accountLookups(ctx, s, in, true, true, assets...)
	})
}

// accountLookups find what decides about the balances of an account at a block, and then all changes up to there: of STX,
// and of other assets. all says that all that it holds was asked for.
func accountLookups(ctx context.Context, s *snapshot, in accountNamed, found, all bool, assets ...string) ([]lookup, error) {
	if !found {
		return nil, nil
	}
	account, at, err := in.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	const lastLock = `SELECT height, position FROM {balances}.stx_lock WHERE account = $1 AND height <= $2 ORDER BY height DESC, position DESC LIMIT 1`
	lookups := []lookup{
		{
			name: "block", table: tracedBalanceBlock, where: `t.height = $2 OR t.height = (SELECT height FROM (` + lastLock + `) l)`,
			args: []any{account, at.height}, order: `t.height DESC`,
		},
		{
			name: "lock", table: tracedLock, where: `t.account = $1 AND (t.height, t.position) = (` + lastLock + `)`,
			args: []any{account, at.height}, order: `t.height, t.position`,
		},
	}
	if at.latest {
		lookups = append(lookups, lookup{
			name: "holding", table: tracedHolding, where: `t.account = $1 AND ($2 OR t.asset = 'stx')`, args: []any{account, all}, order: `t.asset`,
		})
	}
	for _, asset := range append([]string{"stx"}, assets...) {
		lookups = append(lookups, lookup{
			name: "ledger of " + asset, table: tracedLedger, where: `t.account = $1 AND t.asset = $2 AND t.height <= $3`,
			args: []any{account, asset, at.height}, newestFirst: []string{"t.n"},
		})
	}
	return lookups, nil
}
