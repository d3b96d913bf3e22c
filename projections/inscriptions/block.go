package inscriptions

import (
	"cmp"
	"encoding/json"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/projections"
)

// key orders the locations of a sat.
type key struct{ height, tx int64 }

func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.height, other.height), cmp.Compare(k.tx, other.tx))
}

// origin is the position in the log that a row comes from.
type origin struct {
	seq                    int64
	transaction, operation int
}

// block is a row of table block.
type block struct {
	step    *projections.FeedStep
	moves   int64
	reveals int
	// locations is how many the block has so far.
	locations int
}

// inscription is a row of table inscription.
type inscription struct {
	listKeys
	origin
	reveal *ordinals.Reveal
	refs   []string
	charms ordinals.Charms
}

// location is a row of table location.
type location struct {
	block *block
	sat   int64
	key   key
	origin
	order   int // among the locations of its block
	kind    int16
	txid    hash.Hash32
	at      ordinals.Satpoint
	address *string
	value   *uint64
	moved   int64
	born    int64 // number of inscriptions that are revealed at it
}

// kinds holds the numbers that stand for types of locations in the tables. They never change.
var kinds = map[ordinals.LocationType]int16{ordinals.Transferred: 1, ordinals.SpentInFees: 2, ordinals.Burnt: 3, ordinals.Unbound: 4}

// noRarity is the rarity of an unbound inscription in the tables.
const noRarity = -1

// unboundPlace returns the number that the tables have in place of a sat for the place of an unbound inscription: a number below
// zero that no other inscription has. before is how many unbound inscriptions of the block come before.
func unboundPlace(height int64, before int) int64 {
	const indexBits, heightBits = 38, 25 // more than 33 million blocks; both together are less than 63 bits
	return -1 - (height&(1<<heightBits-1)<<indexBits | int64(before)&(1<<indexBits-1))
}

// bounded returns a text in the form in which indexed columns hold it.
func bounded(text string) string { return ordinals.Bounded(projections.Text(text)) }

func boundedAddress(address *string) *string {
	if address == nil {
		return nil
	}
	text := bounded(*address)
	return &text
}

// read adds a block to the wave: its inscriptions, unless they are known already, and the locations of its sats.
func (w *wave) read(step *projections.FeedStep) {
	b := &block{step: step}
	w.blocks = append(w.blocks, b)
	unbound := 0
	for t := range step.Block.Transactions {
		transaction := &step.Block.Transactions[t]
		for o := range transaction.Operations {
			operation, from := &transaction.Operations[o], origin{step.BlockSeq, t, o}
			if moved := operation.Transfer; moved != nil {
				w.arrive(b, from, int64(moved.Sat), transaction.TxID, moved.Location())
			}
			r := operation.Reveal
			if r == nil { // if it can't be read, ordinals has put it into quarantine
				continue
			}
			number := int64(r.Sat)
			if r.Unbound() {
				if moved, ok := r.SatLocation(transaction.TxID, uint64(step.Height)); ok {
					w.arrive(b, from, int64(r.Sat), transaction.TxID, moved)
				}
				number = unboundPlace(step.Height, unbound)
				unbound++
			}
			l := w.arrive(b, from, number, transaction.TxID, r.Location(transaction.TxID, uint64(step.Height)))
			if w.isNew(r.ID, from, operation.Pointer) {
				l.born++
				b.reveals++
				i := newInscription(step, from, transaction.TxID, r, number)
				s := w.sats[number]
				s.born, w.inscriptions = append(s.born, i), append(w.inscriptions, i)
			}
		}
	}
}

// arrive adds the location of a sat, and returns the one that the sat has in this transaction: the first counts.
func (w *wave) arrive(b *block, from origin, number int64, tx hash.Hash32, to ordinals.Location) *location {
	s := w.sat(number)
	k := key{b.step.Height, int64(to.TxIndex)}
	l := w.at[place{number, k}]
	if l == nil {
		l = &location{
			block: b, sat: number, key: k, origin: from, order: b.locations, kind: kinds[to.Type], txid: tx, at: to.Satpoint,
			address: boundedAddress(to.Address), value: to.Value,
		}
		b.locations++
		s.locations, w.locations = append(s.locations, l), append(w.locations, l)
		w.at[place{number, k}] = l
	}
	return l
}

// newInscription returns the row of the inscription that a reveal brings on a sat.
func newInscription(step *projections.FeedStep, from origin, tx hash.Hash32, r *ordinals.Reveal, sat int64) *inscription {
	rarity := int16(noRarity)
	if !r.Unbound() {
		rarity = int16(r.Sat.Rarity())
	}
	i := &inscription{
		listKeys: listKeys{
			number: r.Number.Jubilee, sat: sat, key: key{step.Height, int64(r.TxIndex)}, rarity: rarity,
			mimeType: bounded(ordinals.MimeType(r.ContentType)), genesis: boundedAddress(r.InscriberAddress),
		},
		origin: from, reveal: r,
	}
	refs := ordinals.RecursionRefs(r.Content)
	i.recursive, i.refs = len(refs) > 0, make([]string, len(refs))
	for n, ref := range refs {
		i.refs[n] = string(ref)
	}
	if r.Charms != nil {
		i.charms = *r.Charms
	} else {
		i.charms = r.DerivedCharms(step.Block.Network, tx, uint64(step.Height))
	}
	return i
}

// text returns JSON for a text column; NULL for none.
func text(raw json.RawMessage) *string { return projections.NullText(string(raw)) }
