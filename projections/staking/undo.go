package staking

import (
	"context"
	"math/big"

	"github.com/jackc/pgx/v5"
)

// undo undoes the events from a number on: it deletes their rows, and lets the rows hold again that they ended.
func (b *batch) undo(ctx context.Context, first int64) error {
	total := newSums()
	queries := &pgx.Batch{}
	remove := func(table, columns string, read func(pgx.Rows) error) {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` t WHERE t.n >= $1 RETURNING `+columns), first).Query(read)
	}
	reopen := func(table, columns string, read func(pgx.Rows) error) {
		queries.Queue(b.sql(`UPDATE {schema}.`+table+` t SET until_n = NULL WHERE t.until_n >= $1 AND t.until_n IS NOT NULL RETURNING `+columns), first).Query(read)
	}
	// A row that had ended is in no sum.
	remove("stake", stakeColumns, collect(scanStake, func(r *stake) { ifHolds(&r.span, func() { total.stake(r, -1) }) }))
	remove("registration", registrationColumns, collect(scanRegistration, func(r *registration) { ifHolds(&r.span, func() { total.registration(r, -1) }) }))
	remove("share", shareColumns, collect(scanShare, func(r *share) { ifHolds(&r.span, func() { total.share(r, -1) }) }))
	remove("allowlist", allowanceColumns, collect(scanAllowance, func(r *allowance) { ifHolds(&r.span, func() { total.allowance(r, -1) }) }))
	reopen("stake", stakeColumns, collect(scanStake, func(r *stake) { total.stake(r, 1) }))
	reopen("registration", registrationColumns, collect(scanRegistration, func(r *registration) { total.registration(r, 1) }))
	reopen("share", shareColumns, collect(scanShare, func(r *share) { total.share(r, 1) }))
	reopen("allowlist", allowanceColumns, collect(scanAllowance, func(r *allowance) { total.allowance(r, 1) }))

	var bond, cycle int64
	var one, other *big.Int
	remove("distribution", `t.bond_index, t.rewards::text, t.accrued::text`, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&bond, amountOf{&one}, amountOf{&other}}, func() error {
			total.distribution(bond, one, other, -1)
			return nil
		})
		return err
	})
	remove("staker_claim", `t.bond_index, t.cycle, t.amount::text`, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&bond, &cycle, amountOf{&one}}, func() error {
			total.stakerClaim(bond, cycle, one, -1)
			return nil
		})
		return err
	})
	for _, table := range []string{"bond", "signer", "signer_key", "key_grant", "calculation", "earning", "claim", "anchor"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE n >= $1`), first)
	}
	for _, table := range []string{"signer_key", "key_grant"} {
		queries.Queue(b.sql(`UPDATE {schema}.`+table+` SET until_n = NULL WHERE until_n >= $1 AND until_n IS NOT NULL`), first)
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return err
	}
	return total.write(ctx, b)
}

func ifHolds(s *span, f func()) {
	if s.holds() {
		f()
	}
}
