package vm

import (
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
)

// Operation is a transaction, or an operation on Bitcoin that nodes post as one. It can be executed on several
// branches, with different outcomes.
type Operation struct {
	Origin, Sponsor *account.Account // nil if no account sent it
	Nonce           uint64           // of the origin
	SponsorNonce    uint64
	Fee             uint64
	Payload         transaction.Payload
	Raw             []byte
	Replaces        *Operation // an earlier transaction with a lower fee; usually nil
	Txid            hash.Hash32
	Needs           func(*Execution) bool // further conditions to be mined, besides nonces and fee; nil for none
	Run             Run
}

// Run executes what an operation does, besides its fee and nonces.
type Run func(*Execution) nodejson.Outcome

// payer returns the account that pays the fee.
func (o *Operation) payer() *account.Account {
	if o.Sponsor != nil {
		return o.Sponsor
	}
	return o.Origin
}

// Minable reports whether a miner may include the operation now.
func (x *Execution) Minable(o *Operation) bool {
	if o.Origin != nil {
		if x.Nonce.Get(o.Origin.Party) != o.Nonce || x.Spendable(o.payer().Party) < o.Fee {
			return false
		}
		if o.Sponsor != nil && x.Nonce.Get(o.Sponsor.Party) != o.SponsorNonce {
			return false
		}
	}
	return o.Needs == nil || o.Needs(x)
}

// Execute executes the operation, which must be minable. The receipt has no cost yet.
func (x *Execution) Execute(o *Operation) *nodejson.Receipt {
	if o.Origin != nil {
		x.Nonce.Set(o.Origin.Party, o.Nonce+1)
		if o.Sponsor != nil {
			x.Nonce.Set(o.Sponsor.Party, o.SponsorNonce+1)
		}
		if o.Fee > 0 {
			x.Debit(o.payer().Party, o.Fee)
			x.Count(ledger.TotalFees, o.Fee)
		}
	}
	x.events = nil
	mark, attached := x.Mark(), len(x.Attached)
	out := o.Run(x)
	r := &nodejson.Receipt{Txid: o.Txid, Raw: o.Raw, Outcome: out}
	switch out.Status {
	case nodejson.Success:
		r.Events = x.events
		for i := range x.Attached[attached:] {
			x.Attached[attached+i].Txid = o.Txid
		}
	case nodejson.AbortByPostCondition:
		x.Attached = x.Attached[:attached]
		x.Rollback(mark)
		if x.Generation < node.V34 {
			r.Events = x.events
		}
	default:
		x.Attached = x.Attached[:attached]
		x.Rollback(mark)
	}
	return r
}
