package synthordinals

import (
	"slices"

	"strata/domain/ordinals"
)

// flow is the flow of sats through a transaction, first in, first out. Positions count the sats of the inputs in order.
// Sats beyond the outputs are the fee.
type flow struct {
	*execution
	p         *plan
	stretches []stretch
	starts    []uint64 // of the inputs
	travels   []travel // inscribed sats: those of the inputs, then those that the transaction inscribes
	paid      uint64   // sum of the outputs
}

// travel is the way of an inscribed sat through a transaction.
type travel struct {
	inscribedSat       // offset is the position
	from         place // zero if the transaction inscribes the sat for the first time
	revealed     bool  // the transaction inscribes the sat, for the first time or again
}

// open spends the inputs of a plan.
func (x *execution) open(p *plan) *flow {
	f := &flow{execution: x, p: p, paid: p.outValue()}
	start := uint64(0)
	for _, in := range p.inputs {
		f.starts = append(f.starts, start)
		if in.fresh != nil {
			f.stretches = append(f.stretches, *in.fresh)
		} else {
			o := x.w.spend(in.from)
			f.stretches = append(f.stretches, o.stretches...)
			for _, c := range o.inscribed {
				f.travels = append(f.travels, travel{inscribedSat: inscribedSat{c.sat, start + c.offset}, from: o.place(in.from, c.offset)})
			}
		}
		start += in.value
	}
	return f
}

// output returns the number of the output that a position is in and the offset there; false for the fee.
func (f *flow) output(position uint64) (vout int, offset uint64, ok bool) {
	for i, out := range f.p.payees {
		if position < out.value {
			return i, position, true
		}
		position -= out.value
	}
	return 0, position, false
}

// place returns the place where the sat at a position ends up.
func (f *flow) place(position uint64) place {
	vout, offset, ok := f.output(position)
	if !ok {
		return place{at: f.reward(), offset: ordinals.Subsidy(f.b.height) + f.fees + offset, kind: ordinals.SpentInFees}
	}
	out := f.p.payees[vout]
	to := place{
		at: outpoint{tx: f.p.id, vout: uint32(vout)}, offset: offset, kind: ordinals.Transferred,
		address: out.address, script: out.script, value: out.value,
	}
	if out.address == "" {
		to.kind = ordinals.Burnt
	}
	return to
}

// reveal executes the envelopes.
func (f *flow) reveal(t *transaction) {
	inInput := map[uint32]int{}
	for i, e := range f.p.envelopes {
		r := &reveal{envelope: e, id: ordinals.NewInscriptionID(t.id, uint32(i))}
		if e.onNoSat {
			f.unbound(r)
		} else {
			f.inscribe(r, inInput[e.input])
		}
		inInput[e.input]++
		t.reveals = append(t.reveals, r)
		f.w.remember(r.id)
		if e.token != nil {
			if o := f.w.tokens.inscribed(r, f.b.height, f.network); o != nil {
				t.token = o
			}
		}
	}
}

// inscribe puts an inscription on its sat. index is the number of envelopes of the same input that come before.
func (f *flow) inscribe(r *reveal, index int) {
	position := f.starts[r.input]
	if r.pointer != nil && *r.pointer < f.paid {
		position = *r.pointer
	}
	r.to, r.sat, r.hops = f.place(position), satAt(f.stretches, position), r.envelope.hops
	i := slices.IndexFunc(f.travels, func(t travel) bool { return t.offset == position })
	if i < 0 {
		f.travels = append(f.travels, travel{inscribedSat: inscribedSat{r.sat, position}, revealed: true})
		r.curse = firstCurse(r.envelope, index, false)
		f.w.sats.Set(r.sat, satState{inscriptions: 1, cursed: r.curse != "", hops: r.hops + 1})
		return
	}
	s := f.w.sats.Get(r.sat)
	r.again, r.hops = true, s.hops
	// An inscription after a single cursed one does not count as a reinscription.
	r.curse = firstCurse(r.envelope, index, s.inscriptions > 1 || !s.cursed)
	s.inscriptions++
	if !f.travels[i].revealed {
		s.hops++
	}
	f.travels[i].revealed = true
	f.w.sats.Set(r.sat, s)
	// The feed has no move for this sat, so an amount that is pending on it is never sent.
	f.w.tokens.withdraw(r.sat)
}

// unbound executes an inscription in an input without sats. The inscription is on sat 0, which goes to the miner.
func (f *flow) unbound(r *reveal) {
	c := f.w.counts.Value
	r.unbound = c.unbound
	c.unbound++
	f.w.counts.Set(c)
	r.curse = firstCurse(r.envelope, 0, false)
	r.to = place{at: f.reward(), offset: ordinals.Subsidy(f.b.height) + f.fees, kind: ordinals.SpentInFees}
	if f.b.shape.Unbound {
		r.to.at, r.to.offset = nowhere, r.unbound
	}
}

// move adds the moves of sats that were inscribed before, except those that the transaction reinscribes.
func (f *flow) move(t *transaction) {
	for _, c := range f.travels {
		if c.revealed {
			continue
		}
		m := &move{sat: c.sat, from: c.from, to: f.place(c.offset)}
		t.moves = append(t.moves, m)
		s := f.w.sats.Get(c.sat)
		s.hops++
		f.w.sats.Set(c.sat, s)
		// The feed has room for one operation per transaction; indexers put the last one there.
		if o := f.w.tokens.moved(m); o != nil {
			t.token = o
		}
	}
}

// close creates the outputs that hold inscribed sats.
func (f *flow) close() {
	held := make([][]inscribedSat, len(f.p.payees))
	slices.SortFunc(f.travels, func(a, b travel) int { return int(a.offset) - int(b.offset) })
	for _, c := range f.travels {
		vout, offset, ok := f.output(c.offset)
		switch {
		case !ok:
			f.inFees = append(f.inFees, inscribedSat{c.sat, ordinals.Subsidy(f.b.height) + f.fees + offset})
		case f.p.payees[vout].address == "":
			f.w.bury(c.sat)
		default:
			held[vout] = append(held[vout], inscribedSat{c.sat, offset})
		}
	}
	start := uint64(0)
	for i, out := range f.p.payees {
		if len(held[i]) > 0 {
			at := outpoint{tx: f.p.id, vout: uint32(i)}
			f.w.outputs.Set(at, &output{
				payee: out, kind: ordinals.Transferred, stretches: cut(f.stretches, start, out.value), inscribed: held[i],
			})
			f.w.spendable.Add(at)
		}
		start += out.value
	}
	f.toMiner = append(f.toMiner, cut(f.stretches, f.paid, f.p.inValue()-f.paid)...)
}
