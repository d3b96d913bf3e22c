package page

import (
	"strata/readapi/internal/engine"
)

// errNoCursor is the answer to a cursor of a list of blocks that is not in it.
var ErrNoCursor = &engine.Error{Code: engine.CodeNotFound, Message: "Cursor not found"}
