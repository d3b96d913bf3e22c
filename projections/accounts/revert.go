package accounts

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// revertedBlock is the tip that a revert removes.
type revertedBlock struct {
	tip      projections.Tip
	firstTx  int64
	touched  []int32
	names    []string // of the same accounts
	accounts int32    // number of accounts below it
	only     bool     // it is the only block
}

// revert reverts the tip.
func (b *batch) revert(ctx context.Context, step projections.Step) error {
	block, err := b.readNewest(ctx)
	if err != nil {
		return err
	}
	if block == nil || block.tip.Height != step.Height || block.tip.IndexBlockHash != step.IndexBlockHash {
		return fmt.Errorf("it is not the tip of this projection")
	}
	queries := &pgx.Batch{}
	for _, sql := range []string{cutTransactions, cutEvents, cutPrints} {
		queries.Queue(b.spec.SQL(sql), block.touched, block.firstTx)
	}
	queries.Queue(b.spec.SQL(`DELETE FROM {schema}.account WHERE id > $1`), block.accounts)
	queries.Queue(b.spec.SQL(`DELETE FROM {schema}.transaction WHERE n >= $1`), block.firstTx)
	queries.Queue(b.spec.SQL(`DELETE FROM {schema}.deployment WHERE tx >= $1`), block.firstTx)
	queries.Queue(b.spec.SQL(`DELETE FROM {schema}.miner_reward WHERE height = $1`), step.Height)
	queries.Queue(b.spec.SQL(`DELETE FROM {schema}.block WHERE height = $1`), step.Height)
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return err
	}
	b.state.forgetAccounts()
	b.state.tip, b.state.tipRead = nil, false
	if b.single && !block.only {
		b.touched = touchedBy(step.Height, &block.tip, block.names)
	}
	return b.readTip(ctx)
}

func (b *batch) readNewest(ctx context.Context) (*revertedBlock, error) {
	var n revertedBlock
	rows, err := b.tx.Query(ctx, b.spec.SQL(`
		SELECT here.height, here.index_block_hash, here.block_hash, here.first_tx, here.touched, coalesce(below.accounts, 0), below.accounts IS NULL,
		       ARRAY(SELECT a.account FROM {schema}.account a WHERE a.id = ANY (here.touched))
		FROM (SELECT * FROM {schema}.block ORDER BY height DESC LIMIT 1) here
		LEFT JOIN LATERAL (
			SELECT b.accounts FROM {schema}.block b WHERE b.height < here.height ORDER BY b.height DESC LIMIT 1
		) below ON true`))
	if err != nil {
		return nil, fmt.Errorf("read the newest block: %w", err)
	}
	exists := false
	_, err = pgx.ForEachRow(rows, []any{
		&n.tip.Height, &n.tip.IndexBlockHash, &n.tip.BlockHash, &n.firstTx, &n.touched, &n.accounts, &n.only, &n.names,
	}, func() error { exists = true; return nil })
	if err != nil {
		return nil, fmt.Errorf("read the newest block: %w", err)
	}
	if !exists {
		return nil, nil
	}
	return &n, nil
}

// cut returns the statement that deletes the rows of the tip, whose first transaction is $2, from a list of each of
// the accounts $1. These are the rows after the last older row, which is searched from the end. The statement is
// written so that there is only one plan for it, even before the tables are analysed: owner by owner, through the
// primary key.
func cut(table, owner string) string {
	return strings.NewReplacer("{table}", "{schema}."+table, "{owner}", owner).Replace(`
	DELETE FROM {table} WHERE ctid = ANY (ARRAY(
		SELECT gone.ctid FROM unnest($1::int[]) AS touched (id)
		CROSS JOIN LATERAL (
			SELECT coalesce((
				SELECT r.n FROM {table} r WHERE r.{owner} = touched.id AND r.tx < $2 ORDER BY r.n DESC LIMIT 1
			), 0) AS n OFFSET 0
		) kept
		CROSS JOIN LATERAL (
			SELECT r.ctid FROM {table} r WHERE r.{owner} = touched.id AND r.n > kept.n OFFSET 0
		) gone
	))`)
}

var (
	cutTransactions = cut("account_transaction", "account")
	cutEvents       = cut("account_event", "account")
	// A topic is deleted with its first print.
	cutPrints = `
	WITH gone AS (` + cut("contract_event", "contract") + ` RETURNING contract, topic, topic_n)
	DELETE FROM {schema}.contract_topic t USING gone
	WHERE t.contract = gone.contract AND t.topic = gone.topic AND gone.topic_n = 1`
)
