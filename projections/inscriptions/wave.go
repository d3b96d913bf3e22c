package inscriptions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/projections"
	"strata/projections/internal/ranked"
)

// wave holds what a run of blocks changes that are applied or reverted together.
type wave struct {
	// Rows in the order of the feed, which is nearly that of heights.
	blocks       []*block
	inscriptions []*inscription
	locations    []*location

	sats    map[int64]*sat
	at      map[place]*location
	known   map[ordinals.InscriptionID]bool // inscriptions that were revealed
	refused []projections.Quarantined
	changes *ranked.Changes
}

func (b *batch) newWave() *wave {
	return &wave{
		sats: map[int64]*sat{}, at: map[place]*location{}, known: map[ordinals.InscriptionID]bool{},
		changes: b.projection.lists.Changes(),
	}
}

// place identifies a location: a sat has at most one for each key.
type place struct {
	sat int64
	key key
}

// sat is a sat that the wave changes.
type sat struct {
	number        int64
	before, after satState
	locations     []*location
	born          []*inscription
	died          []int64 // numbers of the inscriptions that it loses
	// late says that the sat has locations after one that is added or deleted.
	late  bool
	first key // of the locations that are added or deleted
}

// satState is a row of table satoshi, with the address of the location that it refers to.
type satState struct {
	known        bool
	key          key
	seq          int64
	inscriptions int64
	output       hash.Hash32
	vout         string
	owner        *string
}

func (w *wave) sat(number int64) *sat {
	s := w.sats[number]
	if s == nil {
		s = &sat{number: number}
		w.sats[number] = s
	}
	return s
}

// inOrder returns the sats in the order of their numbers, so that rows are always written in the same order.
func (w *wave) inOrder() []*sat {
	return slices.SortedFunc(maps.Values(w.sats), func(a, b *sat) int { return cmp.Compare(a.number, b.number) })
}

// isNew says whether a reveal is the first of its id. Otherwise it notes the reveal for the quarantine.
func (w *wave) isNew(id ordinals.InscriptionID, from origin, pointer string) bool {
	if !w.known[id] {
		w.known[id] = true
		return true
	}
	w.refused = append(w.refused, projections.Quarantined{Seq: from.seq, Pointer: pointer, Reason: fmt.Sprintf("inscription %s was revealed before", id)})
	return false
}

// apply adds blocks.
func (b *batch) apply(steps []projections.FeedStep) error {
	w := b.newWave()
	if err := b.loadKnown(w, steps); err != nil {
		return err
	}
	for i := range steps {
		w.read(&steps[i])
	}
	sats := w.inOrder()
	if err := b.load(w, sats); err != nil {
		return err
	}
	for _, s := range sats {
		s.advance()
	}
	if err := b.moveOwners(w, sats); err != nil { // of inscriptions that are stored already
		return err
	}
	for _, i := range w.inscriptions {
		i.address = w.sats[i.sat].after.owner
		i.eachList(w.changes.Add)
	}
	if err := b.copyRows(w); err != nil {
		return err
	}
	if err := b.finish(w, sats); err != nil {
		return err
	}
	return b.quarantine(w)
}

// advance computes the state of a sat after its new locations.
func (s *sat) advance() {
	slices.SortFunc(s.locations, func(a, b *location) int { return a.key.compare(b.key) })
	s.first = s.locations[0].key
	s.late = s.before.known && s.first.compare(s.before.key) < 0
	s.after = s.before
	moved := s.before.inscriptions
	for _, l := range s.locations {
		if !s.late { // recount does it otherwise
			l.moved = moved
			l.block.moves += moved
			moved += l.born
		}
		s.after.inscriptions += l.born
	}
	if last := s.locations[len(s.locations)-1]; !s.before.known || s.before.key.compare(last.key) < 0 {
		s.after.known, s.after.key, s.after.seq, s.after.owner = true, last.key, last.seq, last.address
		s.after.output, s.after.vout = last.at.TxID, last.at.Vout
	}
}

// loadKnown reads which of the inscriptions that blocks reveal are known already.
func (b *batch) loadKnown(w *wave, steps []projections.FeedStep) error {
	var ids []string
	for i := range steps {
		for _, t := range steps[i].Block.Transactions {
			for _, o := range t.Operations {
				if o.Reveal != nil {
					ids = append(ids, string(o.Reveal.ID))
				}
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids) // so that the index is read in its order
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT id FROM unnest($1::text[]) AS k (id)
		WHERE EXISTS (SELECT FROM {schema}.inscription i WHERE i.id = k.id OFFSET 0)`), ids)
	if err != nil {
		return fmt.Errorf("look for %d inscriptions: %w", len(ids), err)
	}
	if err := projections.EachValue(func(id string) { w.known[ordinals.InscriptionID(id)] = true })(rows); err != nil {
		return fmt.Errorf("look for %d inscriptions: %w", len(ids), err)
	}
	return nil
}

// load reads the states of sats before the wave.
func (b *batch) load(w *wave, sats []*sat) error {
	numbers := projections.Column(sats, func(s *sat) int64 { return s.number })
	// LIMIT keeps the planner from reading whole tables when there are many sats.
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT k.sat, s.height, s.tx_index, s.source_seq, s.inscriptions, s.output_txid, s.vout, s.address
		FROM unnest($1::bigint[]) AS k (sat)
		CROSS JOIN LATERAL (
			SELECT s.height, s.tx_index, s.source_seq, s.inscriptions, s.output_txid, s.vout, l.address
			FROM {schema}.satoshi s JOIN {schema}.location l USING (sat, height, tx_index) WHERE s.sat = k.sat LIMIT 1
		) s`), numbers)
	if err != nil {
		return fmt.Errorf("read the state of %d sats: %w", len(sats), err)
	}
	if err := w.readStates(rows, func(s *sat) *satState { return &s.before }); err != nil {
		return fmt.Errorf("read the state of %d sats: %w", len(sats), err)
	}
	return nil
}

// readStates reads states of sats into the fields that field selects.
func (w *wave) readStates(rows pgx.Rows, field func(*sat) *satState) error {
	var number int64
	var v satState
	var owner *string
	_, err := pgx.ForEachRow(rows, []any{&number, &v.key.height, &v.key.tx, &v.seq, &v.inscriptions, &v.output, &v.vout, &owner}, func() error {
		v.known, v.owner = true, owner
		*field(w.sat(number)) = v
		return nil
	})
	return err
}

func (b *batch) quarantine(w *wave) error {
	b.repeats += len(w.refused)
	paths := map[int64]string{}
	for i := range w.refused {
		q := &w.refused[i]
		path, ok := paths[q.Seq]
		if !ok {
			path = ordinals.Paths[0]
			err := b.tx.QueryRow(b.ctx, `SELECT path FROM log.event WHERE seq = $1`, q.Seq).Scan(&path)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("read the path of event %d: %w", q.Seq, err)
			}
			paths[q.Seq] = path
		}
		q.Path = path
	}
	return projections.WriteQuarantine(b.ctx, b.tx, b.projection.spec, b.projection.logger, w.refused)
}
