// Package vm executes operations and enforces the rules of STX, tokens and stacking: it changes the ledger and returns
// outcomes and events. It decides nothing at random, so an operation can be executed on several branches.
package vm

import (
	"strata/domain/clarity"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
)

// Rules are what all executions of a chain have in common.
type Rules struct {
	Generation      node.Generation
	Network         node.Network
	Roll            *ledger.Roll
	StartBurnHeight uint64
	RewardCycle     uint64            // burn blocks
	Schedule        *node.Schedule    // of the epochs; nil for a chain that stays in the epoch of its generation
	Zonefiles       map[string][]byte // that accounts wrote, by the bytes of their hashes
}

// Execution runs operations on top of one block: it changes the ledger and collects events.
type Execution struct {
	*ledger.Ledger
	*Rules
	Epoch    node.Epoch
	Height   uint64 // of the block that is being built
	Burn     uint64 // the burn height that decides whether locks have ended
	Nakamoto bool
	Clock    uint64 // what Clarity 1 calls block-height: the height before Nakamoto, the number of tenures since
	// Attached are the zonefiles that the naming system announced in the block.
	Attached []Attached
	events   []nodejson.Event
}

// EpochAt returns the epoch of a block with a burn height.
func (r *Rules) EpochAt(burn uint64) node.Epoch {
	if r.Schedule == nil {
		return r.Generation.Epoch()
	}
	return r.Schedule.At(burn)
}

// Spendable returns the microSTX that a party can spend now.
func (x *Execution) Spendable(p ledger.Party) uint64 {
	return x.Available(p, x.Until(x.Lock.Get(p)), x.Burn)
}

// Until returns the burn height at which a lock ends: its own, or that at which all locks of its contract end.
func (r *Rules) Until(l ledger.Lock) uint64 {
	if r.Schedule == nil {
		return l.Until
	}
	for i, height := range r.Schedule.Unlocks() {
		if l.Contract == r.stackingContract(i+1) {
			return min(l.Until, height)
		}
	}
	return l.Until
}

// Establish adds a contract to the ledger. It can be called if it has a template.
func (x *Execution) Establish(p ledger.Party, t *contracts.Template) {
	x.Deployed.Set(p, t)
	if t != nil {
		x.Contract.Set(int(x.Total.Get(ledger.TotalContracts).Lo), p)
		x.Count(ledger.TotalContracts, 1)
	}
}

// Print emits the event of a value that a contract prints.
func (x *Execution) Print(contract ledger.Party, value clarity.Value) {
	x.emit(nodejson.Print(x.Generation, x.text(contract), value))
}

// ItemID returns the id of a non-fungible token.
func (x *Execution) ItemID(i ledger.Item) clarity.Value {
	return x.Deployed.Get(i.Contract).Item(i.Number)
}

func (x *Execution) emit(e nodejson.Event) { x.events = append(x.events, e) }

func (x *Execution) text(p ledger.Party) string { return x.Roll.Text(p) }

// asset returns the asset identifier of a contract's token.
func (x *Execution) asset(contract ledger.Party) string {
	return x.text(contract) + "::" + x.Deployed.Get(contract).Asset
}
