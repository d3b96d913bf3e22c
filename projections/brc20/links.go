package brc20

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// links connects transfers with the sends of their inscriptions, in whatever order their blocks arrive. If a feed has
// several transfers or sends of one id, the first transfer and the first send count.
type links struct {
	ids  []string
	of   map[string]*inscriptionOperations
	sent []*linkedOperation // stored transfers whose send has changed
	rows []*linkedOperation // stored operations whose rows have changed
}

// inscriptionOperations holds the transfers and sends of one inscription.
type inscriptionOperations struct{ transfers, sends []*linkedOperation }

// linkedOperation is a transfer or a send that links connects with its counterpart.
type linkedOperation struct {
	*operation
	new             bool // the table has no row of it yet
	wasTransferable bool // before the wave
}

func newLinks(removed, added []*operation) *links {
	l := &links{of: map[string]*inscriptionOperations{}}
	for _, o := range removed {
		l.add(o, nil)
	}
	for _, o := range added {
		l.add(o, &linkedOperation{operation: o, new: true})
	}
	return l
}

// add adds an operation if it is a transfer or a send. s is nil for a deleted operation, of which only the id is noted.
func (l *links) add(o *operation, s *linkedOperation) {
	if o.kind != transfer && o.kind != transferSend {
		return
	}
	of := l.of[o.id]
	if of == nil {
		of = &inscriptionOperations{}
		l.of[o.id] = of
		l.ids = append(l.ids, o.id)
	}
	switch {
	case s == nil:
	case o.kind == transfer:
		of.transfers = append(of.transfers, s)
	default:
		of.sends = append(of.sends, s)
	}
}

func (l *links) read(spec projections.Spec, b *pgx.Batch) {
	if len(l.ids) == 0 {
		return
	}
	b.Queue(spec.SQL(`
		SELECT o.*
		FROM unnest($1::text[]) AS k (id)
		CROSS JOIN LATERAL (
			SELECT height, tx_index, kind, id, address, number, sat, sent_height, sent_tx_index, satpoint, moved_sats, moved_to
			FROM {schema}.operation o WHERE o.kind IN (3, 4) AND o.id = k.id OFFSET 0
		) o`), l.ids).Query(func(rows pgx.Rows) error {
		var row operation
		var height, txIndex int64
		var k int16
		var sentHeight, sentIndex *int64
		var sats []int64
		var to []string
		_, err := pgx.ForEachRow(rows, []any{
			&height, &txIndex, &k, &row.id, &row.address, &row.number, &row.sat, &sentHeight, &sentIndex, &row.satpoint, &sats, &to,
		}, func() error {
			o := row
			o.key, o.kind, o.sent = key{height, txIndex}, kind(k), keyOf(sentHeight, sentIndex)
			for i := range sats {
				o.moves = append(o.moves, move{sats[i], to[i]})
			}
			l.add(&o, &linkedOperation{operation: &o, wasTransferable: o.transferable()})
			return nil
		})
		return err
	})
}

// tie gives each transfer the key of its send, and each send what its transfer tells: the number and the sat of the
// inscription.
func (l *links) tie() {
	for _, id := range l.ids {
		of := l.of[id]
		var sent *key
		if s := first(of.sends); s != nil {
			sent = &s.key
		}
		for _, t := range of.transfers {
			changed := !equal(t.sent, sent)
			t.sent = sent
			if changed && !t.new {
				l.rows, l.sent = append(l.rows, t), append(l.sent, t)
			}
		}
		for _, s := range of.sends {
			var number, sat *int64
			if t := first(of.transfers); t != nil {
				number, sat = t.number, t.sat
			}
			satpoint := s.satpoint
			if len(s.moves) > 0 {
				satpoint = settle(s.moves, sat)
			}
			changed := !equal(s.number, number) || !equal(s.sat, sat) || !equal(s.satpoint, satpoint)
			s.number, s.sat, s.satpoint = number, sat, satpoint
			if changed && !s.new {
				l.rows = append(l.rows, s)
			}
		}
	}
}

func first(list []*linkedOperation) (least *linkedOperation) {
	for _, s := range list {
		if least == nil || s.compare(least.key) < 0 {
			least = s
		}
	}
	return least
}

func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// write updates the rows of stored operations.
func (l *links) write(ctx context.Context, spec projections.Spec, tx pgx.Tx) error {
	n := len(l.rows)
	if n == 0 {
		return nil
	}
	heights, indices := make([]int64, n), make([]int64, n)
	numbers, sats, sentHeights, sentIndices := make([]*int64, n), make([]*int64, n), make([]*int64, n), make([]*int64, n)
	satpoints := make([]*string, n)
	for i, o := range l.rows {
		heights[i], indices[i], numbers[i], sats[i], satpoints[i] = o.height, o.txIndex, o.number, o.sat, o.satpoint
		sentHeights[i], sentIndices[i] = o.sent.columns()
	}
	_, err := tx.Exec(ctx, spec.SQL(`
		UPDATE {schema}.operation o
		SET number = k.number, sat = k.sat, sent_height = k.sent_height, sent_tx_index = k.sent_tx_index, satpoint = k.satpoint
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])
			AS k (height, tx_index, number, sat, sent_height, sent_tx_index, satpoint)
		WHERE o.height = k.height AND o.tx_index = k.tx_index`), heights, indices, numbers, sats, sentHeights, sentIndices, satpoints)
	if err != nil {
		return fmt.Errorf("link %d transfers and sends: %w", n, err)
	}
	return nil
}
