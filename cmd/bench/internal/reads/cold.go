package reads

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
	"strata/projections/balances"
)

// Cold compares requests that were never made before with a bare SELECT of the same rows.
func (b *Bench) Cold(ctx context.Context) error {
	url, err := b.world(ctx)
	if err != nil {
		return err
	}
	server, err := b.serveWorld(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	selecting, err := b.StartSelecting(ctx, "select", url)
	if err != nil {
		return err
	}
	defer selecting.Stop()
	before, err := server.Tally(ctx)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, k := range []struct {
		what string
		old  bool
	}{{"cold STX balance", false}, {"cold STX balance at an old block", true}} {
		list := load.NumberedOnce(worldAccounts, func(i int) string {
			target := balanceTarget(load.Scattered(i, worldAccounts))
			if k.old {
				target += "?until_block=" + strconv.Itoa(1+random.IntN(worldBlocks))
			}
			return target
		})
		if err := b.Compare(k.what, "bare SELECT", "≥ 0.5×", bench.SelectContender(selecting, atBlock{k.old}), server.Contender(ctx, list)); err != nil {
			return err
		}
	}
	return b.Sources(ctx, server, before, "made from the tables", func(t bench.Tally) float64 { return t.Tables })
}

// atBlock is the block at which balances are read: the newest one, or an old one.
type atBlock struct{ Old bool }

// selectSQL reads the contents of an answer in one statement: the state of the block, the account's holding or its
// ledger up to the block, and its last lock up to the block. The key is atBlock.Old.
var selectSQL = map[bool]string{
	false: selectRows(`FROM {schema}.holding WHERE account = $1 AND asset = 'stx'`),
	true:  selectRows(`FROM {schema}.ledger WHERE account = $1 AND asset = 'stx' AND height <= $2 ORDER BY height DESC, n DESC LIMIT 1`),
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

// selectBalances runs the bare SELECT of balances as a helper process.
func selectBalances(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	accounts := make([]string, worldAccounts)
	for i := range accounts {
		accounts[i] = bench.Account(i)
	}
	return bench.SelectRounds(ctx, in, out, func(at atBlock) bench.SelectRow {
		return func(pool *pgxpool.Pool, random *rand.Rand) error {
			height := worldBlocks
			if at.Old {
				height = 1 + random.IntN(worldBlocks)
			}
			return selectBalance(ctx, pool, selectSQL[at.Old], accounts[random.IntN(len(accounts))], height)
		}
	})
}

// selectBalance executes the statement, which pgx prepares once per connection, and reads its row.
func selectBalance(ctx context.Context, pool *pgxpool.Pool, sql, account string, height int) error {
	var burnHeight int64
	var unlocks [4]*int64
	var source, lockSource, unlockHeight, lockHeight, lockBurnHeight *int64
	var sums [5]*string
	var amount *string
	var version *int16
	var txid []byte
	err := pool.QueryRow(ctx, sql, account, height).Scan(&burnHeight, &unlocks[0], &unlocks[1], &unlocks[2], &unlocks[3],
		&source, &sums[0], &sums[1], &sums[2], &sums[3], &sums[4],
		&lockSource, &amount, &unlockHeight, &version, &lockHeight, &txid, &lockBurnHeight)
	if err == nil && lockSource == nil {
		err = pgx.ErrNoRows
	}
	return err
}
