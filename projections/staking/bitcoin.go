package staking

import (
	"context"
	"math/big"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/projections"
)

// bitcoin adds what Bitcoin blocks that are followed from now on paid and burned, and takes away what those did that are
// no longer followed.
func (b *batch) bitcoin(ctx context.Context, steps []projections.Step) error {
	rewards, burned := new(big.Int), new(big.Int)
	add := func(sum *big.Int, amount uint64, left bool) {
		n := new(big.Int).SetUint64(amount)
		if left {
			n.Neg(n)
		}
		sum.Add(sum, n)
	}
	for i := range steps {
		block, ok := steps[i].Record.(*nodeevent.BurnBlock)
		if !ok {
			continue
		}
		left := steps[i].RecordKind == projections.BitcoinLeft
		add(burned, block.BurnAmount, left)
		for _, paid := range block.RewardRecipients {
			add(rewards, paid.Amount, left)
		}
	}
	if rewards.Sign() == 0 && burned.Sign() == 0 {
		return nil
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`
		INSERT INTO {schema}.bitcoin AS t (one, rewards, burned) VALUES (true, $1, $2)
		ON CONFLICT (one) DO UPDATE SET rewards = t.rewards + excluded.rewards, burned = t.burned + excluded.burned`),
		projections.Amount(rewards), projections.Amount(burned))
	if rewards.Sign() < 0 || burned.Sign() < 0 {
		queries.Queue(b.sql(`DELETE FROM {schema}.bitcoin WHERE one AND rewards = 0 AND burned = 0`))
	}
	return b.tx.SendBatch(ctx, queries).Close()
}
