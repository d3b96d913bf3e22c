package brc20

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/projections"
	"strata/projections/internal/ranked"
)

// change holds the changes that a wave makes to the tables.
type change struct {
	spec  projections.Spec
	tx    pgx.Tx
	wave  wave
	lists *ranked.Changes

	removed, added []*operation // added is in the order of keys; removed ones have only the fields that are needed here
	links          *links
	ledger         *ledger
	tokens         *tokens
}

// fold deletes the rows of the wave's heights, reads what depends on the deleted and the new rows, and writes.
func (c *change) fold(ctx context.Context) error {
	for _, step := range c.wave.blocks {
		operations := operationsOf(step)
		slices.SortFunc(operations, func(a, b *operation) int { return a.compare(b.key) })
		c.added = append(c.added, operations...)
	}
	c.ledger = newLedger(c.added)
	if err := c.remove(ctx); err != nil {
		return err
	}
	c.links, c.tokens = newLinks(c.removed, c.added), newTokens(c.removed, c.added)
	read := &pgx.Batch{}
	c.links.read(c.spec, read)
	c.ledger.read(c.spec, read)
	c.tokens.read(c.spec, read)
	if err := send(ctx, c.tx, read); err != nil {
		return fmt.Errorf("read the rows to change: %w", err)
	}
	c.links.tie()
	c.ledger.add()
	if err := c.write(ctx); err != nil {
		return err
	}
	c.changeLists()
	if err := c.lists.Write(ctx, c.tx); err != nil {
		return fmt.Errorf("write the lists: %w", err)
	}
	return nil
}

// send runs a batch unless it is empty.
func send(ctx context.Context, tx pgx.Tx, b *pgx.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, b).Close()
}

// remove deletes the rows of the heights that the wave reverts. It leaves rows that depend on more than one height.
func (c *change) remove(ctx context.Context) error {
	if len(c.wave.gone) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(c.spec.SQL(`
		DELETE FROM {schema}.operation WHERE height = ANY ($1)
		RETURNING height, tx_index, kind, ticker, id, address, receiver, amount, sent_height, sent_tx_index`), c.wave.gone).Query(func(rows pgx.Rows) error {
		var height, txIndex int64
		var k int16
		var sentHeight, sentIndex *int64
		var o operation
		var amount pgtype.Numeric
		_, err := pgx.ForEachRow(rows, []any{&height, &txIndex, &k, &o.ticker, &o.id, &o.address, &o.receiver, &amount, &sentHeight, &sentIndex}, func() error {
			removed := o
			removed.key, removed.kind, removed.amount, removed.sent = key{height, txIndex}, kind(k), unitsOf(amount), keyOf(sentHeight, sentIndex)
			c.removed = append(c.removed, &removed)
			return nil
		})
		return err
	})
	b.Queue(c.spec.SQL(`
		WITH gone AS (DELETE FROM {schema}.entry WHERE height = ANY ($1) RETURNING ticker, address, height, tx_index)
		SELECT DISTINCT ON (ticker, address) ticker, address, height, tx_index FROM gone ORDER BY ticker, address, height, tx_index`),
		c.wave.gone).Query(func(rows pgx.Rows) error {
		var a account
		var k key
		_, err := pgx.ForEachRow(rows, []any{&a.ticker, &a.address, &k.height, &k.txIndex}, func() error {
			c.ledger.disturb(a, k)
			return nil
		})
		return err
	})
	b.Queue(c.spec.SQL(`DELETE FROM {schema}.block WHERE height = ANY ($1)`), c.wave.gone)
	if err := send(ctx, c.tx, b); err != nil {
		return fmt.Errorf("delete the rows of heights %v: %w", c.wave.gone, err)
	}
	return nil
}

func (c *change) write(ctx context.Context) error {
	blocks := make([][]any, len(c.wave.blocks))
	for i, s := range c.wave.blocks {
		blocks[i] = []any{s.Height, s.BlockSeq, int64(s.Block.Time), int32(s.BlockIndex), s.BlockHash[:]}
	}
	if err := c.copy(ctx, "block", []string{"height", "source_seq", "time", "block_index", "block_hash"}, len(blocks),
		func(i int) []any { return blocks[i] }); err != nil {
		return err
	}
	if err := c.copy(ctx, "operation", operationColumns, len(c.added), func(i int) []any { return operationRow(c.added[i]) }); err != nil {
		return err
	}
	if err := c.copy(ctx, "entry", entryColumns, len(c.ledger.entries), func(i int) []any { return entryRow(c.ledger.entries[i]) }); err != nil {
		return err
	}
	if err := c.links.write(ctx, c.spec, c.tx); err != nil {
		return err
	}
	if err := c.ledger.write(ctx, c.spec, c.tx); err != nil {
		return err
	}
	for ticker, n := range c.ledger.holders() {
		c.tokens.of[ticker].holders += n
	}
	return c.tokens.write(ctx, c.spec, c.tx)
}

func (c *change) copy(ctx context.Context, table string, columns []string, n int, row func(i int) []any) error {
	if n == 0 {
		return nil
	}
	_, err := c.tx.CopyFrom(ctx, pgx.Identifier{c.spec.String(), table}, columns, pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil }))
	if err != nil {
		return fmt.Errorf("write %d rows of %s: %w", n, table, err)
	}
	return nil
}

// changeLists records which lists gain and lose an entry.
func (c *change) changeLists() {
	for _, o := range c.removed {
		for _, name := range o.lists() {
			c.lists.Remove(name, o.ranked())
		}
		if o.transferable() {
			c.lists.Remove(listTransferable+o.address, o.ranked())
		}
	}
	for _, o := range c.added {
		for _, name := range o.lists() {
			c.lists.Add(name, o.ranked())
		}
		if o.transferable() {
			c.lists.Add(listTransferable+o.address, o.ranked())
		}
	}
	for _, t := range c.links.sent { // these transfers have rows both before and after the wave
		if t.transferable() {
			c.lists.Add(listTransferable+t.address, t.ranked())
		} else if t.wasTransferable {
			c.lists.Remove(listTransferable+t.address, t.ranked())
		}
	}
	for _, t := range c.tokens.redeployed {
		if t.before != nil {
			c.lists.Remove(listTokens, t.before.ranked())
		}
		if t.now != nil {
			c.lists.Add(listTokens, t.now.ranked())
		}
	}
}
