package transaction

import (
	"strata/domain/microblock"
)

// PoisonMicroblock proves that a miner signed two conflicting microblocks.
type PoisonMicroblock struct {
	Headers [2]microblock.Header
}

func readPoisonMicroblock(r *reader) *PoisonMicroblock {
	p := new(PoisonMicroblock)
	for i := range p.Headers {
		start := r.off
		b := r.take(microblock.HeaderSize, "microblock header")
		if b == nil {
			break
		}
		var err error
		if p.Headers[i], err = microblock.Decode(b); err != nil {
			r.fail("microblock header", start, err)
		}
	}
	return p
}

// ID returns PoisonMicroblockID.
func (p *PoisonMicroblock) ID() PayloadID { return PoisonMicroblockID }

func (p *PoisonMicroblock) appendTo(dst []byte) []byte {
	dst = append(dst, byte(PoisonMicroblockID))
	for i := range p.Headers {
		dst = p.Headers[i].Append(dst)
	}
	return dst
}

func (p *PoisonMicroblock) validate() error { return nil }

func (p *PoisonMicroblock) sizeHint() int { return 1 + len(p.Headers)*microblock.HeaderSize }
