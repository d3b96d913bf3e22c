package follow

import (
	"errors"
	"fmt"

	"strata/projections"
)

// errMoved is returned by apply when the position in the database is not the expected one: another process has applied
// these items, or a commit succeeded whose answer was lost.
var errMoved = errors.New("the position was moved by somebody else")

// FoldError says what stopped a projection: which item, and why.
type FoldError struct {
	Projection projections.Schema
	Position   int64
	LogSeq     int64
	Err        error
}

func (e *FoldError) Error() string {
	return fmt.Sprintf("projection %s stopped at position %d (event %d of the log): %v; "+
		"see /audit/v1/events/%d, then resume it with: strata projections resume %s",
		e.Projection, e.Position, e.LogSeq, e.Err, e.LogSeq, e.Projection.Name)
}

func (e *FoldError) Unwrap() error { return e.Err }
