package nodejson

import (
	"slices"

	"strata/internal/synth/draw"
	"strata/internal/synth/synthchain/internal/node"
)

// Encoder encodes the bodies of the posts of one chain. It is not safe for concurrent use.
type Encoder struct {
	Generation      node.Generation
	StartBurnHeight uint64
	Schedule        *node.Schedule // of the epochs; nil for a chain that stays in one
	Random          draw.Source    // orders the lists whose order nodes do not promise
	buffer          []byte         // reused
}

// finish returns a copy of an encoded body, whose memory the next body reuses.
func (e *Encoder) finish(body []byte) []byte {
	e.buffer = body
	return slices.Clone(body)
}
