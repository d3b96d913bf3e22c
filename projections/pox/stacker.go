package pox

import (
	"context"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/projections"
)

// stacker is an account with STX locked in a cycle.
type stacker struct {
	name     string
	seq      int64
	amount   *big.Int
	pool     *string // nil for a solo stacker
	address  []byte
	key      [keyLength]byte
	assigned bool // key is set
}

// lockRow is a row of table stacking, or a row of table commitment, which has no act.
type lockRow struct {
	seq      int64
	act      *act
	amount   pgtype.Numeric
	stacker  *string
	pool     *string
	key, raw []byte
}

// stackers returns the accounts with STX locked in a cycle by name, as of the events written so far.
func (b *batch) stackers(ctx context.Context, cycle int64) (map[string]*stacker, error) {
	rows, err := b.tx.Query(ctx, b.sql(`
		SELECT source_seq, act, amount, stacker, pool, signer_key, pox_addr FROM (
			SELECT n, source_seq, act, amount, stacker, pool, signer_key, pox_addr
			FROM {schema}.stacking WHERE end_cycle > $1 AND start_cycle <= $1
			UNION ALL
			SELECT n, source_seq, NULL, NULL, NULL, pool, signer_key, pox_addr
			FROM {schema}.commitment WHERE cycle_number = $1
		) said ORDER BY n`), cycle)
	if err != nil {
		return nil, fmt.Errorf("read who stacks in cycle %d: %w", cycle, err)
	}
	all := lockState{stackers: map[string]*stacker{}, waiting: map[string][]*stacker{}}
	var s lockRow
	if _, err := pgx.ForEachRow(rows, []any{&s.seq, &s.act, &s.amount, &s.stacker, &s.pool, &s.key, &s.raw}, func() error {
		all.fold(s)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read who stacks in cycle %d: %w", cycle, err)
	}
	return all.stackers, nil
}

// lockState is the locks of a cycle, folded row by row.
type lockState struct {
	stackers map[string]*stacker
	// waiting are the stackers of a pool and a reward address without a commitment yet.
	waiting map[string][]*stacker
}

func (l *lockState) fold(s lockRow) {
	if s.act == nil {
		l.commit(s)
		return
	}
	known := l.stackers[*s.stacker]
	if known != nil && *s.act != begins {
		known.amount, known.seq = projections.WholeNumber(s.amount), s.seq
		return
	}
	entry := &stacker{name: *s.stacker, seq: s.seq, amount: projections.WholeNumber(s.amount), pool: s.pool, address: s.raw}
	if s.pool == nil {
		entry.key, entry.assigned = [keyLength]byte(s.key), true
	} else {
		group := *s.pool + string(s.raw)
		l.waiting[group] = append(l.waiting[group], entry)
	}
	l.stackers[entry.name] = entry
}

// commit assigns the signing key of a commitment to the waiting stackers of the pool and reward address.
func (l *lockState) commit(s lockRow) {
	group := *s.pool + string(s.raw)
	for _, member := range l.waiting[group] {
		member.key, member.assigned = [keyLength]byte(s.key), true
	}
	delete(l.waiting, group)
}
