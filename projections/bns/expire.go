package bns

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// expire moves the names that are in the wrong list at the newest block: those that have expired since they were
// written, and after a revert those that are valid again.
func (b *batch) expire(ctx context.Context) error {
	rows, err := b.tx.Query(ctx, b.sql(`
		WITH expired AS (
			UPDATE {schema}.name SET valid = false WHERE until_height IS NULL AND valid AND expires_at < $1`+membershipSQL+`
		), revived AS (
			UPDATE {schema}.name SET valid = true WHERE until_height IS NULL AND NOT valid AND expires_at >= $1`+membershipSQL+`
		)
		SELECT * FROM expired UNION ALL SELECT * FROM revived`), b.tip.burnHeight)
	if err == nil {
		err = eachMembership(rows, func(m *membership, _ bool) {
			now := m.valid
			m.valid = !now
			m.list(b.lists.Remove)
			m.valid = now
			m.list(b.lists.Add)
		})
	}
	if err != nil {
		return fmt.Errorf("move expired names: %w", err)
	}
	return nil
}

// membershipSQL returns from a changed name what eachMembership reads.
const membershipSQL = ` RETURNING full_name, namespace, coalesce(owner, '') AS owner, valid, revoked, until_height IS NULL AS current`

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
