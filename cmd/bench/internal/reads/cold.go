package reads

import (
	"context"
	"math/rand/v2"
	"strconv"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
	"strata/projections/balances"
)

// Cold compares requests whose answers are not cached with a bare SELECT of the same rows.
func (b *Bench) Cold(ctx context.Context) {
	url := b.world(ctx)
	pool := bench.Selecting(ctx, url)
	defer pool.Close()
	b.FromTables(ctx, url, func(server *bench.Server) {
		for _, k := range []struct {
			what string
			old  bool
		}{{"cold STX balance", false}, {"cold STX balance at an old block", true}} {
			height := func(n int) int {
				if k.old {
					return 1 + n%b.blocks()
				}
				return b.blocks()
			}
			list := load.Numbered(bench.Several, func(i int) string {
				target := balanceTarget(load.Scattered(i, b.accounts()))
				if k.old {
					target += "?until_block=" + strconv.Itoa(height(i))
				}
				return target
			})
			selecting := bench.SelectContender(func(random *rand.Rand) error {
				return bench.DecodeRows(ctx, pool, selectSQL[k.old], bench.Account(random.IntN(b.accounts())), height(random.Int()))
			})
			b.Compare(k.what, "bare SELECT", "≥ 0.5×", selecting, server.Contender(ctx, list))
		}
	})
}

// selectSQL reads the contents of an answer in one statement: the state of the block, the account's holding or its
// ledger up to the block, and its last lock up to the block. The key is whether the block is an old one.
var selectSQL = map[bool]string{
	false: selectRows(`FROM {schema}.holding WHERE account = $1 AND asset = 'stx'`),
	true: selectRows(`FROM (SELECT *, received - fees + rewards - balance AS sent FROM {schema}.entry) e
		WHERE holding = (SELECT id FROM {schema}.holding WHERE account = $1 AND asset = 'stx') AND height <= $2 ORDER BY height DESC, n DESC LIMIT 1`),
}

func selectRows(sums string) string {
	return balances.Spec().SQL(`
		SELECT b.burn_block_height, b.pox_v1_unlock_height, b.pox_v2_unlock_height, b.pox_v3_unlock_height, b.pox_v4_unlock_height,
		       s.source_seq, s.balance::text, s.sent::text, s.received::text, s.fees::text, s.rewards::text,
		       l.source_seq, l.amount::text, l.unlock_height, l.pox_version, l.height, l.txid, l.burn_block_height
		FROM {schema}.block b
		LEFT JOIN LATERAL (SELECT source_seq, balance, sent, received, fees, rewards ` + sums + `) s ON true
		LEFT JOIN LATERAL (
			SELECT l.*, lb.burn_block_height FROM {schema}.stx_lock l JOIN {schema}.block lb ON lb.height = l.height
			WHERE l.account = $1 AND l.height <= $2
			ORDER BY l.height DESC, l.position DESC LIMIT 1
		) l ON true
		WHERE b.height = $2`)
}
