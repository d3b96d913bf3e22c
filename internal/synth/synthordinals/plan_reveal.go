package synthordinals

import "math"

// Values of outputs in sats.
const (
	dust    = 546
	postage = 10_000
	// maxBurntReveal limits the value of burnt reveals, so that the position of the sat cannot be taken for one in the
	// fees.
	maxBurntReveal = 100_000
)

// buy returns an input of fresh sats; false if none are left.
func (f *Feed) buy(rare bool) (input, bool) {
	get := f.fresh.ordinary
	if rare {
		get = f.fresh.rare
	}
	s, ok := get(f.value(dust, postage), f.random)
	return input{value: s.count, fresh: &s}, ok
}

// outputFor returns a random output that can be spent and fits; false if a few attempts find none.
func (f *Feed) outputFor(height uint64, fits func(*output) bool) (outpoint, *output, bool) {
	list := f.world.spendable.List
	for range min(len(list), 8) {
		at := list[f.random.IntN(len(list))]
		if o := f.world.outputs.Get(at); o.matures <= height && fits(o) {
			return at, o, true
		}
	}
	return outpoint{}, nil, false
}

// hasPendingSend reports whether an output holds an amount that is sent when it moves.
func (f *Feed) hasPendingSend(o *output) bool {
	for _, c := range o.inscribed {
		if f.world.tokens.pending.Has(c.sat) {
			return true
		}
	}
	return false
}

// planReveal plans a transaction with one envelope: on fresh sats, on an inscribed sat, or on no sat. It returns nil if
// no fresh sats are left.
func (f *Feed) planReveal(height uint64) *plan {
	p, e := &plan{id: f.random.Hash32()}, f.envelope()
	p.envelopes = []*envelope{e}
	if f.random.Chance(f.cfg.ReinscriptionShare) {
		f.reinscribe(p, e, height)
	}
	if len(p.inputs) == 0 {
		in, ok := f.buy(f.random.Chance(f.cfg.RareSatShare))
		if !ok {
			return nil
		}
		p.inputs = []input{in}
		e.onNoSat = f.random.Chance(f.cfg.UnboundShare)
	}
	f.payForReveal(p)
	if e.pointer == nil && f.random.IntN(20) == 0 {
		beyond := uint64(math.MaxUint64) // a pointer beyond the outputs has no effect
		e.pointer = &beyond
	}
	return p
}

// reinscribe puts an envelope on one of the inscribed sats of an output.
func (f *Feed) reinscribe(p *plan, e *envelope, height uint64) {
	at, o, ok := f.outputFor(height, func(o *output) bool { return !f.hasPendingSend(o) })
	if !ok {
		return
	}
	p.inputs = []input{{from: at, value: o.value}}
	if c := o.inscribed[f.random.IntN(len(o.inscribed))]; c.offset > 0 {
		e.pointer = &c.offset
	}
}

// payForReveal adds an input for the fee and decides where the sats go.
func (f *Feed) payForReveal(p *plan) {
	sum := p.inValue()
	toFees, burnt := f.random.Chance(f.cfg.RevealFeesShare), f.random.Chance(f.cfg.RevealBurntShare)
	to := payee{value: sum, address: f.address()}
	switch {
	case toFees:
		p.envelopes[0].pointer = nil // it would be beyond the outputs and have no effect
		p.payees = []payee{{script: f.script()}}
		return
	case burnt && sum < maxBurntReveal:
		to.address, to.script = "", f.script()
	}
	p.payees = []payee{to}
	f.fund(p)
}

// fund adds an input that pays the fee, and sometimes an output for the change.
func (f *Feed) fund(p *plan) {
	in, ok := f.buy(false)
	if !ok {
		return
	}
	p.inputs = append(p.inputs, in)
	if change := f.random.Uint64N(in.value); change >= dust {
		p.payees = append(p.payees, payee{value: change, address: f.address()})
	}
}

// script returns the script of an output that nobody can spend.
func (f *Feed) script() string {
	h := f.random.Hash32()
	return "OP_RETURN OP_PUSHBYTES_8 " + h.String()[2:18]
}

// addReveals adds up to limit envelopes to a transaction and returns their number.
func (f *Feed) addReveals(p *plan, limit int) int {
	added := 0
	for ; added < min(limit, 4) && f.random.Chance(f.cfg.SeveralShare); added++ {
		e := f.envelope()
		first := p.payees[0]
		switch shared := f.random.Chance(f.cfg.SharedOutputShare); {
		case first.value == 0 || p.envelopes[0].onNoSat:
			// On the same sat as the first envelope, or on no sat like the first.
			e.onNoSat = p.envelopes[0].onNoSat
		case shared:
			position := f.random.Uint64N(first.value)
			e.pointer = &position
		case len(p.inputs) > 1 && f.random.IntN(3) > 0:
			e.input = 1
		}
		p.envelopes = append(p.envelopes, e)
	}
	return added
}
