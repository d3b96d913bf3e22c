package synthstaking

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"strata/domain/clarity"
)

// Clock says when cycles and bonds begin. Bond i starts with the cycle FirstBond+2i.
type Clock struct {
	FirstHeight                int64 // burn height at which cycle 0 begins
	CycleLength, PrepareLength int64 // burn blocks
	FirstBond                  int64 // the cycle in which bond 0 starts: the first one of pox-5
}

// DefaultClock is the clock of random histories: cycle c begins at the burn height 100·c.
var DefaultClock = Clock{CycleLength: 100, PrepareLength: 10, FirstBond: 1}

// Start returns the burn height at which a cycle begins.
func (c Clock) Start(cycle int64) int64 { return c.FirstHeight + cycle*c.CycleLength }

const (
	// BondCycles is the number of cycles of a bond.
	BondCycles = 12
	// NoBond stands for the index of a bond where STX are staked without one.
	NoBond = -1
	// Minimum is the µSTX that a signer manager needs for a cycle.
	Minimum = 50_000_000_000
)

// States of a position in a bond.
const (
	Enrolled   = "enrolled"
	EarlyExit  = "early_exit"
	RolledOver = "rolled_over"
)

// Place identifies what a staker has in a bond, or without one.
type Place struct {
	Staker string
	Bond   int64
}

// Share is what a staker has in a cycle.
type Share struct {
	Signer       string
	Shares, USTX int64
}

// Stake is a stake of STX without a bond.
type Stake struct {
	Signer        string
	USTX          int64
	First, Unlock int64 // cycles
}

// Position is a position in a bond. It stays after the end of the bond.
type Position struct {
	Signer, Status string
	USTX, Sats     int64
	L1             bool
}

// Bond is a bond with its allow-list.
type Bond struct {
	Index         int64
	Rate, Value   int64
	Distributed   int64
	Accrued       int64
	Claimed       int64
	Allowed       map[string]int64
	Start, Unlock int64 // cycles
}

// Contract is the state of the simulation. Clone it before a fork.
type Contract struct {
	Clock     Clock
	Height    int64 // burn height
	Bonds     map[int64]*Bond
	Stakes    map[string]Stake
	Positions map[Place]Position
	Shares    map[int64]map[Place]Share // by cycle
	Keys      map[string]string
	Grants    map[string]map[string]int64 // auth id by signer manager and key
	Accrued   map[Place]int64
	Claimed   map[Place]int64
	Events    int

	member map[string]int64 // the bond that a staker is in, by staker
	last   int64            // height of the last calculation
	auth   int64
}

// New returns the contract before its first event, with DefaultClock.
func New() *Contract { return NewAt(DefaultClock) }

// NewAt returns the contract before its first event.
func NewAt(clock Clock) *Contract {
	return &Contract{
		Clock: clock,
		Bonds: map[int64]*Bond{}, Stakes: map[string]Stake{}, Positions: map[Place]Position{}, Shares: map[int64]map[Place]Share{},
		Keys: map[string]string{}, Grants: map[string]map[string]int64{}, Accrued: map[Place]int64{}, Claimed: map[Place]int64{}, member: map[string]int64{},
	}
}

// Clone returns a copy that shares nothing with the original.
func (c *Contract) Clone() *Contract {
	clone := *c
	clone.Bonds = map[int64]*Bond{}
	for i, b := range c.Bonds {
		bond := *b
		bond.Allowed = maps.Clone(b.Allowed)
		clone.Bonds[i] = &bond
	}
	clone.Shares = map[int64]map[Place]Share{}
	for cycle, shares := range c.Shares {
		clone.Shares[cycle] = maps.Clone(shares)
	}
	clone.Grants = map[string]map[string]int64{}
	for signer, keys := range c.Grants {
		clone.Grants[signer] = maps.Clone(keys)
	}
	clone.Stakes, clone.Positions, clone.Keys = maps.Clone(c.Stakes), maps.Clone(c.Positions), maps.Clone(c.Keys)
	clone.Accrued, clone.Claimed, clone.member = maps.Clone(c.Accrued), maps.Clone(c.Claimed), maps.Clone(c.member)
	return &clone
}

// Cycle returns the cycle of the burn height.
func (c *Contract) Cycle() int64 { return (c.Height - c.Clock.FirstHeight) / c.Clock.CycleLength }

func (c *Contract) preparing() bool {
	return c.Height >= c.Clock.Start(c.Cycle()+1)-c.Clock.PrepareLength
}

// set puts a share into cycles, and takes the staker's own away from the first of them on.
func (c *Contract) set(at Place, from, to int64, s Share) {
	for cycle := range c.Shares {
		if cycle >= from {
			delete(c.Shares[cycle], at)
		}
	}
	for cycle := from; cycle < to; cycle++ {
		if c.Shares[cycle] == nil {
			c.Shares[cycle] = map[Place]Share{}
		}
		c.Shares[cycle][at] = s
	}
}

// live returns the staker's stake, unless it has ended.
func (c *Contract) live(staker string) (Stake, bool) {
	s, ok := c.Stakes[staker]
	return s, ok && s.Unlock > c.Cycle()
}

// bondOf returns the bond that the staker is in, unless it has ended.
func (c *Contract) bondOf(staker string) (*Bond, bool) {
	i, ok := c.member[staker]
	if !ok || c.Bonds[i].Unlock <= c.Cycle() {
		return nil, false
	}
	return c.Bonds[i], true
}

// lastHalf reports whether the last half cycle of a bond has begun.
func (c *Contract) lastHalf(b *Bond) bool {
	return c.Height >= c.Clock.Start(b.Unlock)-c.Clock.CycleLength/2
}

// roll takes the staker out of its bond.
func (c *Contract) roll(staker string) {
	if b, ok := c.bondOf(staker); ok {
		p := c.Positions[Place{staker, b.Index}]
		p.Status, p.USTX, p.Sats = RolledOver, 0, 0
		c.Positions[Place{staker, b.Index}] = p
	}
	delete(c.member, staker)
}

// Weight returns the µSTX of a signer manager in a cycle: all, and those without a bond.
func (c *Contract) Weight(signer string, cycle int64) (all, staked int64) {
	for at, s := range c.Shares[cycle] {
		if s.Signer == signer {
			all += s.USTX
			if at.Bond == NoBond {
				staked += s.USTX
			}
		}
	}
	return all, staked
}

// stakers returns the places of a cycle in order.
func (c *Contract) places(cycle int64) []Place {
	return slices.SortedFunc(maps.Keys(c.Shares[cycle]), func(one, other Place) int {
		return cmp.Or(cmp.Compare(one.Staker, other.Staker), cmp.Compare(one.Bond, other.Bond))
	})
}

var precision = big.NewInt(1_000_000_000_000_000_000)

// ratio returns ⌊amount·10^18/of⌋; 0 for nothing.
func ratio(amount, of int64) *big.Int {
	if of == 0 {
		return new(big.Int)
	}
	n := new(big.Int).Mul(big.NewInt(amount), precision)
	return n.Quo(n, big.NewInt(of))
}

// part returns ⌊shares·perToken/10^18⌋.
func part(shares int64, perToken *big.Int) int64 {
	n := new(big.Int).Mul(big.NewInt(shares), perToken)
	return n.Quo(n, precision).Int64()
}

// print counts an event.
func (c *Contract) print(v clarity.Value) []clarity.Value {
	c.Events++
	return []clarity.Value{v}
}
