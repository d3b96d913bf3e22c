package synthordinals

import (
	"strata/domain/hash"
	"strata/domain/ordinals"
)

// plan is a Bitcoin transaction as it waits to be mined: it says the same on every branch where its inputs exist. What it
// does depends on the block that it gets into.
type plan struct {
	id        hash.Hash32
	inputs    []input
	payees    []payee // outputs; what is left is the fee
	envelopes []*envelope
}

// input is an output that is spent, or sats that nobody knew of.
type input struct {
	from  outpoint
	value uint64
	fresh *stretch // nil for an output that the world knows
}

// payee is an output to be.
type payee struct {
	value   uint64
	address string
	script  string // for want of an address
}

// envelope is an inscription before it is mined.
type envelope struct {
	input       uint32
	pointer     *uint64 // position in the outputs; nil for the first sat of the input
	onNoSat     bool    // unbound
	hops        uint64  // of the sat, if it is fresh
	flaw        curse
	contentType string // as told, perhaps with NULs
	mime        string // what readers are told
	content     []byte
	refs        []ordinals.InscriptionID // in the content
	protocol    string
	metadata    metadata
	parents     []ordinals.InscriptionID
	delegate    ordinals.InscriptionID // empty for none
	token       *tokenText             // nil for none
}

// inValue is the sum of the inputs.
func (p *plan) inValue() uint64 {
	sum := uint64(0)
	for _, in := range p.inputs {
		sum += in.value
	}
	return sum
}

// outValue is the sum of the outputs.
func (p *plan) outValue() uint64 {
	sum := uint64(0)
	for _, out := range p.payees {
		sum += out.value
	}
	return sum
}
