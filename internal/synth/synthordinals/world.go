package synthordinals

import (
	"slices"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/internal/synth/undo"
)

// coinbaseMaturity is how many blocks later the outputs of a coinbase transaction may be spent.
const coinbaseMaturity = 100

// world is what there is at the tip of the branch that the generator is on: enough to make the next block.
type world struct {
	journal   *undo.Log
	outputs   undo.Table[outpoint, *output] // with inscribed sats, and not forgotten
	spendable *undo.Roster[outpoint]        // these
	sats      undo.Table[ordinals.Sat, satState]
	counts    *undo.Cell[counts]
	recent    *undo.Cell[[]ordinals.InscriptionID] // some of the newest, for references
	tokens    tokens
}

// output holds inscribed sats.
type output struct {
	payee
	kind      ordinals.LocationType
	stretches []stretch
	carried   []carried
	matures   uint64 // height
}

// carried is an inscribed sat and its position.
type carried struct {
	sat    ordinals.Sat
	offset uint64
}

// satState is what is known of an inscribed sat.
type satState struct {
	inscriptions int
	cursed       bool // the first one is
	hops         uint64
}

// counts are the next numbers.
type counts struct {
	blessed, cursed int64 // classic
	numbers         int64 // that are not negative
	unbound         uint64
}

func newWorld() *world {
	j := new(undo.Log)
	return &world{
		journal:   j,
		outputs:   undo.NewTable[outpoint, *output](j),
		spendable: undo.NewRoster[outpoint](j),
		sats:      undo.NewTable[ordinals.Sat, satState](j),
		counts:    undo.NewCell[counts](j),
		recent:    undo.NewCell[[]ordinals.InscriptionID](j),
		tokens:    newTokens(j),
	}
}

// place is where something at an offset of the output is.
func (o *output) place(at outpoint, offset uint64) place {
	return place{at: at, offset: offset, kind: o.kind, address: o.address, script: o.script, value: o.value}
}

// number gives the next number to an inscription.
func (w *world) number(cursed bool, height uint64, network ordinals.Network) ordinals.InscriptionNumber {
	c, n := w.counts.Value, ordinals.InscriptionNumber{}
	if cursed {
		c.cursed++
		n.Classic = -c.cursed
	} else {
		n.Classic = c.blessed
		c.blessed++
	}
	if n.Jubilee = n.Classic; height >= network.JubileeHeight() {
		n.Jubilee = c.numbers
	}
	if n.Jubilee >= 0 {
		c.numbers++
	}
	w.counts.Set(c)
	return n
}

// remember makes an inscription one to refer to.
func (w *world) remember(id ordinals.InscriptionID) {
	const most = 48
	list := append(slices.Clone(w.recent.Value), id)
	w.recent.Set(list[max(len(list)-most, 0):])
}

// forget leaves outputs alone for ever while there are too many.
func (w *world) forget(most int, height uint64) {
	for len(w.spendable.List) > most {
		at := w.spendable.List[height%uint64(len(w.spendable.List))]
		for _, c := range w.spend(at).carried {
			w.bury(c.sat)
		}
	}
}

// spend takes an output away.
func (w *world) spend(at outpoint) *output {
	o := w.outputs.Get(at)
	w.outputs.Remove(at)
	w.spendable.Remove(at)
	return o
}

// bury forgets a sat that never moves again.
func (w *world) bury(sat ordinals.Sat) {
	w.sats.Remove(sat)
	w.tokens.withdraw(sat)
}

// minable reports whether the inputs of a plan are there.
func (w *world) minable(p *plan, height uint64) bool {
	for _, in := range p.inputs {
		if in.fresh != nil {
			continue
		}
		if o := w.outputs.Get(in.from); o == nil || o.matures > height {
			return false
		}
	}
	return true
}

// nowhere is the outpoint that newer indexers have for what is unbound.
var nowhere = outpoint{tx: hash.Hash32{}}
