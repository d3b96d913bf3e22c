package bns

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// revert reverts the blocks at height from and above. newest is the step of the newest one.
func (b *batch) revert(ctx context.Context, newest projections.Step, from int64) error {
	if b.tip == nil || newest.IndexBlockHash != b.tip.IndexBlockHash {
		return fmt.Errorf("block %s is not the tip of this projection", newest.IndexBlockHash)
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`DELETE FROM {schema}.name WHERE height >= $1`+membershipSQL), from).Query(func(rows pgx.Rows) error {
		return eachMembership(rows, func(m *membership, current bool) {
			b.unsettle(m.owner)
			if current {
				m.list(b.lists.Remove)
			}
		})
	})
	for _, table := range []string{"namespace", "primary_name", "zonefile"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE height >= $1`), from)
		queries.Queue(b.sql(`UPDATE {schema}.`+table+` SET until_height = NULL WHERE until_height >= $1`), from)
	}
	b.forgetCallers(from)
	for _, table := range []string{"act", "reading"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE height >= $1 RETURNING agent`), from).Query(projections.EachValue(func(agent string) { b.unsettled[agent] = true }))
	}
	for _, table := range []string{"preorder", "event", "caller", "block"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE height >= $1`), from)
	}
	queries.Queue(b.sql(`UPDATE {schema}.preorder SET used_height = NULL WHERE used_height >= $1`), from)
	queries.Queue(b.sql(`
		UPDATE {schema}.name SET until_height = NULL, valid = owner IS NOT NULL AND coalesce(expires_at >= (
			SELECT burn_height FROM {schema}.block ORDER BY height DESC LIMIT 1
		), true) WHERE until_height >= $1`+membershipSQL), from).Query(func(rows pgx.Rows) error {
		return eachMembership(rows, func(m *membership, _ bool) {
			b.unsettle(m.owner)
			m.list(b.lists.Add)
		})
	})
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return err
	}
	if err := b.readTip(ctx); err != nil || b.tip == nil {
		return err
	}
	return b.expire(ctx)
}

// unsettle notes that the wants about a principal may change, if it is an agent.
func (b *batch) unsettle(principal string) {
	if _, ok := b.callers.powers(principal); ok {
		b.unsettled[principal] = true
	}
}
