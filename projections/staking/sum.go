package staking

import (
	"context"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"
)

// allSigners stands for the signer manager in rows of all signer managers together.
const allSigners = ""

// sums are changes of sums over rows. Each of them is linear in the rows that hold: a row adds to it with sign 1 when it
// begins to hold, and with sign -1 when it ends.
type sums struct {
	weights  map[weightKey]*weight
	holdings map[holdingKey]*holding
	bonds    map[int64]*bondSum
	claims   map[claimKey]*claimSum
}

type weightKey struct {
	signer string
	cycle  int64
}

type weight struct {
	stakers, members int64
	staked, bonded   big.Int
}

type holdingKey struct {
	signer string
	height int64
}

type holding struct {
	stakes, members      int64
	staked, bonded, sats big.Int
}

type bondSum struct {
	allowed, registered                                   int64
	capacity, l1, l2, ustx, distributed, accrued, claimed big.Int
}

type claimKey struct{ cycle, bond int64 }

type claimSum struct {
	claims int64
	amount big.Int
}

func newSums() *sums {
	return &sums{map[weightKey]*weight{}, map[holdingKey]*holding{}, map[int64]*bondSum{}, map[claimKey]*claimSum{}}
}

// of returns the entry of a map, which it makes if there is none.
func of[K comparable, V any](m map[K]*V, key K) *V {
	v := m[key]
	if v == nil {
		v = new(V)
		m[key] = v
	}
	return v
}

// add adds an amount with a sign.
func add(sum, amount *big.Int, sign int64) {
	if sign < 0 {
		sum.Sub(sum, amount)
	} else {
		sum.Add(sum, amount)
	}
}

func (s *sums) share(r *share, sign int64) {
	for _, signer := range []string{r.signer, allSigners} {
		for _, end := range []struct{ cycle, sign int64 }{{r.from, sign}, {r.to, -sign}} {
			w := of(s.weights, weightKey{signer, end.cycle})
			if r.bond == noBond {
				w.stakers += end.sign
				add(&w.staked, r.ustx, end.sign)
				continue
			}
			if r.shares.Sign() > 0 {
				w.members += end.sign
			}
			add(&w.bonded, r.ustx, end.sign)
		}
	}
}

func (s *sums) stake(r *stake, sign int64) {
	for _, signer := range []string{r.signer, allSigners} {
		h := of(s.holdings, holdingKey{signer, r.unlockHeight})
		h.stakes += sign
		add(&h.staked, r.ustx, sign)
	}
}

func (s *sums) registration(r *registration, sign int64) {
	b := of(s.bonds, r.bond)
	b.registered += sign
	add(&b.ustx, r.ustx, sign)
	if r.l1 {
		add(&b.l1, r.sats, sign)
	} else {
		add(&b.l2, r.sats, sign)
	}
	if r.status == replaced {
		return
	}
	for _, signer := range []string{r.signer, allSigners} {
		h := of(s.holdings, holdingKey{signer, r.unlockHeight})
		h.members += sign
		add(&h.bonded, r.ustx, sign)
		add(&h.sats, r.sats, sign)
	}
}

func (s *sums) allowance(r *allowance, sign int64) {
	b := of(s.bonds, r.bond)
	b.allowed += sign
	add(&b.capacity, r.maxSats, sign)
}

func (s *sums) distribution(bond int64, rewards, accrued *big.Int, sign int64) {
	b := of(s.bonds, bond)
	add(&b.distributed, rewards, sign)
	add(&b.accrued, accrued, sign)
}

func (s *sums) stakerClaim(bond, cycle int64, amount *big.Int, sign int64) {
	c := of(s.claims, claimKey{cycle, bond})
	c.claims += sign
	add(&c.amount, amount, sign)
	if bond != noBond {
		add(&of(s.bonds, bond).claimed, amount, sign)
	}
}

// columns are the columns of an unnest: numbers and texts, one slice for each.
type columns struct {
	numbers [][]int64
	texts   [][]string
}

func (c *columns) add(numbers []int64, texts ...string) {
	if c.numbers == nil {
		c.numbers, c.texts = make([][]int64, len(numbers)), make([][]string, len(texts))
	}
	for i, n := range numbers {
		c.numbers[i] = append(c.numbers[i], n)
	}
	for i, text := range texts {
		c.texts[i] = append(c.texts[i], text)
	}
}

// args returns the columns as arguments: the numbers, then the texts.
func (c *columns) args() (args []any) {
	for _, n := range c.numbers {
		args = append(args, n)
	}
	for _, text := range c.texts {
		args = append(args, text)
	}
	return args
}

// write adds the changes to the tables. Rows that have become zero are deleted.
func (s *sums) write(ctx context.Context, b *batch) error {
	queries := &pgx.Batch{}
	var weights, holdings, claims, bonds columns
	for key, w := range s.weights {
		if w.stakers != 0 || w.members != 0 || w.staked.Sign() != 0 || w.bonded.Sign() != 0 {
			weights.add([]int64{key.cycle, w.stakers, w.members}, w.staked.String(), w.bonded.String(), key.signer)
		}
	}
	if weights.numbers != nil {
		queries.Queue(b.sql(`
			INSERT INTO {schema}.weight AS t (cycle, stakers, members, staked, bonded, signer)
			SELECT u.cycle, u.stakers, u.members, u.staked::numeric, u.bonded::numeric, u.signer
			FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[]) AS u (cycle, stakers, members, staked, bonded, signer)
			ON CONFLICT (signer, cycle) DO UPDATE
			SET stakers = t.stakers + excluded.stakers, members = t.members + excluded.members, staked = t.staked + excluded.staked, bonded = t.bonded + excluded.bonded`),
			weights.args()...)
		queries.Queue(b.sql(`
			DELETE FROM {schema}.weight t USING unnest($1::bigint[], $2::text[]) AS u (cycle, signer)
			WHERE t.signer = u.signer AND t.cycle = u.cycle AND t.stakers = 0 AND t.members = 0 AND t.staked = 0 AND t.bonded = 0`),
			weights.numbers[0], weights.texts[2])
	}
	for key, h := range s.holdings {
		if h.stakes != 0 || h.members != 0 || h.staked.Sign() != 0 || h.bonded.Sign() != 0 || h.sats.Sign() != 0 {
			holdings.add([]int64{key.height, h.stakes, h.members}, h.staked.String(), h.bonded.String(), h.sats.String(), key.signer)
		}
	}
	if holdings.numbers != nil {
		queries.Queue(b.sql(`
			INSERT INTO {schema}.holding AS t (unlock_height, stakes, members, staked, bonded, sats, signer)
			SELECT u.height, u.stakes, u.members, u.staked::numeric, u.bonded::numeric, u.sats::numeric, u.signer
			FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[]) AS u (height, stakes, members, staked, bonded, sats, signer)
			ON CONFLICT (signer, unlock_height) DO UPDATE
			SET stakes = t.stakes + excluded.stakes, members = t.members + excluded.members, staked = t.staked + excluded.staked,
			    bonded = t.bonded + excluded.bonded, sats = t.sats + excluded.sats`), holdings.args()...)
		queries.Queue(b.sql(`
			DELETE FROM {schema}.holding t USING unnest($1::bigint[], $2::text[]) AS u (height, signer)
			WHERE t.signer = u.signer AND t.unlock_height = u.height AND t.stakes = 0 AND t.members = 0 AND t.staked = 0 AND t.bonded = 0 AND t.sats = 0`),
			holdings.numbers[0], holdings.texts[3])
	}
	for key, c := range s.claims {
		if c.claims != 0 || c.amount.Sign() != 0 {
			claims.add([]int64{key.cycle, key.bond, c.claims}, c.amount.String())
		}
	}
	if claims.numbers != nil {
		queries.Queue(b.sql(`
			INSERT INTO {schema}.claimed AS t (cycle, bond_index, claims, amount)
			SELECT u.cycle, u.bond_index, u.claims, u.amount::numeric
			FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) AS u (cycle, bond_index, claims, amount)
			ON CONFLICT (cycle, bond_index) DO UPDATE SET claims = t.claims + excluded.claims, amount = t.amount + excluded.amount`), claims.args()...)
		queries.Queue(b.sql(`
			DELETE FROM {schema}.claimed t USING unnest($1::bigint[], $2::bigint[]) AS u (cycle, bond_index)
			WHERE t.cycle = u.cycle AND t.bond_index = u.bond_index AND t.claims = 0`), claims.numbers[0], claims.numbers[1])
	}
	for index, sum := range s.bonds {
		bonds.add([]int64{index, sum.allowed, sum.registered}, sum.capacity.String(), sum.l1.String(), sum.l2.String(), sum.ustx.String(),
			sum.distributed.String(), sum.accrued.String(), sum.claimed.String())
	}
	if bonds.numbers != nil {
		queries.Queue(b.sql(`
			UPDATE {schema}.bond t
			SET allowed = t.allowed + u.allowed, registered = t.registered + u.registered, capacity = t.capacity + u.capacity::numeric,
			    l1_sats = t.l1_sats + u.l1::numeric, l2_sats = t.l2_sats + u.l2::numeric, ustx = t.ustx + u.ustx::numeric,
			    distributed = t.distributed + u.distributed::numeric, accrued = t.accrued + u.accrued::numeric, claimed = t.claimed + u.claimed::numeric
			FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
			     AS u (bond_index, allowed, registered, capacity, l1, l2, ustx, distributed, accrued, claimed)
			WHERE t.bond_index = u.bond_index`), bonds.args()...)
	}
	if queries.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("add to the sums: %w", err)
	}
	return nil
}
