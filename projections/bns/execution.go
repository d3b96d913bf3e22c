package bns

import (
	"bytes"
	"math/big"

	"strata/domain/bns"
)

// execution folds the facts of a transaction, in the order of its events. What a call does that prints nothing comes
// last.
type execution struct {
	*state
	block *blockFacts
	tx    *transactionFacts
	at    fact // the present one

	minted  map[int64]string // tokens without a name yet, with their first owners
	arrived map[int64]string // tokens that changed hands before a print told of it, with their last owners
	told    map[int64]*event // the last change of hands of a token
	paying  *payment         // a renewal whose price the next event burns
	renewed map[string]bool
	burned  *stxBurn // the last burn of STX
}

// payment is a renewal that has been printed, and whose price is not known yet.
type payment struct {
	name  string
	payer string
	event *event
	next  int // index of the event that burns the price
}

func (x *execution) run() {
	x.minted, x.arrived, x.told, x.renewed = map[int64]string{}, map[int64]string{}, map[int64]*event{}, map[string]bool{}
	for _, x.at = range x.tx.facts {
		switch what := x.at.what.(type) {
		case *stxBurn:
			x.pay(what)
		case *tokenMove:
			x.move(what)
		case *contractPrint:
			switch {
			case !what.known:
				x.addEvent(bns.EventUndecoded).topic = what.Topic
			case what.zonefile:
				x.zonefile(&what.Print)
			case what.Namespace != nil:
				x.namespace(bns.NamespaceEvent(what.Topic), what.Name.Namespace, *what.Namespace)
			default:
				x.print(&what.Print)
			}
		}
	}
	if x.tx.call != nil {
		x.at = fact{index: -1, pointer: x.tx.pointer}
		x.call(x.tx.call)
	}
}

func (x *execution) height() int64 { return x.block.step.Height }

func (x *execution) source() source {
	return source{x.block.step.BlockSeq, x.tx.index, x.at.pointer}
}

// addEvent adds an event. It has neither a sender nor a recipient yet.
func (x *execution) addEvent(kind bns.EventKind) *event {
	x.lastEvent++
	e := &event{
		source: x.source(), n: x.lastEvent, height: x.height(), burnHeight: x.block.burnHeight, txid: x.tx.txid, kind: kind,
	}
	if x.at.index >= 0 {
		index := x.at.index
		e.index = &index
	}
	x.events = append(x.events, e)
	return e
}

// addNameEvent adds an event of a name, and counts it.
func (x *execution) addNameEvent(n *name, kind bns.EventKind) *event {
	e := x.addEvent(kind)
	n.events++
	id := n.id
	e.id, e.nameN, e.fullName, e.namespace = &id, n.events, n.String(), n.Namespace
	return e
}

// change changes a name, if there is one.
func (x *execution) change(fullName string, f func(*name)) {
	subject := x.names.get(fullName)
	current := subject.value()
	if current == nil {
		return
	}
	n := *current
	f(&n)
	x.put(&n)
}

// put sets the state of a name.
func (x *execution) put(n *name) {
	n.source = x.source()
	n.expiry = bns.NeverExpires
	if n.owner != "" {
		n.expiry = bns.Expiry(n.renewal, x.namespaceOf(n.Namespace))
	}
	x.names.get(n.String()).set(x.height(), n)
	x.byID[n.id] = n.String()
}

// namespaceOf returns a namespace; nil for an unknown one.
func (x *execution) namespaceOf(of string) *bns.Namespace {
	if n := x.namespaces.get(of).value(); n != nil {
		return &n.Namespace
	}
	return nil
}

// pay notes STX that was burned. Directly after the print of a renewal it is the price.
func (x *execution) pay(b *stxBurn) {
	x.burned = b
	if p := x.paying; p != nil && p.next == x.at.index && p.payer == b.sender {
		p.event.amount = b.amount
		x.change(p.name, func(n *name) { n.burned = b.amount })
	}
	x.paying = nil
}

// move follows the token that stands for a name.
func (x *execution) move(m *tokenMove) {
	if m.from == "" {
		x.minted[m.id] = m.to
		return
	}
	fullName, ok := x.byID[m.id]
	if !ok {
		return
	}
	x.lose(m.from, m.id)
	x.change(fullName, func(n *name) {
		if n.id != m.id {
			return
		}
		n.owner = m.to
		if m.to != "" {
			x.arrived[m.id] = m.from
			x.gain(n, false)
			return
		}
		n.unlist()
		x.addNameEvent(n, bns.EventBurn).from = m.from
	})
}

// lose clears the primary name of a principal, if it is this one.
func (x *execution) lose(principal string, id int64) {
	if p := x.primaries.get(principal); p.value() != nil && p.value().id == id {
		p.set(x.height(), nil)
	}
}

// gain makes a name the primary one of its owner, if there is none, or always.
func (x *execution) gain(n *name, always bool) {
	if p := x.primaries.get(n.owner); n.owner != "" && (always || p.value() == nil) {
		p.set(x.height(), &primary{x.source(), n.owner, n.id, n.String()})
	}
}

// print folds a print about a name.
func (x *execution) print(p *bns.Print) {
	switch p.Topic {
	case bns.NewName, bns.NewAirdrop:
		x.create(p)
	case bns.TransferName:
		x.transfer(p)
	case bns.RenewName:
		x.renew(p)
	case bns.List, bns.Unlist, bns.Buy:
		x.market(p)
	}
	// The burn of a name is told by its token.
}

// create folds the first print of a token.
func (x *execution) create(p *bns.Print) {
	id := p.ID.Int64()
	n := &name{Name: p.Name, id: id, owner: x.minted[id]}
	if n.owner == "" {
		n.owner = p.Owner.String()
	}
	delete(x.minted, id)
	if last := x.names.get(n.String()).value(); last != nil {
		n.events = last.events
	}
	if z := x.zonefiles.get(n.String()).value(); z != nil {
		n.revoked = z.revoked
	}
	kind := bns.EventClaim
	if p.Topic == bns.NewAirdrop {
		kind = bns.EventAirdrop
		n.airdropped, n.registeredAt, n.renewal, n.burned = true, p.RegisteredAt, new(big.Int), new(big.Int)
		if ns := x.namespaceOf(n.Namespace); ns != nil && ns.Lifetime.Sign() > 0 {
			n.renewal = new(big.Int).Add(big.NewInt(x.block.burnHeight), ns.Lifetime)
		}
	} else {
		n.take(p.Properties)
		switch {
		case n.importedAt != nil:
			kind = bns.EventImport
		case n.preorder != nil:
			kind = bns.EventRegister
			x.use(n.preorderedBy, n.preorder)
		}
	}
	x.gain(n, kind == bns.EventAirdrop)
	e := x.addNameEvent(n, kind)
	e.to, e.renewal = n.owner, n.renewal
	if kind != bns.EventAirdrop && kind != bns.EventImport { // an import is free, whatever price it records
		e.amount = n.burned
	}
	x.put(n)
}

// transfer folds the print of a change of hands: a plain one, the win of an earlier preorder, which is printed twice, or
// the renewal of a lapsed name by another.
func (x *execution) transfer(p *bns.Print) {
	id := p.ID.Int64()
	from, moved := x.arrived[id]
	delete(x.arrived, id)
	known := x.names.get(p.Name.String()).value()
	n := &name{Name: p.Name, id: id, owner: p.Owner.String()}
	if known != nil && known.id == id {
		copied := *known
		n = &copied
	} else {
		x.gain(n, false)
		moved, known = true, nil
	}
	kind := bns.EventTransfer
	if known != nil {
		switch {
		case p.Properties.Preorder != nil && !bytes.Equal(p.Properties.Preorder, known.preorder):
			kind = bns.EventRegister
		case p.Properties.RenewalHeight.Cmp(known.renewal) != 0:
			kind = bns.EventTakeover
		}
	}
	n.take(p.Properties)
	if moved {
		e := x.addNameEvent(n, kind)
		e.from, e.to = from, n.owner
		x.told[id] = e
		switch kind {
		case bns.EventRegister:
			e.amount, e.renewal = n.burned, n.renewal
			x.use(n.preorderedBy, n.preorder)
		case bns.EventTakeover:
			e.renewal = n.renewal
			n.unlist()
			x.renewed[n.String()] = true
			x.paying = &payment{n.String(), n.owner, e, x.at.index + 1}
		}
	}
	x.put(n)
}

// renew folds the print of a renewal by the owner.
func (x *execution) renew(p *bns.Print) {
	x.change(p.Name.String(), func(n *name) {
		n.take(p.Properties)
		e := x.addNameEvent(n, bns.EventRenew)
		e.from, e.renewal = n.owner, n.renewal
		x.renewed[n.String()] = true
		x.paying = &payment{n.String(), n.owner, e, x.at.index + 1}
	})
}

// market folds the print of a listing, its end, or a sale.
func (x *execution) market(p *bns.Print) {
	id := p.ID.Int64()
	x.change(x.byID[id], func(n *name) {
		price := n.price
		n.unlist()
		switch p.Topic {
		case bns.List:
			e := x.addNameEvent(n, bns.EventList)
			e.from, e.amount = n.owner, p.Price
			n.price, n.commission, n.listedN = p.Price, p.Commission.String(), e.n
		case bns.Unlist:
			x.addNameEvent(n, bns.EventUnlist).from = n.owner
		case bns.Buy:
			if e := x.told[id]; e != nil { // the sale is one event, whose change of hands was printed before
				e.kind, e.amount = bns.EventBuy, price
				return
			}
			e := x.addNameEvent(n, bns.EventBuy)
			e.to, e.amount = n.owner, price
		}
	})
}

// zonefile folds a print of the resolver.
func (x *execution) zonefile(p *bns.Print) {
	z := &zonefile{source: x.source(), fullName: p.Name.String()}
	kind := bns.EventUpdateZonefile
	if n := x.names.get(z.fullName).value(); n != nil {
		z.owner = n.owner
	}
	if z.content = p.Zonefile; p.Topic == bns.RevokeName {
		kind, z.revoked = bns.EventRevoke, true
	}
	x.zonefiles.get(z.fullName).set(x.height(), z)
	x.change(z.fullName, func(n *name) {
		n.revoked = z.revoked
		x.addNameEvent(n, kind).from = n.owner
	})
}

// namespace sets the state of a namespace. Its launch decides when imported names expire.
func (x *execution) namespace(kind bns.EventKind, of string, properties bns.Namespace) {
	before := x.namespaceOf(of)
	x.namespaces.get(of).set(x.height(), &namespace{x.source(), properties, of})
	e := x.addEvent(kind)
	e.namespace, e.from = of, properties.Import.String()
	if properties.Manager != nil {
		e.to = properties.Manager.String()
	}
	if properties.LaunchedAt == nil || before != nil && before.LaunchedAt != nil {
		return
	}
	for fullName, subject := range x.names {
		if n := subject.value(); n != nil && n.Namespace == of && n.owner != "" && n.expiry != bns.Expiry(n.renewal, &properties) {
			x.change(fullName, func(*name) {})
		}
	}
}

// call folds what a top-level call does that nothing prints.
func (x *execution) call(c *bns.Call) {
	if kind := bns.PreorderOf(c.Function); kind != 0 {
		p := &preorder{
			source: x.source(), height: x.height(), burnHeight: x.block.burnHeight, kind: kind, amount: c.Amount, hash: c.Hash, principal: x.tx.caller,
		}
		if p.amount == nil {
			p.amount = new(big.Int)
		}
		x.preorders = append(x.preorders, p)
		return
	}
	switch c.Function {
	case bns.ClaimPreorder:
		x.use(x.tx.caller, c.Hash)
	case bns.NamespaceReveal:
		x.use(x.tx.caller, c.Hash)
		properties := *c.Namespace
		properties.RevealedAt = big.NewInt(x.block.burnHeight)
		x.namespace(bns.EventReveal, c.Name.Namespace, properties)
	case bns.SetPrimaryName:
		x.change(x.byID[c.ID.Int64()], func(n *name) {
			x.primaries.get(x.tx.caller).set(x.height(), &primary{x.source(), x.tx.caller, n.id, n.String()})
			x.addNameEvent(n, bns.EventSetPrimary).from = x.tx.caller
		})
	case bns.NameRenewal:
		x.renewLapsed(c.Name)
	}
}

// renewLapsed folds the renewal of a lapsed name by its owner, which prints nothing.
func (x *execution) renewLapsed(of bns.Name) {
	ns := x.namespaceOf(of.Namespace)
	if x.renewed[of.String()] || ns == nil {
		return
	}
	x.change(of.String(), func(n *name) {
		n.renewal = new(big.Int).Add(big.NewInt(x.block.burnHeight), ns.Lifetime)
		e := x.addNameEvent(n, bns.EventRenew)
		e.from, e.renewal = n.owner, n.renewal
		if x.burned != nil {
			n.burned, e.amount = x.burned.amount, x.burned.amount
		}
	})
}

// use notes that a preorder was used or refunded.
func (x *execution) use(principal string, hash []byte) {
	height := x.height()
	for i := len(x.preorders) - 1; i >= 0; i-- {
		if p := x.preorders[i]; p.used == nil && p.principal == principal && bytes.Equal(p.hash, hash) {
			p.used = &height
			return
		}
	}
	x.used = append(x.used, usedPreorder{principal, hash, height})
}
