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
var kinds = map[ordinals.LocationType]int16{ordinals.Transferred: 1, ordinals.SpentInFees: 2, ordinals.Burnt: 3}

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
	order := 0
	for t := range step.Block.Transactions {
		transaction := &step.Block.Transactions[t]
		for o := range transaction.Operations {
			operation := &transaction.Operations[o]
			from := origin{step.BlockSeq, t, o}
			to := operation.Location(transaction.TxID, uint64(step.Height))
			s := w.sat(int64(to.Sat))
			k := key{step.Height, int64(to.TxIndex)}
			l := w.at[place{s.number, k}]
			if l == nil {
				l = &location{
					block: b, sat: s.number, key: k, origin: from, order: order, kind: kinds[to.Type], txid: transaction.TxID,
					at: to.Satpoint, address: boundedAddress(to.Address), value: to.Value,
				}
				order++
				s.locations, w.locations = append(s.locations, l), append(w.locations, l)
				w.at[place{s.number, k}] = l
			}
			if r := operation.Reveal; r != nil && w.isNew(r.ID, from, operation.Pointer) {
				l.born++
				b.reveals++
				i := newInscription(step, from, transaction.TxID, r)
				s.born, w.inscriptions = append(s.born, i), append(w.inscriptions, i)
			}
		}
	}
}

// newInscription returns the row of the inscription that a reveal brings.
func newInscription(step *projections.FeedStep, from origin, tx hash.Hash32, r *ordinals.Reveal) *inscription {
	i := &inscription{
		listKeys: listKeys{
			number: r.Number.Jubilee, sat: int64(r.Sat), key: key{step.Height, int64(r.TxIndex)}, rarity: r.Sat.Rarity(),
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
