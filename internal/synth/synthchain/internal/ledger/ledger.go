// Package ledger holds what is true on a branch of the chain: balances, nonces, locks, tokens, contracts, unpaid
// rewards. Its changes can be undone and done again. It knows no rules; package vm does.
package ledger

import (
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthnames"
	"strata/internal/synth/synthstaking"
	"strata/internal/synth/undo"
)

// Ledger is the true state of the chain at one block.
type Ledger struct {
	undo.Log

	Balance  undo.Table[Party, uint64] // microSTX, locked ones included
	Nonce    undo.Table[Party, uint64] // the next nonce
	Lock     undo.Table[Party, Lock]
	Token    undo.Table[Holding, Amount]
	Supply   undo.Table[Party, Amount]              // of the token of a contract
	Owner    undo.Table[Item, Party]                // of a non-fungible token
	NextItem undo.Table[Party, uint64]              // of a contract: all its items have lower numbers
	Deployed undo.Table[Party, *contracts.Template] // nil for a boot contract
	Contract undo.Table[int, Party]                 // contracts that can be called, by number
	Total    undo.Table[Counter, Amount]
	Reward   undo.Table[uint64, *Reward] // unpaid rewards, by tenure

	Staking  *undo.Cell[*synthstaking.Contract] // pox-5; never changed in place
	Registry *undo.Cell[*synthnames.State]      // BNS-V2; never changed in place; nil before its airdrop

	Namespace undo.Table[string, Namespace]
	Name      undo.Table[string, Name]  // with its namespace: "bob.btc"
	NameOf    undo.Table[Party, string] // the name that a principal got last
}

// Lock is an amount of STX that cannot be spent. The last lock event of an account decides.
type Lock struct {
	Amount   uint64
	Until    uint64 // burn block height
	Contract Party
}

// Holding names the token of a contract and an owner. Each contract has one token.
type Holding struct{ Contract, Owner Party }

// Item is one non-fungible token of a contract.
type Item struct {
	Contract Party
	Number   uint64
}

// Counter names a total.
type Counter uint8

// The totals.
const (
	TotalMinted      Counter = iota // by mint events
	TotalBurned                     // by burn events
	TotalCoinbase                   // paid to miners
	TotalFees                       // paid by senders
	TotalFeesPaid                   // of TotalFees, paid to miners
	TotalContracts                  // number of entries in Ledger.Contract
	TotalAttachments                // announced by the naming system
	TotalAccounted                  // sats of rewards that pox-5 has distributed
	TotalClaimed                    // sats of rewards that pox-5 has paid to signer managers
)

// Reward is the reward of a tenure until it matures. It is never changed in place.
type Reward struct {
	Miner, Recipient Party
	Producer         Party // mined the microblocks that the block confirmed
	Block, Index     hash.Hash32
	Coinbase         uint64
	Fees             uint64 // of the tenure's own transactions
	Streamed         uint64 // fees of the confirmed microblocks
	Reporter         Party  // reported that the miner signed two microblocks with one sequence; usually NoReporter
}

// NoReporter says in a reward that nobody reported its miner.
const NoReporter Party = -1

// New returns an empty ledger.
func New() *Ledger {
	l := new(Ledger)
	log := &l.Log
	l.Balance = undo.NewTable[Party, uint64](log)
	l.Nonce = undo.NewTable[Party, uint64](log)
	l.Lock = undo.NewTable[Party, Lock](log)
	l.Token = undo.NewTable[Holding, Amount](log)
	l.Supply = undo.NewTable[Party, Amount](log)
	l.Owner = undo.NewTable[Item, Party](log)
	l.NextItem = undo.NewTable[Party, uint64](log)
	l.Deployed = undo.NewTable[Party, *contracts.Template](log)
	l.Contract = undo.NewTable[int, Party](log)
	l.Total = undo.NewTable[Counter, Amount](log)
	l.Reward = undo.NewTable[uint64, *Reward](log)
	l.Staking = undo.NewCell[*synthstaking.Contract](log)
	l.Registry = undo.NewCell[*synthnames.State](log)
	l.Namespace = undo.NewTable[string, Namespace](log)
	l.Name = undo.NewTable[string, Name](log)
	l.NameOf = undo.NewTable[Party, string](log)
	return l
}

// Count adds n to a total.
func (l *Ledger) Count(c Counter, n uint64) { l.Total.Set(c, l.Total.Get(c).Add(NewAmount(n))) }

// Credit gives n microSTX to p.
func (l *Ledger) Credit(p Party, n uint64) { l.Balance.Set(p, l.Balance.Get(p)+n) }

// Debit takes n microSTX from p, which must have that much.
func (l *Ledger) Debit(p Party, n uint64) {
	have := l.Balance.Get(p)
	if have < n {
		panic("synthchain: balance below zero")
	}
	if have == n {
		l.Balance.Remove(p)
		return
	}
	l.Balance.Set(p, have-n)
}

// Available returns what p can spend in a block that sees burn height h, if its lock ends at until. Nodes and APIs disagree
// about the block at the unlock height itself; here the STX are still locked, to be on the safe side.
func (l *Ledger) Available(p Party, until, h uint64) uint64 {
	have := l.Balance.Get(p)
	lock := l.Lock.Get(p)
	if until < h {
		return have
	}
	if lock.Amount >= have {
		return 0
	}
	return have - lock.Amount
}

// GiveToken gives n tokens to owner.
func (l *Ledger) GiveToken(contract, owner Party, n Amount) {
	h := Holding{contract, owner}
	l.Token.Set(h, l.Token.Get(h).Add(n))
}

// TakeToken takes n tokens from owner, which must have that many.
func (l *Ledger) TakeToken(contract, owner Party, n Amount) {
	h := Holding{contract, owner}
	rest := l.Token.Get(h).Sub(n)
	if rest.IsZero() {
		l.Token.Remove(h)
		return
	}
	l.Token.Set(h, rest)
}
