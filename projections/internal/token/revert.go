package token

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/token"
	"strata/projections"
)

// revert removes the newest block, together with what it brought.
func (b *batch) revert(step projections.Step) error {
	tag, err := b.tx.Exec(b.ctx, b.sql(`
		DELETE FROM {schema}.block WHERE height = $1 AND index_block_hash = $2 AND NOT EXISTS (SELECT FROM {schema}.block WHERE height > $1)`),
		step.Height, step.IndexBlockHash[:])
	if err != nil {
		return err
	}
	if tag.RowsAffected() != 1 {
		return errors.New("the block to revert is not the newest one here")
	}
	if err := b.readTip(); err != nil {
		return err
	}
	if err := b.dropTokens(`height >= $1`, step.Height); err != nil {
		return err
	}
	if err := b.dropContracts(step.Height); err != nil {
		return err
	}
	if err := b.dropNotifications(step.Height); err != nil {
		return err
	}
	// Wants that required the reverted block now require the one below it, because lower blocks may have raised them
	// too.
	if _, err := b.tx.Exec(b.ctx, b.sql(`UPDATE {schema}.want SET min_height = $2 WHERE min_height >= $1`), step.Height, b.height()); err != nil {
		return fmt.Errorf("release wants from a reverted block: %w", err)
	}
	return b.readAgain(step)
}

// height returns the height of the newest block here; nil when there is none.
func (b *batch) height() *int64 {
	if b.tip == nil {
		return nil
	}
	return &b.tip.Height
}

// dropContracts deletes the contracts that the reverted block deployed. Their tokens must have been deleted before.
func (b *batch) dropContracts(height int64) error {
	for _, table := range []string{"contract", "unrecognised"} {
		rows, err := b.tx.Query(b.ctx, b.sql(`DELETE FROM {schema}.`+table+` WHERE height >= $1 RETURNING contract_id`), height)
		if err != nil {
			return fmt.Errorf("delete contracts: %w", err)
		}
		contracts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("delete contracts: %w", err)
		}
		var wants [][]byte
		for _, contract := range contracts {
			b.touch(contract)
			last, abi := keyHash(lastTokenIDWant(contract)), keyHash(interfaceWant(contract))
			wants = append(wants, last[:], abi[:])
		}
		if err := b.dropWants(wants); err != nil {
			return err
		}
	}
	return nil
}

// dropNotifications deletes the notifications that the reverted block announced. Their tokens were read at that block
// or above since, or still have an open want. So readAgain covers all tokens that another notification applies to now.
func (b *batch) dropNotifications(height int64) error {
	rows, err := b.tx.Query(b.ctx, b.sql(`DELETE FROM {schema}.notification WHERE height >= $1 RETURNING contract_id, coalesce(token_id::text, '')`), height)
	if err != nil {
		return fmt.Errorf("delete notifications: %w", err)
	}
	var key tokenKey
	if _, err := pgx.ForEachRow(rows, []any{&key.contract, &key.id}, func() error {
		if key.id == "" {
			b.touch(key.contract)
		} else {
			b.touchToken(key)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("delete notifications: %w", err)
	}
	return nil
}

// readAgain raises wants for what was read at a block that is no longer canonical. What is known stays until their
// reports come.
func (b *batch) readAgain(step projections.Step) error {
	want := raisedWant{seq: step.SourceSeq, height: b.height(), priority: priorityChain, anew: true}
	if b.tip != nil {
		want.due = b.tip.time
	}
	var wants []raisedWant
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT contract_id, token_id::text FROM {schema}.token WHERE read_height >= $1 ORDER BY contract_id, token_id`), step.Height)
	if err != nil {
		return fmt.Errorf("find what was read at the block: %w", err)
	}
	var key tokenKey
	if _, err := pgx.ForEachRow(rows, []any{&key.contract, &key.id}, func() error {
		want.want = b.readWant(key.contract, bigOf(key.id))
		wants = append(wants, want)
		b.touchToken(key)
		return nil
	}); err != nil {
		return fmt.Errorf("find what was read at the block: %w", err)
	}
	if b.kind == token.NFT {
		rows, err := b.tx.Query(b.ctx, b.sql(`SELECT contract_id FROM {schema}.contract WHERE read_height >= $1 ORDER BY contract_id`), step.Height)
		if err != nil {
			return fmt.Errorf("find what was read at the block: %w", err)
		}
		contracts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("find what was read at the block: %w", err)
		}
		for _, contract := range contracts {
			want.want = lastTokenIDWant(contract)
			wants = append(wants, want)
		}
	}
	return b.raise(wants)
}
