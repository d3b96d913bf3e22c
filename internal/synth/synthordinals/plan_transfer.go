package synthordinals

// planTransfer plans the move of one or two outputs; nil if there is none to move.
func (f *Feed) planTransfer(height uint64) *plan {
	at, o, ok := f.outputFor(height, func(*output) bool { return true })
	if !ok {
		return nil
	}
	shared := f.random.Chance(f.cfg.SharedOutputShare)
	if !shared && f.random.IntN(4) > 0 {
		return f.moveAll(at, o, f.address())
	}
	p := &plan{id: f.random.Hash32(), inputs: []input{{from: at, value: o.value}}}
	// At most one BRC-20 amount moves in a transaction, because the feed has room for one operation.
	other, second, ok := f.outputFor(height, func(o *output) bool { return !f.hasPendingSend(o) })
	if ok && other != at {
		p.inputs = append(p.inputs, input{from: other, value: second.value})
	}
	if shared {
		p.payees = []payee{{value: p.inValue(), address: f.address()}}
	} else {
		f.split(p, o)
	}
	f.fund(p)
	return p
}

// split gives each input its own output, or spreads the sats of a single input over two outputs.
func (f *Feed) split(p *plan, first *output) {
	value := first.value
	if last := first.inscribed[len(first.inscribed)-1].offset; len(p.inputs) == 1 && last > 0 {
		value = last
	}
	p.payees = []payee{{value: value, address: f.address()}}
	if rest := p.inValue() - value; rest > 0 {
		p.payees = append(p.payees, payee{value: rest, address: f.address()})
	}
	if f.random.Chance(f.cfg.TransferBurntShare) {
		out := &p.payees[len(p.payees)-1]
		out.address, out.script = "", f.script()
	}
}

// moveAll plans the move of an output to an address, unless it is burnt or spent in fees.
func (f *Feed) moveAll(at outpoint, o *output, address string) *plan {
	p := &plan{id: f.random.Hash32(), inputs: []input{{from: at, value: o.value}}}
	toFees, burnt := f.random.Chance(f.cfg.TransferFeesShare), f.random.Chance(f.cfg.TransferBurntShare)
	to := payee{value: o.value, address: address}
	switch {
	case toFees:
		if in, ok := f.buy(false); ok && f.random.IntN(2) == 0 {
			// The first input is paid back, so the second one is the fee.
			p.inputs = []input{in, p.inputs[0]}
			p.payees = []payee{{value: in.value, address: address}}
			return p
		}
		p.payees = []payee{{script: f.script()}}
		return p
	case burnt:
		to.address, to.script = "", f.script()
	}
	p.payees = []payee{to}
	f.fund(p)
	return p
}
