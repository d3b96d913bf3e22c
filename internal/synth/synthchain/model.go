package synthchain

import (
	"slices"

	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/undo"
)

// model is the true state of the chain at one block. It can move to any other block of the window.
type model struct {
	*ledger.Ledger
	at *block
}

// moveTo moves the model to block b. All blocks on the way must still have their changes.
func (m *model) moveTo(b *block) {
	if m.Mark() != 0 {
		panic("synthchain: the model has changes of an unfinished block")
	}
	var forward []*block
	for to := b; m.at != to; {
		if to.height >= m.at.height {
			forward = append(forward, to)
			to = to.parent
			continue
		}
		undo.All(m.at.changes)
		m.at = m.at.parent
	}
	for _, b := range slices.Backward(forward) {
		undo.Redo(b.changes)
	}
	m.at = b
}
