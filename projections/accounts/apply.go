package accounts

import (
	"context"
	"math/big"
	"slices"

	"strata/domain/activity"
	"strata/projections"
)

// apply applies blocks. It reads all rows that they need at once, and writes all new rows at once.
func (b *batch) apply(ctx context.Context, steps []projections.Step) error {
	if err := projections.CheckParents(b.state.tip.asOutcome(), steps); err != nil {
		return err
	}
	g := collector{state: b.state}
	blocks, rewards := make([][]effect, len(steps)), make([][]reward, len(steps))
	for i, step := range steps {
		blocks[i], rewards[i] = g.block(step.Block), g.rewards(step.Block)
	}
	if err := b.load(ctx, &g); err != nil {
		return err
	}
	w := newWrites(ctx, b)
	for i, step := range steps {
		if err := b.applyBlock(w, step, blocks[i], rewards[i]); err != nil {
			return err
		}
		blocks[i] = nil
	}
	return w.flush(ctx, b)
}

func (b *batch) applyBlock(w *writes, step projections.Step, effects []effect, rewards []reward) error {
	first := b.state.tip == nil
	next := tip{Tip: step.Tip()}
	if !first {
		next.lastTx, next.types, next.accounts = b.state.tip.lastTx, b.state.tip.types, b.state.tip.accounts
		next.burnBlocks, next.burnBlock = b.state.tip.burnBlocks, b.state.tip.burnBlock
	}
	if first || next.burnBlock != step.Block.BurnBlockHash {
		next.burnBlocks++
		next.burnBlock = step.Block.BurnBlockHash
	}
	a := numbering{writes: w, tip: &next, height: step.Height, seq: step.BlockSeq, touched: []int32{}}
	firstTx := next.lastTx + 1
	for i := range effects {
		if err := a.addEffect(&effects[i]); err != nil {
			return err
		}
	}
	for i := range rewards {
		a.addReward(&rewards[i])
	}
	slices.Sort(a.touched)
	w.block(step, firstTx, &next, a.touched)
	b.state.tip = &next
	if b.single && !first { // the first block touches everything
		b.touched = touchedBy(step.Height, &next.Tip, a.names)
	}
	return nil
}

// touchedBy returns the shards that change with a block: its own, and those of the accounts that have rows of it.
func touchedBy(height int64, tip *projections.Tip, accounts []string) *projections.Touched {
	touched := projections.NewTouched()
	touched.AddBlock(height, tip.IndexBlockHash, tip.BlockHash)
	touched.AddAccounts(accounts)
	return touched
}

// numbering numbers the rows of one block and adds them to the writes.
type numbering struct {
	*writes
	tip         *tip
	height, seq int64
	touched     []int32  // ids of the accounts with rows of the block
	names       []string // of the same accounts
}

// addEffect adds the rows of a transaction. That of a genesis block has events of hundreds of thousands of accounts, whose rows are
// sent as they come.
func (a *numbering) addEffect(d *effect) error {
	a.tip.lastTx++
	n := a.tip.lastTx
	a.transaction(a.height, a.seq, n, a.tip.types.next(d.kind), d.kind, d.source)
	if d.deploys {
		a.deployment(n, a.seq, d)
	}
	var sender int32
	for i := range d.members {
		m := &d.members[i]
		a.touch(m.account)
		m.account.transactions++
		if m.involvement&activity.Called != 0 {
			m.account.calls++
		}
		if m.involvement&activity.Sender != 0 {
			sender = m.account.id
		}
		a.member(n, a.seq, m)
		for _, rows := range []*copyBuffer{&a.accounts, &a.members} {
			if err := a.spill(rows); err != nil {
				return err
			}
		}
	}
	for i := range d.moves {
		m := &d.moves[i]
		if err := a.spill(&a.moves); err != nil {
			return err
		}
		for side, party := range m.parties {
			if party == nil || side == 1 && party == m.parties[0] {
				continue
			}
			a.touch(party)
			party.events++
			stx := m.sideOf(party)
			if stx&sideIn != 0 {
				party.stxIn++
			}
			if stx&sideOut != 0 {
				party.stxOut++
			}
			if t := m.tokens[side]; t != nil {
				t.n++
			}
			transfer := activity.TransferType(0)
			if party == m.inbound {
				party.inbound++
				transfer = m.transfer
			}
			a.move(n, a.seq, m, party, transfer, stx, m.tokens[side])
		}
	}
	for i := range d.prints {
		a.addPrint(n, &d.prints[i], sender, d.function)
	}
	return nil
}

// Sides of a move of STX, as the column stx_side has them.
const (
	sideOut = 1
	sideIn  = 2
)

// sideOf returns the sides that an account is on; 0 for a move of something else than STX.
func (m *move) sideOf(party *account) (sides int16) {
	switch m.kind {
	case activity.STXTransfer, activity.STXMint, activity.STXBurn:
		if m.parties[0] == party {
			sides |= sideOut
		}
		if m.parties[1] == party {
			sides |= sideIn
		}
	}
	return sides
}

func (a *numbering) addReward(r *reward) {
	m := r.miner
	a.touch(m.account)
	m.rewards++
	m.coinbase, m.fees = new(big.Int).Add(m.coinbase, r.coinbase), new(big.Int).Add(m.fees, r.fees)
	a.reward(a.height, a.seq, r)
}

func (a *numbering) addPrint(tx int64, p *printEvent, sender int32, function *int32) {
	a.touch(p.contract.account)
	p.contract.prints++
	if t := p.topic; t != nil {
		if t.number == 0 {
			t.contract.topics++
			t.number = t.contract.topics
			a.topic(a.seq, t)
		}
		t.n++
	}
	if p.function != nil {
		p.function.n++
	}
	a.print(tx, a.seq, p, sender, function)
}

// touch records that an account has rows of the block. A new account gets its id.
func (a *numbering) touch(of *account) {
	if of.height == a.height {
		return
	}
	if of.id == 0 {
		a.tip.accounts++
		of.id = a.tip.accounts
		a.account(a.height, a.seq, of)
	}
	of.height = a.height
	a.touched, a.names = append(a.touched, of.id), append(a.names, of.name)
}
