package inscriptions

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections/internal/ranked"
)

// moveOwners gives the inscriptions of sats that went to another address their new owner.
func (b *batch) moveOwners(w *wave, sats []*sat) error {
	var numbers []int64
	var owners []*string
	for _, s := range sats {
		if s.before.inscriptions > 0 && !sameAddress(s.before.owner, s.after.owner) {
			numbers, owners = append(numbers, s.number), append(owners, s.after.owner)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`
		UPDATE {schema}.owner o SET address = k.address
		FROM unnest($1::bigint[], $2::text[]) AS k (sat, address)
		WHERE o.sat = k.sat
		RETURNING o.sat, o.height, o.tx_index, o.number`), numbers, owners)
	if err != nil {
		return fmt.Errorf("write the owners of %d sats: %w", len(numbers), err)
	}
	var number int64
	var at ranked.Key
	if _, err := pgx.ForEachRow(rows, []any{&number, &at[0], &at[1], &at[2]}, func() error {
		s := w.sats[number]
		if s.before.owner != nil {
			w.changes.Remove(listAddress+*s.before.owner, at)
		}
		if s.after.owner != nil {
			w.changes.Add(listAddress+*s.after.owner, at)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("write the owners of %d sats: %w", len(numbers), err)
	}
	return nil
}

func sameAddress(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// finish writes what depends on rows that were written before: the states of sats, the numbers of moved inscriptions,
// and the lists.
func (b *batch) finish(w *wave, sats []*sat) error {
	if err := b.writeSats(sats); err != nil {
		return err
	}
	if err := b.recount(sats); err != nil {
		return err
	}
	if err := b.listSats(w, sats); err != nil {
		return err
	}
	return w.changes.Write(b.ctx, b.tx)
}

// writeSats writes table satoshi.
func (b *batch) writeSats(sats []*sat) error {
	var gone, numbers, heights, indexes, seqs, inscriptions []int64
	var outputs [][]byte
	var vouts []string
	var fresh []*sat
	for _, s := range sats {
		switch a := &s.after; {
		case a.known && !s.before.known:
			fresh = append(fresh, s)
		case a.known:
			numbers, heights, indexes = append(numbers, s.number), append(heights, a.key.height), append(indexes, a.key.tx)
			seqs, inscriptions = append(seqs, a.seq), append(inscriptions, a.inscriptions)
			outputs, vouts = append(outputs, a.output[:]), append(vouts, a.vout)
		case s.before.known:
			gone = append(gone, s.number)
		}
	}
	if err := copyTable(b, "satoshi", satColumns, fresh, (*sat).row); err != nil {
		return err
	}
	queries := &pgx.Batch{}
	if len(gone) > 0 {
		queries.Queue(b.sql(`DELETE FROM {schema}.satoshi WHERE sat = ANY ($1)`), gone)
	}
	if len(numbers) > 0 {
		queries.Queue(b.sql(`
			UPDATE {schema}.satoshi s SET
				height = k.height, tx_index = k.tx_index, source_seq = k.source_seq,
				inscriptions = k.inscriptions, output_txid = k.output_txid, vout = k.vout
			FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::text[])
				AS k (sat, height, tx_index, source_seq, inscriptions, output_txid, vout)
			WHERE s.sat = k.sat`),
			numbers, heights, indexes, seqs, inscriptions, outputs, vouts)
	}
	if queries.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(b.ctx, queries).Close(); err != nil {
		return fmt.Errorf("write the state of %d sats: %w", len(sats), err)
	}
	return nil
}

// recount counts the inscriptions that locations moved again, for sats that have locations after one that was added or
// deleted. It begins at the first location that was, with the numbers of the location before it, so that it need not
// read the whole history of a sat.
//
// It finds the inscriptions that were revealed at a location by the location's key, which few share: "+ 0" keeps the
// planner from using the index by sat, on which there may be many.
func (b *batch) recount(sats []*sat) error {
	var numbers, heights, indexes []int64
	for _, s := range sats {
		if s.late {
			numbers, heights, indexes = append(numbers, s.number), append(heights, s.first.height), append(indexes, s.first.tx)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		WITH start AS (
			SELECT k.sat, k.height, k.tx_index, coalesce(last.moved + born.n, 0) AS n
			FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS k (sat, height, tx_index)
			LEFT JOIN LATERAL (
				SELECT l.height, l.tx_index, l.moved FROM {schema}.location l
				WHERE l.sat = k.sat AND (l.height, l.tx_index) < (k.height, k.tx_index)
				ORDER BY l.height DESC, l.tx_index DESC LIMIT 1
			) last ON true
			LEFT JOIN LATERAL (
				SELECT count(*) AS n FROM {schema}.inscription i
				WHERE (i.height, i.tx_index, i.sat + 0) = (last.height, last.tx_index, k.sat)
			) born ON true
		), later AS (
			SELECT start.sat, l.height, l.tx_index, l.moved AS was,
			       (start.n + coalesce(sum(born.n) OVER (
			           PARTITION BY start.sat ORDER BY l.height, l.tx_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
			       ), 0))::bigint AS moved
			FROM start
			CROSS JOIN LATERAL (
				SELECT l.height, l.tx_index, l.moved FROM {schema}.location l
				WHERE l.sat = start.sat AND (l.height, l.tx_index) >= (start.height, start.tx_index)
				OFFSET 0
			) l
			CROSS JOIN LATERAL (
				SELECT count(*) AS n FROM {schema}.inscription i
				WHERE (i.height, i.tx_index, i.sat + 0) = (l.height, l.tx_index, start.sat)
			) born
		), changed AS (
			UPDATE {schema}.location l SET moved = later.moved
			FROM later
			WHERE (l.sat, l.height, l.tx_index) = (later.sat, later.height, later.tx_index) AND later.moved <> later.was
			RETURNING l.height, later.moved - later.was AS more
		)
		UPDATE {schema}.block b SET moves = b.moves + c.more
		FROM (SELECT height, sum(more)::bigint AS more FROM changed GROUP BY height) c
		WHERE b.height = c.height`), numbers, heights, indexes); err != nil {
		return fmt.Errorf("recount the inscriptions that moved with %d sats: %w", len(numbers), err)
	}
	return nil
}

// listSats changes the lists of sats. Only a sat with more than one inscription has a list. So if a sat has or had
// exactly one, its number must be read.
func (b *batch) listSats(w *wave, sats []*sat) error {
	var read []int64
	for _, s := range sats {
		had, has := s.before.inscriptions, s.after.inscriptions
		if had < 2 && has < 2 {
			continue
		}
		list := listSat + fmt.Sprint(s.number)
		for _, i := range s.born {
			w.changes.Add(list, ranked.Key{i.number})
		}
		for _, number := range s.died {
			w.changes.Remove(list, ranked.Key{number})
		}
		if had == 1 || has == 1 {
			read = append(read, s.number)
		}
	}
	if len(read) == 0 {
		return nil
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`SELECT sat, number FROM {schema}.owner WHERE sat = ANY ($1)`), read)
	if err != nil {
		return fmt.Errorf("read the inscriptions of %d sats: %w", len(read), err)
	}
	current := map[int64][]int64{}
	var satNumber, number int64
	if _, err := pgx.ForEachRow(rows, []any{&satNumber, &number}, func() error {
		current[satNumber] = append(current[satNumber], number)
		return nil
	}); err != nil {
		return fmt.Errorf("read the inscriptions of %d sats: %w", len(read), err)
	}
	for _, satNumber := range read {
		s, list := w.sats[satNumber], listSat+fmt.Sprint(satNumber)
		old := map[int64]int{} // how often each number occurs: numbers are unique only in a feed without faults
		for _, i := range s.born {
			old[i.number]--
		}
		for _, number := range current[satNumber] {
			old[number]++
		}
		for number, n := range old {
			for range n {
				if s.before.inscriptions == 1 {
					w.changes.Add(list, ranked.Key{number})
				} else {
					w.changes.Remove(list, ranked.Key{number})
				}
			}
		}
	}
	return nil
}
