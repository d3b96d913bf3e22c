package balances

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// revertSQL are the statements that revert the block at height $1. They first restore the state of the balances and
// tokens that it changed, as the ledger still has its entries then, and afterwards delete these rows.
var revertSQL = []string{
	`WITH touched AS (
		SELECT DISTINCT holding FROM {schema}.entry WHERE height = $1
	), before AS (
		SELECT t.holding, e.*
		FROM touched t
		LEFT JOIN LATERAL (
			SELECT e.n, e.height, e.source_seq, e.balance, e.received, e.fees, e.rewards
			FROM {schema}.entry e
			WHERE e.holding = t.holding AND e.height < $1
			ORDER BY e.height DESC, e.n DESC LIMIT 1
		) e ON true
	), gone AS (
		DELETE FROM {schema}.holding h USING before b WHERE h.id = b.holding AND b.n IS NULL
	)
	UPDATE {schema}.holding h
	SET n = b.n, height = b.height, source_seq = b.source_seq, balance = b.balance,
	    sent = b.received - b.fees + b.rewards - b.balance, received = b.received, fees = b.fees, rewards = b.rewards
	FROM before b
	WHERE h.id = b.holding AND b.n IS NOT NULL`,

	`WITH touched AS (
		SELECT DISTINCT asset, value_hash FROM {schema}.nft_event WHERE height = $1
	), before AS (
		SELECT t.asset, t.value_hash, e.n, e.height, e.source_seq, e.position, e.tx_index, e.recipient
		FROM touched t
		LEFT JOIN LATERAL (
			SELECT e.n, e.height, e.source_seq, e.position, e.tx_index, e.recipient
			FROM {schema}.nft_event e
			WHERE e.asset = t.asset AND e.value_hash = t.value_hash AND e.height < $1
			ORDER BY e.n DESC LIMIT 1
		) e ON true
	), gone AS (
		DELETE FROM {schema}.nft_custody c USING before b
		WHERE c.asset = b.asset AND c.value_hash = b.value_hash AND b.n IS NULL
	)
	UPDATE {schema}.nft_custody c
	SET n = b.n, height = b.height, source_seq = b.source_seq, position = b.position, tx_index = b.tx_index, owner = b.recipient
	FROM before b
	WHERE c.asset = b.asset AND c.value_hash = b.value_hash AND b.n IS NOT NULL`,

	`DELETE FROM {schema}.entry WHERE height = $1`,
	`DELETE FROM {schema}.nft_event WHERE height = $1`,
	`DELETE FROM {schema}.asset WHERE height = $1`,
	`DELETE FROM {schema}.stx_lock WHERE height = $1`,
	`DELETE FROM {schema}.signer WHERE id > coalesce((SELECT signers FROM {schema}.block WHERE height < $1 ORDER BY height DESC LIMIT 1), 0)`,
	`DELETE FROM {schema}.signer_nonce WHERE height = $1`,
	`DELETE FROM {schema}.negative_balance WHERE height = $1`,
}

// revert reverts the tip.
func (b *batch) revert(ctx context.Context, step projections.Step) error {
	queries := &pgx.Batch{}
	queries.Queue(b.spec.SQL(`DELETE FROM {schema}.block WHERE height = $1 AND index_block_hash = $2 AND NOT EXISTS (
		SELECT FROM {schema}.block WHERE height > $1)`), step.Height, step.IndexBlockHash[:])
	for _, query := range revertSQL {
		queries.Queue(b.spec.SQL(query), step.Height)
	}
	results := b.tx.SendBatch(ctx, queries)
	tag, err := results.Exec()
	removed := tag.RowsAffected()
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if removed != 1 {
		return fmt.Errorf("it is not the tip of this projection")
	}
	clear(b.state.holdings)
	clear(b.state.tokens)
	clear(b.state.nonces)
	clear(b.state.assets)
	b.state.tip = nil
	return nil
}
