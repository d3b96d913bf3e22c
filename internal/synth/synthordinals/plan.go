package synthordinals

import (
	"strata/domain/hash"
	"strata/domain/ordinals"
)

// plan is a Bitcoin transaction before it is mined. It is the same on every branch where its inputs exist; its effect
// depends on the block that includes it.
type plan struct {
	id        hash.Hash32
	inputs    []input
	payees    []payee // outputs; the rest of the inputs is the fee
	envelopes []*envelope
}

// input spends a known output, or fresh sats.
type input struct {
	from  outpoint
	value uint64
	fresh *stretch // nil for an output that the world knows
}

// payee is a planned output.
type payee struct {
	value   uint64
	address string
	script  string // only without an address
}

// envelope is an inscription before it is mined.
type envelope struct {
	input       uint32
	pointer     *uint64 // position in the outputs; nil for the first sat of the input
	onNoSat     bool    // unbound
	hops        uint64  // earlier moves of the sat, if it is fresh
	flaw        curse
	contentType string // as posted, perhaps with NULs
	mime        string // as readers see it
	content     []byte
	refs        []ordinals.InscriptionID // references in the content
	protocol    string
	metadata    metadata
	parents     []ordinals.InscriptionID
	delegate    ordinals.InscriptionID // empty for none
	token       *tokenText             // nil for none
}

// inValue returns the sum of the inputs.
func (p *plan) inValue() uint64 {
	sum := uint64(0)
	for _, in := range p.inputs {
		sum += in.value
	}
	return sum
}

// outValue returns the sum of the outputs.
func (p *plan) outValue() uint64 {
	sum := uint64(0)
	for _, out := range p.payees {
		sum += out.value
	}
	return sum
}
