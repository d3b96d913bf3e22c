package synthordinals

import (
	"slices"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/internal/synth/undo"
)

// coinbaseMaturity is the number of blocks after which outputs of a coinbase transaction may be spent.
const coinbaseMaturity = 100

// world is the state at the tip of the branch: all that is needed to build the next block.
type world struct {
	changes   *undo.Log
	outputs   undo.Table[outpoint, *output] // with inscribed sats, and not forgotten
	spendable *undo.Roster[outpoint]        // the keys of outputs
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
	inscribed []inscribedSat
	matures   uint64 // height
}

// inscribedSat is an inscribed sat and its position.
type inscribedSat struct {
	sat    ordinals.Sat
	offset uint64
}

// satState is the state of an inscribed sat.
type satState struct {
	inscriptions int
	cursed       bool // whether the first inscription is cursed
	hops         uint64
}

// counts are the next numbers.
type counts struct {
	blessed, cursed int64 // classic
	numbers         int64 // the next one that is not negative
	unbound         uint64
}

func newWorld() *world {
	j := new(undo.Log)
	return &world{
		changes:   j,
		outputs:   undo.NewTable[outpoint, *output](j),
		spendable: undo.NewRoster[outpoint](j),
		sats:      undo.NewTable[ordinals.Sat, satState](j),
		counts:    undo.NewCell[counts](j),
		recent:    undo.NewCell[[]ordinals.InscriptionID](j),
		tokens:    newTokens(j),
	}
}

// place returns the place at an offset of the output.
func (o *output) place(at outpoint, offset uint64) place {
	return place{at: at, offset: offset, kind: o.kind, address: o.address, script: o.script, value: o.value}
}

// number returns the number of the next inscription.
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

// remember adds an inscription to the recent ones.
func (w *world) remember(id ordinals.InscriptionID) {
	const limit = 48
	list := append(slices.Clone(w.recent.Value), id)
	w.recent.Set(list[max(len(list)-limit, 0):])
}

// forget removes outputs beyond the limit, so that they are never spent.
func (w *world) forget(limit int, height uint64) {
	for len(w.spendable.List) > limit {
		at := w.spendable.List[height%uint64(len(w.spendable.List))]
		for _, c := range w.spend(at).inscribed {
			w.bury(c.sat)
		}
	}
}

// spend removes an output.
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

// minable reports whether all inputs of a plan exist and are mature.
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

// nowhere is the outpoint of unbound inscriptions in newer indexers.
var nowhere = outpoint{tx: hash.Hash32{}}
