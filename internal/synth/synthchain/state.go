package synthchain

import (
	"encoding/hex"
	"math/big"
	"strings"

	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthnames"
	"strata/internal/synth/synthstaking"
)

// BlockRef identifies a canonical block.
type BlockRef struct {
	Height       uint64
	Hash         hash.Hash32
	IndexHash    hash.Hash32
	BurnHeight   uint64
	BurnHash     hash.Hash32
	Tenure       uint64 // number of tenures up to this block
	Transactions int    // length of transactions[]
}

// BurnRef identifies a Bitcoin block.
type BurnRef struct {
	Height uint64
	Hash   hash.Hash32
}

// Lock is the last lock of an account: Amount microSTX until burn height Until. The lock may have ended.
type Lock struct {
	Amount   uint64
	Until    uint64
	Contract string // the PoX contract, which the events of V205 do not contain
}

// Holding names a fungible token and its owner.
type Holding struct{ Asset, Owner string }

// Item names a non-fungible token. Value is its serialised id in hex with 0x.
type Item struct{ Asset, Value string }

// Namespace is a namespace of the first naming system. Heights are in the contract's clock: of blocks before Nakamoto, of
// tenures since.
type Namespace struct {
	Launched  bool
	Lifetime  uint64 // 0: names never expire
	PriceBase uint64 // of the price function
}

// Name is a name of the first naming system.
type Name struct {
	Owner        string
	Operation    string  // the last one
	ZonefileHash string  // hex; empty for none
	Expires      *uint64 // the last height of its lease in the contract's clock; nil for never, and in a namespace that is not launched
}

// State is the true state at the canonical tip. Principals are texts, amounts of STX are microSTX, and zeros are
// omitted.
type State struct {
	Tip     BlockRef
	BurnTip BurnRef
	// Blocks are the canonical blocks, genesis first (block 1 with Config.MergedGenesis).
	Blocks []BlockRef

	Balances  map[string]uint64 // locked STX included
	Nonces    map[string]uint64 // the next nonce of each account that has used one
	Locks     map[string]Lock
	Locked    map[string]Lock // those of Locks that hold, by the rule of nodes: Until is above the burn height of the tip
	Tokens    map[Holding]*big.Int
	Supplies  map[string]*big.Int // by fungible token
	Items     map[Item]string     // owners
	Contracts map[string]bool

	Staking *synthstaking.Contract // pox-5; nil without Config.AllEpochs

	Registry *synthnames.State // BNS-V2; nil before its airdrop

	Namespaces map[string]Namespace
	Names      map[string]Name   // with their namespaces, the revoked ones included
	Zonefiles  map[string][]byte // by hash in hex: all that were ever written, posted or not

	Minted   *big.Int // by mint events
	Burned   *big.Int // by burn events
	Coinbase *big.Int // paid to miners, without fees
	FeesPaid *big.Int // by senders
	FeesOut  *big.Int // the part of FeesPaid that miners received; the rest is immature or was lost to rounding
}

// Liquid returns the number of microSTX that exist.
func (s *State) Liquid() *big.Int {
	n := new(big.Int).Sub(s.Minted, s.Burned)
	return n.Add(n, s.Coinbase)
}

// Tip returns the Tip of Expected, at far less cost.
func (c *Chain) Tip() BlockRef { return c.best().ref() }

// Accounts returns the addresses that send transactions. The first four mine.
func (c *Chain) Accounts() []string {
	all := make([]string, len(c.accounts))
	for i, a := range c.accounts {
		all[i] = c.roll.Text(a.Party)
	}
	return all
}

// Expected returns the state at the canonical tip of the posts that were handed out so far. The canonical tip is the
// highest block with complete ancestry, all of it elected by canonical Bitcoin blocks. Of several it is the one that
// was elected last, then the one that came first. Bitcoin's canonical chain leads to the burn block that was announced
// last.
//
// The result is a copy. Before the first post it describes genesis.
func (c *Chain) Expected() State {
	best := c.best()
	c.model.moveTo(best)
	m := c.model
	s := State{
		Tip:       best.ref(),
		BurnTip:   BurnRef{Height: c.burnTip.height, Hash: c.burnTip.hash},
		Blocks:    append([]BlockRef(nil), c.history.blocks...),
		Balances:  make(map[string]uint64, len(m.Balance.Rows)),
		Nonces:    make(map[string]uint64, len(m.Nonce.Rows)),
		Locks:     make(map[string]Lock, len(m.Lock.Rows)),
		Locked:    make(map[string]Lock, len(m.Lock.Rows)),
		Tokens:    make(map[Holding]*big.Int, len(m.Token.Rows)),
		Supplies:  make(map[string]*big.Int),
		Items:     make(map[Item]string, len(m.Owner.Rows)),
		Contracts: make(map[string]bool, len(m.Deployed.Rows)),
		Minted:    m.Total.Get(ledger.TotalMinted).Big(),
		Burned:    m.Total.Get(ledger.TotalBurned).Big(),
		Coinbase:  m.Total.Get(ledger.TotalCoinbase).Big(),
		FeesPaid:  m.Total.Get(ledger.TotalFees).Big(),
		FeesOut:   m.Total.Get(ledger.TotalFeesPaid).Big(),
	}
	for _, b := range c.path(best) {
		s.Blocks = append(s.Blocks, b.ref())
	}
	for p, n := range m.Balance.Rows {
		s.Balances[c.roll.Text(p)] = n
	}
	for p, n := range m.Nonce.Rows {
		s.Nonces[c.roll.Text(p)] = n
	}
	for p, l := range m.Lock.Rows {
		lock := Lock{Amount: l.Amount, Until: l.Until, Contract: c.roll.Text(l.Contract)}
		s.Locks[c.roll.Text(p)] = lock
		if c.rules.Until(l) > best.burn.height && l.Amount > 0 {
			s.Locked[c.roll.Text(p)] = lock
		}
	}
	asset := func(contract ledger.Party) string {
		return c.roll.Text(contract) + "::" + m.Deployed.Get(contract).Asset
	}
	for h, n := range m.Token.Rows {
		s.Tokens[Holding{Asset: asset(h.Contract), Owner: c.roll.Text(h.Owner)}] = n.Big()
	}
	for contract, n := range m.Supply.Rows {
		if !n.IsZero() {
			s.Supplies[asset(contract)] = n.Big()
		}
	}
	for i, owner := range m.Owner.Rows {
		value := m.Deployed.Get(i.Contract).Item(i.Number)
		s.Items[Item{Asset: asset(i.Contract), Value: "0x" + hex.EncodeToString(value.Raw())}] = c.roll.Text(owner)
	}
	for contract := range m.Deployed.Rows {
		s.Contracts[c.roll.Text(contract)] = true
	}
	c.addNames(&s)
	if m.Staking.Value != nil {
		s.Staking = m.Staking.Value.Clone()
		s.Staking.Height = int64(best.burn.height)
	}
	if m.Registry.Value != nil {
		s.Registry = m.Registry.Value.Clone()
		s.Registry.BurnHeight = int64(best.burn.height)
	}
	return s
}

// addNames adds what is true of the first naming system.
func (c *Chain) addNames(s *State) {
	m, x := c.model, c.execution(0, 0)
	s.Namespaces, s.Names, s.Zonefiles = map[string]Namespace{}, map[string]Name{}, map[string][]byte{}
	for name, n := range m.Namespace.Rows {
		s.Namespaces[name] = Namespace{Launched: n.Launched, Lifetime: n.Lifetime, PriceBase: n.Base}
	}
	for text, n := range m.Name.Rows {
		name := Name{Owner: c.roll.Text(n.Owner), Operation: n.Operation, ZonefileHash: hex.EncodeToString([]byte(n.ZonefileHash))}
		_, namespace, _ := strings.Cut(text, ".")
		if end, ok := x.NameExpiry(text, n); ok && m.Namespace.Get(namespace).Launched {
			name.Expires = &end
		}
		s.Names[text] = name
	}
	for hash, content := range c.rules.Zonefiles {
		s.Zonefiles[hex.EncodeToString([]byte(hash))] = content
	}
}

// CanonicalPosts returns the fewest posts that lead to the same rows when they are replayed alone: genesis, the
// canonical burn blocks and the canonical blocks, in order. With Config.ForgetHistory they start at the last final
// block.
func (c *Chain) CanonicalPosts() []Post {
	posts := append([]Post(nil), c.history.posts...)
	return c.linear(posts, c.path(c.best()), c.burnTip)
}
