package accounts

import (
	"math/big"

	"strata/domain/clarity"
	"strata/domain/contract"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// deed is what one transaction does, as far as lists go.
type deed struct {
	source  *nodeevent.Transaction
	kind    txType
	members []member
	moves   []move
	prints  []printed
	mark    int64 // of its own
	deploys bool  // a contract, successfully
}

// member is an account that the transaction is in the list of.
type member struct {
	account              *account
	involvement          involvement
	sent, received, paid *big.Int // nil for nothing
	counts               [countedKinds]int32
}

// move is an event that is in the lists of one or two accounts.
type move struct {
	index    int
	kind     eventKind
	parties  [2]*account // the sender first; nil where there is none
	inbound  *account    // whom it brings STX; nil for nobody
	transfer transferType
}

// printed is what a contract printed.
type printed struct {
	index    int
	contract *printer
	topic    *topic // nil for none
}

// gathering finds out what blocks do, and whom that concerns.
type gathering struct {
	state    *state
	accounts []*account // that were not in memory
	printers []*printer // likewise
	topics   []*topic   // likewise
}

// block gives the deeds of a block in the order of execution.
func (g *gathering) block(content *projections.Block) []deed {
	effective := content.EffectiveEvents()
	order := content.ExecutionOrder()
	deeds := make([]deed, len(order))
	for i, tx := range order {
		g.state.marks++
		d := &deeds[i]
		d.source, d.mark = tx, g.state.marks
		events := effective[tx.Index]
		if decoded := content.Decoded[tx.Index]; decoded != nil {
			g.transaction(d, decoded)
		} else {
			g.operation(d, operationOf(tx, events))
		}
		for n := range events {
			g.event(d, n, events)
		}
	}
	return deeds
}

// transaction adds those whom a transaction names. Boot and phantom transactions, which nobody signed, have a fee of zero.
func (g *gathering) transaction(d *deed, tx *transaction.Transaction) {
	d.kind = typeOf(tx.Payload)
	sender := tx.Sender()
	g.join(d, g.principal(clarity.Principal{Address: sender}), isSender)
	if sponsor, ok := tx.SponsorAddress(); ok {
		g.join(d, g.principal(clarity.Principal{Address: sponsor}), isSponsor)
	}
	if fee := tx.Fee(); fee > 0 {
		g.join(d, g.principal(clarity.Principal{Address: tx.FeePayer()}), affectsSTX).paid = new(big.Int).SetUint64(fee)
	}
	switch payload := tx.Payload.(type) {
	case *transaction.TokenTransfer:
		g.join(d, g.principal(payload.Recipient), isRecipient)
	case *transaction.ContractCall:
		g.join(d, g.principal(payload.Contract), isCalled)
	default:
		if contract, ok := tx.Deploys(); ok {
			g.join(d, g.principal(contract), isDeployed)
			d.deploys = d.source.Succeeded()
		}
	}
}

// operation adds those whom an operation from Bitcoin names.
func (g *gathering) operation(d *deed, o operation) {
	d.kind = o.kind
	for _, named := range []struct {
		name string
		as   involvement
	}{{o.sender, isSender}, {o.recipient, isRecipient}, {o.contract, isCalled}} {
		if named.name != "" {
			g.join(d, g.named(named.name), named.as)
		}
	}
}

// event adds the event at an index of those of the transaction.
func (g *gathering) event(d *deed, index int, events []*nodeevent.Event) {
	switch e := events[index].Data.(type) {
	case *nodeevent.STXTransfer:
		m := g.move(d, index, stxTransfer, e.Sender, e.Recipient, e.Amount)
		if m.transfer = transferOf(d.kind, e, events[index+1:]); m.transfer != 0 {
			m.inbound = m.parties[1]
		}
	case *nodeevent.STXMint:
		g.move(d, index, stxMint, "", e.Recipient, e.Amount)
	case *nodeevent.STXBurn:
		g.move(d, index, stxBurn, e.Sender, "", e.Amount)
	case *nodeevent.FTTransfer:
		g.move(d, index, ftTransfer, e.Sender, e.Recipient, nil)
	case *nodeevent.FTMint:
		g.move(d, index, ftMint, "", e.Recipient, nil)
	case *nodeevent.FTBurn:
		g.move(d, index, ftBurn, e.Sender, "", nil)
	case *nodeevent.NFTTransfer:
		g.move(d, index, nftTransfer, e.Sender, e.Recipient, nil)
	case *nodeevent.NFTMint:
		g.move(d, index, nftMint, "", e.Recipient, nil)
	case *nodeevent.NFTBurn:
		g.move(d, index, nftBurn, e.Sender, "", nil)
	case *nodeevent.STXLock:
		// It moves nothing: who locks is in the list of the transaction only for having sent it.
		if e.Address != "" {
			d.moves = append(d.moves, move{index: index, kind: stxLock, parties: [2]*account{g.named(e.Address)}})
		}
	case *nodeevent.ContractEvent:
		if e.Contract != "" {
			p := printed{index: index, contract: g.printer(g.named(e.Contract))}
			if name := contract.Topic(e.RawValue); name != "" {
				p.topic = g.topic(topicKey{p.contract, name})
			}
			d.prints = append(d.prints, p)
		}
	}
}

// move adds an event that moves something. amount is of STX; nil for everything else.
func (g *gathering) move(d *deed, index int, kind eventKind, sender, recipient string, amount *big.Int) *move {
	d.moves = append(d.moves, move{index: index, kind: kind})
	m := &d.moves[len(d.moves)-1]
	if sender != "" {
		m.parties[0] = g.named(sender)
		party := g.join(d, m.parties[0], isParty|kind.affects())
		party.counts[kind-1]++
		party.sent = sum(party.sent, amount)
	}
	if recipient != "" {
		m.parties[1] = g.named(recipient)
		party := g.join(d, m.parties[1], isParty|kind.affects())
		if m.parties[1] != m.parties[0] {
			party.counts[kind-1]++
		}
		party.received = sum(party.received, amount)
	}
	return m
}

// sum adds an amount, neither of which is changed.
func sum(to, amount *big.Int) *big.Int {
	switch {
	case amount == nil || amount.Sign() == 0:
		return to
	case to == nil:
		return amount
	}
	return new(big.Int).Add(to, amount)
}

// join makes an account a member of the transaction, if it is none. What it returns is good until the next one.
func (g *gathering) join(d *deed, a *account, as involvement) *member {
	if a.mark != d.mark {
		a.mark, a.place = d.mark, len(d.members)
		d.members = append(d.members, member{account: a})
	}
	m := &d.members[a.place]
	m.involvement |= as
	return m
}

func (g *gathering) principal(p clarity.Principal) *account {
	if a := g.state.principals[p]; a != nil {
		return a
	}
	a := g.named(p.String())
	g.state.principals[p] = a
	return a
}

func (g *gathering) named(name string) *account {
	if a := g.state.accounts[name]; a != nil {
		return a
	}
	name = projections.Text(name)
	a := g.state.accounts[name]
	if a == nil {
		a = &account{name: name, height: -1}
		g.state.accounts[name] = a
		g.accounts = append(g.accounts, a)
	}
	return a
}

func (g *gathering) printer(a *account) *printer {
	p := g.state.printers[a]
	if p == nil {
		p = &printer{account: a}
		g.state.printers[a] = p
		g.printers = append(g.printers, p)
	}
	return p
}

func (g *gathering) topic(key topicKey) *topic {
	t := g.state.topics[key]
	if t == nil {
		t = &topic{topicKey: key}
		g.state.topics[key] = t
		g.topics = append(g.topics, t)
	}
	return t
}
