package synthchain

import "strata/domain/hash"

// model is the true state of the chain at one block, and can go to any other block of the window.
type model struct {
	changelog
	at *block

	balance  table[party, uint64] // microSTX, locked ones included
	nonce    table[party, uint64] // the next one
	lock     table[party, lock]
	token    table[holding, u128]
	supply   table[party, u128] // of the token of a contract
	item     table[item, party] // owner of a non-fungible token
	items    table[party, uint64]
	deployed table[party, *template]
	contract table[int, party] // those that can be called, by number
	total    table[counter, u128]
	reward   table[uint64, *reward] // not yet paid, by tenure
}

// lock is STX that can't be spent. The last lock event of an account decides.
type lock struct {
	amount   uint64
	until    uint64 // burn block height
	contract party
}

// holding is what somebody has of the token of a contract; each contract has one token.
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
	totalFeesPaid                 // paid to miners, of the above
	totalContracts                // number of entries in contract
)

// reward is what the miner of a tenure will get when it is mature. It is never changed in place.
type reward struct {
	miner, recipient party
	producer         party // of the microblocks that the block confirmed
	block, index     hash.Hash32
	coinbase         uint64
	fees             uint64 // of the tenure's own transactions
	streamed         uint64 // of the confirmed microblocks
	reporter         party  // of a miner who signed two microblocks with one sequence; noReporter mostly
}

const noReporter party = -1

func newModel() *model {
	m := new(model)
	l := &m.changelog
	m.balance = newTable[party, uint64](l)
	m.nonce = newTable[party, uint64](l)
	m.lock = newTable[party, lock](l)
	m.token = newTable[holding, u128](l)
	m.supply = newTable[party, u128](l)
	m.item = newTable[item, party](l)
	m.items = newTable[party, uint64](l)
	m.deployed = newTable[party, *template](l)
	m.contract = newTable[int, party](l)
	m.total = newTable[counter, u128](l)
	m.reward = newTable[uint64, *reward](l)
	return m
}

func (m *model) count(c counter, n uint64) { m.total.set(c, m.total.get(c).add(u64(n))) }

func (m *model) credit(p party, n uint64) { m.balance.set(p, m.balance.get(p)+n) }

// debit takes n from p, who must have it.
func (m *model) debit(p party, n uint64) {
	have := m.balance.get(p)
	if have < n {
		panic("synthchain: balance below zero")
	}
	if have == n {
		m.balance.remove(p)
		return
	}
	m.balance.set(p, have-n)
}

// available is what p can spend in a block that sees burn height h. It is on the safe side where nodes and APIs
// disagree: STX stay locked for the block at the very unlock height.
func (m *model) available(p party, h uint64) uint64 {
	have := m.balance.get(p)
	l := m.lock.get(p)
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
	m.token.set(h, m.token.get(h).add(n))
}

// takeToken takes n tokens from owner, who must have them.
func (m *model) takeToken(contract, owner party, n u128) {
	h := holding{contract, owner}
	rest := m.token.get(h).sub(n)
	if rest.isZero() {
		m.token.remove(h)
		return
	}
	m.token.set(h, rest)
}

// moveTo makes the model that of block b. All blocks between must still have their changes.
func (m *model) moveTo(b *block) {
	if m.mark() != 0 {
		panic("synthchain: model left in the middle of a block")
	}
	var forward []*block
	for to := b; m.at != to; {
		if to.height >= m.at.height {
			forward = append(forward, to)
			to = to.parent
			continue
		}
		undoAll(m.at.changes)
		m.at = m.at.parent
	}
	for i := len(forward) - 1; i >= 0; i-- {
		for _, c := range forward[i].changes {
			c.redo()
		}
	}
	m.at = b
}
