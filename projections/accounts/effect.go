package accounts

import (
	"math/big"

	"strata/domain/activity"
	"strata/domain/clarity"
	"strata/domain/contract"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// effect is the part of a transaction that the lists show.
type effect struct {
	source  *nodeevent.Transaction
	kind    activity.TxType
	members []member
	moves   []move
	prints  []printEvent
	// function is the key of the function that the transaction calls; nil for none.
	function *int32
	mark     int64 // unique per transaction, see account.mark
	deploys  bool  // it deployed a contract successfully
	// functions are the keys of the functions that the contract has.
	functions [][]byte
}

// member is an account with the transaction in its list.
type member struct {
	account              *account
	involvement          activity.Involvement
	sent, received, paid *big.Int // nil for none
	counts               [activity.CountedKinds]int32
}

// move is a transfer, mint, burn or lock: an event in the lists of one or two accounts.
type move struct {
	index    int
	kind     activity.EventKind
	parties  [2]*account // sender and recipient; nil for none
	inbound  *account    // the recipient of an inbound STX transfer; nil for other events
	transfer activity.TransferType
	asset    int64       // key of the fungible token; 0 for other assets
	tokens   [2]*sublist // of the parties; nil for other assets
}

// reward is a matured reward of a miner.
type reward struct {
	position       int
	miner          *miner
	coinbase, fees *big.Int
	earnedIn       hash.Hash32
}

// printEvent is an event that a contract printed.
type printEvent struct {
	index    int
	contract *printer
	topic    *topic   // nil for none
	function *sublist // nil for none
}

// collector collects the effects of blocks, and the accounts, printers and topics that must be read for them.
type collector struct {
	state    *state
	accounts []*account // not in memory before
	printers []*printer // not in memory before
	topics   []*topic   // not in memory before
	// functions, tokens and miners were not in memory before either.
	functions []functionKey
	tokens    []tokenKey
	miners    []*miner
}

// rewards returns the matured rewards of a block.
func (g *collector) rewards(content *projections.Block) []reward {
	var rewards []reward
	for i := range content.MaturedRewards {
		r := &content.MaturedRewards[i]
		total := r.Total()
		if r.Recipient == "" || total.Sign() == 0 {
			continue // nothing was paid
		}
		rewards = append(rewards, reward{
			position: i, miner: g.miner(g.account(r.Recipient)), coinbase: r.Coinbase, fees: new(big.Int).Sub(total, r.Coinbase), earnedIn: r.FromIndexBlockHash,
		})
	}
	return rewards
}

func (g *collector) miner(a *account) *miner {
	m := g.state.miners[a]
	if m == nil {
		m = &miner{account: a, coinbase: new(big.Int), fees: new(big.Int)}
		g.state.miners[a] = m
		g.miners = append(g.miners, m)
	}
	return m
}

// manyEvents is the number of events of a transaction from which on a list that grows would leave much garbage.
const manyEvents = 1 << 12

// block returns the effects of a block in the order of execution.
func (g *collector) block(content *projections.Block) []effect {
	effective := content.EffectiveEvents()
	order := content.ExecutionOrder()
	effects := make([]effect, len(order))
	for i, tx := range order {
		g.state.marks++
		d := &effects[i]
		d.source, d.mark = tx, g.state.marks
		events := effective[tx.Index]
		if decoded := content.Decoded[tx.Index]; decoded != nil {
			g.transaction(d, decoded)
			if d.deploys {
				d.functions = content.Deployments()[tx.Index].Functions
			}
		} else {
			g.operation(d, operationOf(tx, events))
		}
		if len(events) >= manyEvents {
			d.moves = make([]move, 0, len(events))
		}
		for n := range events {
			g.event(d, n, events)
		}
	}
	return effects
}

// transaction adds the accounts that a transaction names. Boot and phantom transactions, which nobody signed, have a
// fee of zero.
func (g *collector) transaction(d *effect, tx *transaction.Transaction) {
	d.kind = activity.TypeOf(tx.Payload)
	sender := tx.Sender()
	g.join(d, g.principal(clarity.Principal{Address: sender}), activity.Sender)
	if sponsor, ok := tx.SponsorAddress(); ok {
		g.join(d, g.principal(clarity.Principal{Address: sponsor}), activity.Sponsor)
	}
	if fee := tx.Fee(); fee > 0 {
		g.join(d, g.principal(clarity.Principal{Address: tx.FeePayer()}), activity.AffectsSTX).paid = new(big.Int).SetUint64(fee)
	}
	switch payload := tx.Payload.(type) {
	case *transaction.TokenTransfer:
		g.join(d, g.principal(payload.Recipient), activity.Recipient)
	case *transaction.ContractCall:
		g.join(d, g.principal(payload.Contract), activity.Called)
		key := activity.FunctionKey(payload.Function)
		d.function = &key
	default:
		if contract, ok := tx.Deploys(); ok {
			g.join(d, g.principal(contract), activity.Deployed)
			d.deploys = d.source.Succeeded()
		}
	}
}

// operation adds the accounts that an operation from Bitcoin names.
func (g *collector) operation(d *effect, o operation) {
	d.kind = o.kind
	for _, named := range []struct {
		name string
		as   activity.Involvement
	}{{o.sender, activity.Sender}, {o.recipient, activity.Recipient}, {o.contract, activity.Called}} {
		if named.name != "" {
			g.join(d, g.account(named.name), named.as)
		}
	}
}

// event adds the event at an index of the transaction's events.
func (g *collector) event(d *effect, index int, events []*nodeevent.Event) {
	switch e := events[index].Data.(type) {
	case *nodeevent.STXTransfer:
		m := g.move(d, index, activity.STXTransfer, e.Sender, e.Recipient, e.Amount)
		if m.transfer = transferOf(d.kind, e, events[index+1:]); m.transfer != 0 {
			m.inbound = m.parties[1]
		}
	case *nodeevent.STXMint:
		g.move(d, index, activity.STXMint, "", e.Recipient, e.Amount)
	case *nodeevent.STXBurn:
		g.move(d, index, activity.STXBurn, e.Sender, "", e.Amount)
	case *nodeevent.FTTransfer:
		g.token(g.move(d, index, activity.FTTransfer, e.Sender, e.Recipient, nil), e.Asset)
	case *nodeevent.FTMint:
		g.token(g.move(d, index, activity.FTMint, "", e.Recipient, nil), e.Asset)
	case *nodeevent.FTBurn:
		g.token(g.move(d, index, activity.FTBurn, e.Sender, "", nil), e.Asset)
	case *nodeevent.NFTTransfer:
		g.move(d, index, activity.NFTTransfer, e.Sender, e.Recipient, nil)
	case *nodeevent.NFTMint:
		g.move(d, index, activity.NFTMint, "", e.Recipient, nil)
	case *nodeevent.NFTBurn:
		g.move(d, index, activity.NFTBurn, e.Sender, "", nil)
	case *nodeevent.STXLock:
		// A lock moves nothing, so it does not make the account a member of the transaction.
		if e.Address != "" {
			d.moves = append(d.moves, move{index: index, kind: activity.STXLock, parties: [2]*account{g.account(e.Address)}})
		}
	case *nodeevent.ContractEvent:
		if e.Contract != "" {
			p := printEvent{index: index, contract: g.printer(g.account(e.Contract))}
			if name := contract.Topic(e.RawValue); name != "" {
				p.topic = g.topic(topicKey{p.contract, name})
			}
			if d.function != nil {
				p.function = g.function(functionKey{p.contract, *d.function})
			}
			d.prints = append(d.prints, p)
		}
	}
}

// move adds an event that moves an asset. amount is in µSTX; nil for tokens.
func (g *collector) move(d *effect, index int, kind activity.EventKind, sender, recipient string, amount *big.Int) *move {
	d.moves = append(d.moves, move{index: index, kind: kind})
	m := &d.moves[len(d.moves)-1]
	if sender != "" {
		m.parties[0] = g.account(sender)
		party := g.join(d, m.parties[0], activity.Party|kind.Affects())
		party.counts[kind-1]++
		party.sent = sum(party.sent, amount)
	}
	if recipient != "" {
		m.parties[1] = g.account(recipient)
		party := g.join(d, m.parties[1], activity.Party|kind.Affects())
		if m.parties[1] != m.parties[0] {
			party.counts[kind-1]++
		}
		party.received = sum(party.received, amount)
	}
	return m
}

// token puts an event into the lists that its parties have of a fungible token.
func (g *collector) token(m *move, asset string) {
	m.asset = activity.AssetKey(projections.Text(asset))
	for i, party := range m.parties {
		if party == nil {
			continue
		}
		key := tokenKey{party, m.asset}
		t := g.state.tokens[key]
		if t == nil {
			t = &sublist{}
			g.state.tokens[key] = t
			g.tokens = append(g.tokens, key)
		}
		m.tokens[i] = t
	}
}

// sum returns total plus amount, and changes neither. nil is zero.
func sum(total, amount *big.Int) *big.Int {
	switch {
	case amount == nil || amount.Sign() == 0:
		return total
	case total == nil:
		return amount
	}
	return new(big.Int).Add(total, amount)
}

// join makes an account a member of the transaction, if it is none yet, and adds to its involvement. The returned
// pointer is valid until the next call.
func (g *collector) join(d *effect, a *account, as activity.Involvement) *member {
	if a.mark != d.mark {
		a.mark, a.place = d.mark, len(d.members)
		d.members = append(d.members, member{account: a})
	}
	m := &d.members[a.place]
	m.involvement |= as
	return m
}

func (g *collector) principal(p clarity.Principal) *account {
	if a := g.state.principals[p]; a != nil {
		return a
	}
	a := g.account(p.String())
	g.state.principals[p] = a
	return a
}

func (g *collector) account(name string) *account {
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

func (g *collector) printer(a *account) *printer {
	p := g.state.printers[a]
	if p == nil {
		p = &printer{account: a}
		g.state.printers[a] = p
		g.printers = append(g.printers, p)
	}
	return p
}

func (g *collector) function(key functionKey) *sublist {
	f := g.state.functions[key]
	if f == nil {
		f = &sublist{}
		g.state.functions[key] = f
		g.functions = append(g.functions, key)
	}
	return f
}

func (g *collector) topic(key topicKey) *topic {
	t := g.state.topics[key]
	if t == nil {
		t = &topic{topicKey: key}
		g.state.topics[key] = t
		g.topics = append(g.topics, t)
	}
	return t
}
