package synthordinals

import (
	"maps"
	"math/big"
	"strings"

	"strata/domain/ordinals"
)

// accumulator computes a state from blocks in the order of their heights.
type accumulator struct {
	network ordinals.Network
	state   State
	onSat   map[ordinals.Sat][]*Inscription
}

// fold computes the state that blocks lead to.
func fold(blocks []*block, network ordinals.Network) State {
	f := &accumulator{
		network: network,
		state: State{
			Inscriptions: map[ordinals.InscriptionID]*Inscription{}, Locations: map[ordinals.Sat][]Location{},
			Transfers: map[uint64]int{}, Tokens: map[string]*Token{}, Balances: map[Holding]Balance{},
		},
		onSat: map[ordinals.Sat][]*Inscription{},
	}
	for _, b := range blocks {
		f.state.Blocks = append(f.state.Blocks, b.public())
		for _, t := range b.transactions {
			f.reveals(b, t)
			for _, m := range t.moves {
				f.arrive(m.sat, b.moved(t, m))
			}
			if t.token != nil {
				f.token(b, t, t.token)
			}
		}
	}
	f.finish()
	return f.state
}

// location returns the location of a place, without address and value.
func (b *block) location(t *transaction, p place) Location {
	return Location{
		Height: b.height, BlockHash: b.hash, Time: b.time, TxIndex: t.index, TxID: t.id, Type: p.kind, Output: p.at.String(), Offset: &p.offset,
	}
}

// moved returns the location that a move leads to.
func (b *block) moved(t *transaction, m *move) Location {
	l := b.location(t, m.to)
	if m.to.kind == ordinals.Transferred {
		l.Address = &m.to.address
	}
	if m.to.kind != ordinals.SpentInFees {
		l.Value = &m.to.value
	}
	return l
}

// revealed returns the location of a revealed inscription.
func (b *block) revealed(t *transaction, r *reveal) Location {
	l, value := b.location(t, r.to), r.postedValue(b.shape)
	l.Address, l.Value = r.postedAddress(b.shape), &value
	return l
}

// unbound returns the place of an unbound inscription, with the address of its inscriber.
func (b *block) unbound(t *transaction, r *reveal) Location {
	l := b.location(t, place{at: nowhere, kind: ordinals.Unbound})
	l.Address, l.Offset = r.postedAddress(b.shape), nil
	if r.onNoSat && b.shape.Unbound {
		l.Offset = &r.unbound
	}
	return l
}

// reveals first moves the sats and then adds the inscriptions, because a reveal moves only older inscriptions.
func (f *accumulator) reveals(b *block, t *transaction) {
	var born []*Inscription
	arrived := map[ordinals.Sat]bool{}
	for _, r := range t.reveals {
		l, unbound := b.revealed(t, r), r.unboundInscription(b.shape)
		if !r.onNoSat && !arrived[r.sat] {
			arrived[r.sat] = true
			f.arrive(r.sat, l)
		}
		charms := r.derivedCharms(b.shape, b.height, f.network)
		if b.shape.Charms != CharmsAbsent {
			charms = r.postedCharms(b.height, f.network)
		}
		if unbound {
			l = b.unbound(t, r)
		}
		born = append(born, &Inscription{
			ID: r.id, Unbound: unbound, Number: r.number.Jubilee, ClassicNumber: r.number.Classic, Sat: r.sat, Rarity: r.sat.Rarity(), Genesis: l, Fee: t.fee,
			Content: r.content, ContentType: strings.ReplaceAll(r.contentType, "\x00", ""), MimeType: r.mime, Metadata: r.metadata.display,
			Metaprotocol: r.protocol, Delegate: r.delegate, Parents: r.postedParents(b.shape), RecursionRefs: r.refs,
			Curse: r.curse.display(b.shape), Charms: charms.Names(),
		})
	}
	for _, i := range born {
		f.state.Inscriptions[i.ID] = i
		if !i.Unbound {
			f.onSat[i.Sat] = append(f.onSat[i.Sat], i)
		}
	}
}

// arrive moves a sat with its inscriptions.
func (f *accumulator) arrive(sat ordinals.Sat, l Location) {
	f.state.Locations[sat] = append(f.state.Locations[sat], l)
	f.state.Transfers[l.Height] += len(f.onSat[sat])
}

// balance returns the balance of an address, which the caller may change.
func (f *accumulator) balance(ticker, address string) Balance {
	h := Holding{Ticker: ticker, Address: address}
	if _, ok := f.state.Balances[h]; !ok {
		f.state.Balances[h] = Balance{Available: new(big.Int), Transferrable: new(big.Int)}
	}
	return f.state.Balances[h]
}

func (f *accumulator) token(b *block, t *transaction, o *tokenOperation) {
	tick := ticker(o.tick)
	f.state.Activity = append(f.state.Activity, Activity{
		Kind: o.kind, Ticker: tick, ID: o.id, Height: b.height, Hash: b.hash, Time: b.time, TxID: t.id, TxIndex: t.index,
		Address: o.address, Receiver: o.receiver, Amount: o.amount,
	})
	token := f.state.Tokens[tick]
	if token == nil { // without its deploy, which may come, or be in a gap
		token = &Token{Minted: new(big.Int), Burnt: new(big.Int)}
		f.state.Tokens[tick] = token
	}
	if d := o.deploy; d != nil && token.ID == "" {
		*token = Token{
			Ticker: tick, Tick: o.postedTick(b.shape), ID: o.id, Number: f.state.Inscriptions[o.id].Number, Height: b.height, TxID: t.id,
			TxIndex: t.index, Time: b.time, Address: o.address, Max: d.max, Limit: d.limit, Decimals: d.decimals, SelfMint: d.selfMint,
			Minted: token.Minted, Burnt: token.Burnt, TxCount: token.TxCount,
		}
	}
	token.TxCount++
	has := f.balance(tick, o.address)
	switch o.kind {
	case ordinals.BRC20KindMint:
		has.Available.Add(has.Available, o.amount)
		token.Minted.Add(token.Minted, o.amount)
	case ordinals.BRC20KindTransfer:
		has.Available.Sub(has.Available, o.amount)
		has.Transferrable.Add(has.Transferrable, o.amount)
	case ordinals.BRC20KindTransferSend:
		has.Transferrable.Sub(has.Transferrable, o.amount)
		if o.receiver == "" {
			token.Burnt.Add(token.Burnt, o.amount)
			return
		}
		receives := f.balance(tick, o.receiver)
		receives.Available.Add(receives.Available, o.amount)
	}
}

// finish computes what follows from the final state.
func (f *accumulator) finish() {
	s := &f.state
	maps.DeleteFunc(s.Tokens, func(_ string, token *Token) bool { return token.ID == "" })
	for _, i := range s.Inscriptions {
		if i.Unbound {
			i.Current = i.Genesis
			i.Current.Address = nil
		} else {
			locations := s.Locations[i.Sat]
			i.Current = locations[len(locations)-1]
		}
	}
	for h, b := range s.Balances {
		if b.Available.Sign() == 0 && b.Transferrable.Sign() == 0 {
			delete(s.Balances, h)
		} else if token := s.Tokens[h.Ticker]; token != nil && b.Total().Sign() > 0 {
			token.Holders++
		}
	}
}
