package staking

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/pox"
	"strata/projections"
)

// distribute is the event bond-distribution. The calculation that follows it in the transaction says for which cycle.
type distribute struct {
	bond                          int64
	target, rewards, sats, perSat *big.Int
}

func (a *distribute) needs(*names) {}

func (a *distribute) apply(*state, *event) {}

// calculate is the event calculate-rewards.
type calculate struct {
	cycle, height                                        int64
	gross, bonds, deposit, reserve, stx, staked, perUSTX *big.Int
}

func (a *calculate) needs(*names) {}

func (a *calculate) apply(*state, *event) {}

// portion is what a signer manager has of the shares.
type portion struct {
	signer string
	shares *big.Int
}

// calculate writes a calculation of rewards and the distributions that belong to it.
func (b *batch) calculate(ctx context.Context, e *event, a *calculate, given []*event) error {
	total := newSums()
	var distributions, earnings [][]any
	earn := func(n, seq, bond int64, p portion, perToken *big.Int) {
		amount := pox.Earned(p.shares, perToken)
		earnings = append(earnings, []any{n, a.cycle, bond, seq, projections.Amount(p.shares), projections.Amount(amount), p.signer})
	}
	for _, event := range given {
		d := event.act.(*distribute)
		portions, accrued, err := b.bondPortions(ctx, d, a.cycle)
		if err != nil {
			return err
		}
		for _, p := range portions {
			earn(event.n, event.seq, d.bond, p, d.perSat)
		}
		distributions = append(distributions, []any{
			event.n, e.n, d.bond, a.cycle, event.seq, projections.Amount(d.target), projections.Amount(d.rewards), projections.Amount(accrued),
			projections.Amount(d.sats), projections.Amount(d.perSat),
		})
		total.distribution(d.bond, d.rewards, accrued, 1)
	}
	portions, err := b.stakePortions(ctx, a.cycle)
	if err != nil {
		return err
	}
	for _, p := range portions {
		earn(e.n, e.seq, noBond, p, a.perUSTX)
	}
	if err := b.copy(ctx, "distribution", "n calculation_n bond_index cycle source_seq target_yield rewards accrued staked_sats per_sat", distributions); err != nil {
		return err
	}
	if err := b.copy(ctx, "calculation", "n source_seq cycle calculation_height gross bond_rewards reserve_deposit reserve_balance stx_rewards staked per_ustx", [][]any{{
		e.n, e.seq, a.cycle, a.height, projections.Amount(a.gross), projections.Amount(a.bonds), projections.Amount(a.deposit), projections.Amount(a.reserve),
		projections.Amount(a.stx), projections.Amount(a.staked), projections.Amount(a.perUSTX),
	}}); err != nil {
		return err
	}
	if err := b.copy(ctx, "earning", "n cycle bond_index source_seq shares amount signer", earnings); err != nil {
		return err
	}
	return total.write(ctx, b)
}

// bondPortions returns the sats of a bond in a cycle by signer manager, and what the stakers earn together.
func (b *batch) bondPortions(ctx context.Context, d *distribute, cycle int64) (portions []portion, accrued *big.Int, err error) {
	rows, err := b.tx.Query(ctx, b.sql(`
		SELECT t.signer, t.shares::text FROM {schema}.share t
		WHERE t.bond_index = $1 AND t.bond_index >= 0 AND t.until_n IS NULL AND t.from_cycle <= $2 AND t.to_cycle > $2 AND t.shares > 0`), d.bond, cycle)
	if err != nil {
		return nil, nil, fmt.Errorf("read the shares of bond %d: %w", d.bond, err)
	}
	accrued = new(big.Int)
	bySigner := map[string]*big.Int{}
	var signer string
	var shares *big.Int
	if _, err := pgx.ForEachRow(rows, []any{&signer, amountOf{&shares}}, func() error {
		if bySigner[signer] == nil {
			bySigner[signer] = new(big.Int)
		}
		bySigner[signer].Add(bySigner[signer], shares)
		accrued.Add(accrued, pox.Earned(shares, d.perSat))
		return nil
	}); err != nil {
		return nil, nil, fmt.Errorf("read the shares of bond %d: %w", d.bond, err)
	}
	for _, signer := range slices.Sorted(maps.Keys(bySigner)) {
		portions = append(portions, portion{signer, bySigner[signer]})
	}
	return portions, accrued, nil
}

// stakePortions returns the µSTX that are staked without a bond in a cycle, by signer manager. Managers whose weight is
// below the minimum have none.
func (b *batch) stakePortions(ctx context.Context, cycle int64) ([]portion, error) {
	rows, err := b.tx.Query(ctx, b.sql(`
		SELECT signer, sum(staked)::text FROM {schema}.weight WHERE cycle <= $1 AND signer <> ''
		GROUP BY signer HAVING sum(staked) + sum(bonded) >= $2 AND sum(staked) > 0 ORDER BY signer`), cycle, int64(pox.SignerMinimum))
	if err != nil {
		return nil, fmt.Errorf("read the weights of signer managers: %w", err)
	}
	portions, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p portion, err error) {
		return p, row.Scan(&p.signer, amountOf{&p.shares})
	})
	if err != nil {
		return nil, fmt.Errorf("read the weights of signer managers: %w", err)
	}
	return portions, nil
}
