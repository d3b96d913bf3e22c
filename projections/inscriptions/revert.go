package inscriptions

import (
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/projections"
)

// revert removes blocks, which it knows from their stored rows.
func (b *batch) revert(steps []projections.FeedStep) error {
	heights, hashes := make([]int64, len(steps)), make([][]byte, len(steps))
	for i := range steps {
		heights[i], hashes[i] = steps[i].Height, steps[i].BlockHash[:]
	}
	w := b.newWave()
	if err := b.loadTouched(w, heights); err != nil {
		return err
	}
	sats := w.inOrder()
	if err := b.remove(w, heights, hashes); err != nil {
		return err
	}
	if err := b.loadRemaining(w, sats); err != nil {
		return err
	}
	for _, s := range sats {
		s.after.inscriptions = s.before.inscriptions - int64(len(s.died))
		s.late = s.after.known && s.first.compare(s.after.key) < 0
	}
	if err := b.moveOwners(w, sats); err != nil {
		return err
	}
	return b.finish(w, sats)
}

// loadTouched reads the sats that the blocks moved, in their state before the revert.
func (b *batch) loadTouched(w *wave, heights []int64) error {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT s.sat, s.height, s.tx_index, s.source_seq, s.inscriptions, s.output_txid, s.vout, s.address
		FROM (SELECT DISTINCT sat FROM {schema}.location WHERE height = ANY ($1)) k
		CROSS JOIN LATERAL (
			SELECT s.*, l.address FROM {schema}.satoshi s JOIN {schema}.location l USING (sat, height, tx_index) WHERE s.sat = k.sat LIMIT 1
		) s`), heights)
	if err != nil {
		return fmt.Errorf("read the sats of %d blocks: %w", len(heights), err)
	}
	if err := w.readStates(rows, func(s *sat) *satState { return &s.before }); err != nil {
		return fmt.Errorf("read the sats of %d blocks: %w", len(heights), err)
	}
	return nil
}

// remove deletes the rows of blocks.
func (b *batch) remove(w *wave, heights []int64, hashes [][]byte) error {
	queries := &pgx.Batch{}
	blocks := int64(0)
	queries.Queue(b.sql(`
		DELETE FROM {schema}.block b USING unnest($1::bigint[], $2::bytea[]) AS k (height, block_hash)
		WHERE (b.height, b.block_hash) = (k.height, k.block_hash)`), heights, hashes).Exec(func(tag pgconn.CommandTag) error {
		blocks = tag.RowsAffected()
		return nil
	})
	queries.Queue(b.sql(`
		WITH gone AS (
			DELETE FROM {schema}.inscription WHERE height = ANY ($1)
			RETURNING sat, number, height, tx_index, rarity, recursive, mime_type, genesis_address, id
		)
		DELETE FROM {schema}.owner o USING gone g WHERE (o.sat, o.number, o.id) = (g.sat, g.number, g.id)
		RETURNING g.sat, g.number, g.height, g.tx_index, g.rarity, g.recursive, g.mime_type, g.genesis_address, o.address`), heights).Query(w.readRemoved)
	queries.Queue(b.sql(`DELETE FROM {schema}.location WHERE height = ANY ($1) RETURNING sat, height, tx_index`), heights).Query(w.readFirst)
	if err := b.tx.SendBatch(b.ctx, queries).Close(); err != nil {
		return fmt.Errorf("delete the rows of %d blocks: %w", len(heights), err)
	}
	if blocks != int64(len(heights)) {
		return fmt.Errorf("only %d of the %d blocks to revert are applied", blocks, len(heights))
	}
	return nil
}

// readRemoved reads the deleted inscriptions, and takes them off their lists.
func (w *wave) readRemoved(rows pgx.Rows) error {
	var i listKeys
	var genesis, address *string
	_, err := pgx.ForEachRow(rows, []any{&i.sat, &i.number, &i.key.height, &i.key.tx, &i.rarity, &i.recursive, &i.mimeType, &genesis, &address}, func() error {
		i.genesis, i.address = genesis, address
		i.eachList(w.changes.Remove)
		s := w.sats[i.sat]
		s.died = append(s.died, i.number)
		return nil
	})
	return err
}

// readFirst reads the deleted locations, and sets the first one of each sat.
func (w *wave) readFirst(rows pgx.Rows) error {
	var number int64
	var at key
	first := map[int64]bool{}
	_, err := pgx.ForEachRow(rows, []any{&number, &at.height, &at.tx}, func() error {
		if s := w.sats[number]; !first[number] || at.compare(s.first) < 0 {
			first[number], s.first = true, at
		}
		return nil
	})
	return err
}

// loadRemaining reads the locations at which sats are without the reverted blocks.
func (b *batch) loadRemaining(w *wave, sats []*sat) error {
	numbers := projections.Column(sats, func(s *sat) int64 { return s.number })
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT k.sat, l.height, l.tx_index, l.source_seq, 0::bigint, l.output_txid, l.vout, l.address
		FROM unnest($1::bigint[]) AS k (sat)
		CROSS JOIN LATERAL (
			SELECT l.* FROM {schema}.location l WHERE l.sat = k.sat ORDER BY l.height DESC, l.tx_index DESC LIMIT 1
		) l`), numbers)
	if err != nil {
		return fmt.Errorf("read where %d sats are: %w", len(sats), err)
	}
	if err := w.readStates(rows, func(s *sat) *satState { return &s.after }); err != nil {
		return fmt.Errorf("read where %d sats are: %w", len(sats), err)
	}
	return nil
}
