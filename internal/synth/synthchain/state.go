package synthchain

import (
	"encoding/hex"
	"math/big"

	"strata/domain/hash"
)

// BlockRef identifies a canonical block.
type BlockRef struct {
	Height       uint64
	Hash         hash.Hash32
	IndexHash    hash.Hash32
	BurnHeight   uint64
	BurnHash     hash.Hash32
	Tenure       uint64 // number of tenures up to it
	Transactions int    // entries of transactions[]
}

// BurnRef identifies a Bitcoin block.
type BurnRef struct {
	Height uint64
	Hash   hash.Hash32
}

// Lock is the last lock of an account: Amount microSTX until burn height Until. It may have ended.
type Lock struct {
	Amount   uint64
	Until    uint64
	Contract string // the PoX contract, which the events of V205 do not tell
}

// Holding names a fungible token and who has it.
type Holding struct{ Asset, Owner string }

// Item names a non-fungible token: Value is its serialised id in hex with 0x.
type Item struct{ Asset, Value string }

// State is the truth at the canonical tip. Principals are texts; amounts of STX are microSTX; zeros are left out.
type State struct {
	Tip     BlockRef
	BurnTip BurnRef
	// Blocks are the canonical blocks, genesis first (block 1 with Config.MergedGenesis).
	Blocks []BlockRef

	Balances  map[string]uint64 // locked STX included
	Nonces    map[string]uint64 // the next nonce of who has used one
	Locks     map[string]Lock
	Tokens    map[Holding]*big.Int
	Supplies  map[string]*big.Int // by fungible token
	Items     map[Item]string     // owner
	Contracts map[string]bool

	Minted   *big.Int // by mint events
	Burned   *big.Int // by burn events
	Coinbase *big.Int // paid to miners, without fees
	FeesPaid *big.Int // by senders
	FeesOut  *big.Int // of these, what miners got; the rest is not mature yet, or was rounded away
}

// Liquid is the number of microSTX that exist.
func (s *State) Liquid() *big.Int {
	n := new(big.Int).Sub(s.Minted, s.Burned)
	return n.Add(n, s.Coinbase)
}

// Tip is Expected's tip alone, which costs far less.
func (c *Chain) Tip() BlockRef { return c.best().ref() }

// Accounts are the addresses that send transactions; the first four mine.
func (c *Chain) Accounts() []string {
	all := make([]string, len(c.accounts))
	for i, a := range c.accounts {
		all[i] = c.roll.text(a.party)
	}
	return all
}

// Expected is the state at the canonical tip of what was handed out so far. The canonical tip is the highest block with
// complete ancestry all of which was elected by Bitcoin blocks that are canonical; of several the one elected last; of
// these the one that came first. Bitcoin's canonical chain is what leads to the burn block that was announced last.
//
// The result is a copy. Before the first post it speaks of genesis.
func (c *Chain) Expected() State {
	best := c.best()
	c.model.moveTo(best)
	m := c.model
	s := State{
		Tip:       best.ref(),
		BurnTip:   BurnRef{Height: c.burnTip.height, Hash: c.burnTip.hash},
		Blocks:    append([]BlockRef(nil), c.history.blocks...),
		Balances:  make(map[string]uint64, len(m.balance.rows)),
		Nonces:    make(map[string]uint64, len(m.nonce.rows)),
		Locks:     make(map[string]Lock, len(m.lock.rows)),
		Tokens:    make(map[Holding]*big.Int, len(m.token.rows)),
		Supplies:  make(map[string]*big.Int),
		Items:     make(map[Item]string, len(m.item.rows)),
		Contracts: make(map[string]bool, len(m.deployed.rows)),
		Minted:    m.total.get(totalMinted).big(),
		Burned:    m.total.get(totalBurned).big(),
		Coinbase:  m.total.get(totalCoinbase).big(),
		FeesPaid:  m.total.get(totalFees).big(),
		FeesOut:   m.total.get(totalFeesPaid).big(),
	}
	for _, b := range c.path(best) {
		s.Blocks = append(s.Blocks, b.ref())
	}
	for p, n := range m.balance.rows {
		s.Balances[c.roll.text(p)] = n
	}
	for p, n := range m.nonce.rows {
		s.Nonces[c.roll.text(p)] = n
	}
	for p, l := range m.lock.rows {
		s.Locks[c.roll.text(p)] = Lock{Amount: l.amount, Until: l.until, Contract: c.roll.text(l.contract)}
	}
	asset := func(contract party) string { return c.roll.text(contract) + "::" + m.deployed.get(contract).asset }
	for h, n := range m.token.rows {
		s.Tokens[Holding{Asset: asset(h.contract), Owner: c.roll.text(h.owner)}] = n.big()
	}
	for contract, n := range m.supply.rows {
		if !n.isZero() {
			s.Supplies[asset(contract)] = n.big()
		}
	}
	for i, owner := range m.item.rows {
		value := m.deployed.get(i.contract).item(i.number)
		s.Items[Item{Asset: asset(i.contract), Value: "0x" + hex.EncodeToString(value.Raw())}] = c.roll.text(owner)
	}
	for contract := range m.deployed.rows {
		s.Contracts[c.roll.text(contract)] = true
	}
	return s
}

// CanonicalPosts are the fewest posts that lead to the same rows when they are replayed alone: genesis, the canonical
// burn blocks and the canonical blocks, in order. With Config.ForgetHistory they begin at the last final block.
func (c *Chain) CanonicalPosts() []Post {
	posts := append([]Post(nil), c.history.posts...)
	return c.linear(posts, c.path(c.best()), c.burnTip)
}
