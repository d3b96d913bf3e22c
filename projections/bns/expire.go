package bns

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// expire moves the names that are in the wrong list at the newest block: those that have expired since they were
// written, and after a revert those that are valid again.
func (b *batch) expire(ctx context.Context) error {
	queries := &pgx.Batch{}
	for _, q := range []struct {
		sql   string
		valid bool
	}{
		{`UPDATE {schema}.name SET valid = false WHERE until_height IS NULL AND valid AND expires_at < $1`, false},
		{`UPDATE {schema}.name SET valid = true WHERE until_height IS NULL AND NOT valid AND expires_at >= $1`, true},
	} {
		queries.Queue(b.sql(q.sql+membershipSQL), b.tip.burnHeight).Query(func(rows pgx.Rows) error {
			return eachMembership(rows, func(m *membership, _ bool) {
				m.valid = !q.valid
				m.list(b.lists.Remove)
				m.valid = q.valid
				m.list(b.lists.Add)
			})
		})
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("move expired names: %w", err)
	}
	return nil
}

// membershipSQL returns from a changed name what eachMembership reads.
const membershipSQL = ` RETURNING full_name, namespace, coalesce(owner, ''), valid, revoked, until_height IS NULL`

func eachMembership(rows pgx.Rows, f func(m *membership, current bool)) error {
	var m membership
	var current bool
	_, err := pgx.ForEachRow(rows, []any{&m.fullName, &m.namespace, &m.owner, &m.valid, &m.revoked, &current}, func() error {
		copied := m
		f(&copied, current)
		return nil
	})
	return err
}
