package pox

import (
	"context"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// stacker is who has something locked in a cycle.
type stacker struct {
	name     string
	seq      int64
	amount   *big.Int
	pool     *string // nil for who stacks alone
	address  []byte
	key      [keyLength]byte
	assigned bool // there is a key
}

// said is a row of stacking, or of commitment, which has no act.
type said struct {
	seq      int64
	act      *act
	amount   pgtype.Numeric
	stacker  *string
	pool     *string
	key, raw []byte
}

// stackers are those with something locked in a cycle, as far as was reported until now.
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
	all := locked{stackers: map[string]*stacker{}, waiting: map[string][]*stacker{}}
	var s said
	if _, err := pgx.ForEachRow(rows, []any{&s.seq, &s.act, &s.amount, &s.stacker, &s.pool, &s.key, &s.raw}, func() error {
		all.hear(s)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read who stacks in cycle %d: %w", cycle, err)
	}
	return all.stackers, nil
}

// locked is who has something locked in a cycle, as one event after another says.
type locked struct {
	stackers map[string]*stacker
	// waiting are those of a pool and a reward address that it has not committed.
	waiting map[string][]*stacker
}

func (l *locked) hear(s said) {
	if s.act == nil {
		l.commit(s)
		return
	}
	known := l.stackers[*s.stacker]
	if known != nil && *s.act != begins {
		known.amount, known.seq = whole(s.amount), s.seq
		return
	}
	now := &stacker{name: *s.stacker, seq: s.seq, amount: whole(s.amount), pool: s.pool, address: s.raw}
	if s.pool == nil {
		now.key, now.assigned = [keyLength]byte(s.key), true
	} else {
		group := *s.pool + string(s.raw)
		l.waiting[group] = append(l.waiting[group], now)
	}
	l.stackers[now.name] = now
}

// commit names the signer of those of a pool that have none.
func (l *locked) commit(s said) {
	group := *s.pool + string(s.raw)
	for _, member := range l.waiting[group] {
		member.key, member.assigned = [keyLength]byte(s.key), true
	}
	delete(l.waiting, group)
}

// whole is a whole number as the database writes it: without the zeros at its end.
func whole(n pgtype.Numeric) *big.Int {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n.Exp, 0))), nil)
	return scale.Mul(scale, n.Int)
}
