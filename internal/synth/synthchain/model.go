package synthchain

import (
	"slices"

	"strata/domain/hash"
	"strata/internal/synth/undo"
)

// model is the true state of the chain at one block. It can move to any other block of the window.
type model struct {
	undo.Log
	at *block

	balance  undo.Table[party, uint64] // microSTX, locked ones included
	nonce    undo.Table[party, uint64] // the next nonce
	lock     undo.Table[party, lock]
	token    undo.Table[holding, u128]
	supply   undo.Table[party, u128] // of the token of a contract
	item     undo.Table[item, party] // owner of a non-fungible token
	items    undo.Table[party, uint64]
	deployed undo.Table[party, *template]
	contract undo.Table[int, party] // contracts that can be called, by number
	total    undo.Table[counter, u128]
	reward   undo.Table[uint64, *reward] // unpaid rewards, by tenure
}

// lock is an amount of STX that cannot be spent. The last lock event of an account decides.
type lock struct {
	amount   uint64
	until    uint64 // burn block height
	contract party
}

// holding names the token of a contract and an owner. Each contract has one token.
type holding struct{ contract, owner party }

// item is one non-fungible token of a contract.
type item struct {
	contract party
	number   uint64
}

// counter names a total.
type counter uint8

const (
	totalMinted    counter = iota // by mint events
	totalBurned                   // by burn events
	totalCoinbase                 // paid to miners
	totalFees                     // paid by senders
	totalFeesPaid                 // of totalFees, paid to miners
	totalContracts                // number of entries in contract
)

// reward is the reward of a tenure until it matures. It is never changed in place.
type reward struct {
	miner, recipient party
	producer         party // mined the microblocks that the block confirmed
	block, index     hash.Hash32
	coinbase         uint64
	fees             uint64 // of the tenure's own transactions
	streamed         uint64 // fees of the confirmed microblocks
	reporter         party  // reported that the miner signed two microblocks with one sequence; usually noReporter
}

const noReporter party = -1

func newModel() *model {
	m := new(model)
	l := &m.Log
	m.balance = undo.NewTable[party, uint64](l)
	m.nonce = undo.NewTable[party, uint64](l)
	m.lock = undo.NewTable[party, lock](l)
	m.token = undo.NewTable[holding, u128](l)
	m.supply = undo.NewTable[party, u128](l)
	m.item = undo.NewTable[item, party](l)
	m.items = undo.NewTable[party, uint64](l)
	m.deployed = undo.NewTable[party, *template](l)
	m.contract = undo.NewTable[int, party](l)
	m.total = undo.NewTable[counter, u128](l)
	m.reward = undo.NewTable[uint64, *reward](l)
	return m
}

func (m *model) count(c counter, n uint64) { m.total.Set(c, m.total.Get(c).add(u64(n))) }

func (m *model) credit(p party, n uint64) { m.balance.Set(p, m.balance.Get(p)+n) }

// debit takes n from p, which must have that much.
func (m *model) debit(p party, n uint64) {
	have := m.balance.Get(p)
	if have < n {
		panic("synthchain: balance below zero")
	}
	if have == n {
		m.balance.Remove(p)
		return
	}
	m.balance.Set(p, have-n)
}

// available returns what p can spend in a block that sees burn height h. Nodes and APIs disagree about the block at the
// unlock height itself; here the STX are still locked, to be on the safe side.
func (m *model) available(p party, h uint64) uint64 {
	have := m.balance.Get(p)
	l := m.lock.Get(p)
	if l.until < h {
		return have
	}
	if l.amount >= have {
		return 0
	}
	return have - l.amount
}

func (m *model) giveToken(contract, owner party, n u128) {
	h := holding{contract, owner}
	m.token.Set(h, m.token.Get(h).add(n))
}

// takeToken takes n tokens from owner, which must have that many.
func (m *model) takeToken(contract, owner party, n u128) {
	h := holding{contract, owner}
	rest := m.token.Get(h).sub(n)
	if rest.isZero() {
		m.token.Remove(h)
		return
	}
	m.token.Set(h, rest)
}

// moveTo moves the model to block b. All blocks on the way must still have their changes.
func (m *model) moveTo(b *block) {
	if m.Mark() != 0 {
		panic("synthchain: the model has changes of an unfinished block")
	}
	var forward []*block
	for to := b; m.at != to; {
		if to.height >= m.at.height {
			forward = append(forward, to)
			to = to.parent
			continue
		}
		undo.All(m.at.changes)
		m.at = m.at.parent
	}
	for _, b := range slices.Backward(forward) {
		undo.Redo(b.changes)
	}
	m.at = b
}
