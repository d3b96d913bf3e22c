// Package step has the codes of the lists of steps that the projections chain and ordinals write. Other projections fold
// the steps, and the API streams them.
package step

// Kind says what a step does. Tables hold its number.
type Kind int16

// Kinds of steps.
const (
	Apply  Kind = 1  // applies a block on top of the chain
	Revert Kind = -1 // reverts the block at the top
	// TakeRecord takes a record in at its place among the blocks.
	TakeRecord Kind = 0
)

// String returns what logs and errors call the kind.
func (k Kind) String() string {
	switch k {
	case Revert:
		return "revert"
	case TakeRecord:
		return "record"
	}
	return "apply"
}
