package page

import (
	"strata/readapi/internal/engine"
)

// ErrNoCursor answers a request for a list of blocks whose cursor is not in the list.
var ErrNoCursor = &engine.Error{Code: engine.CodeNotFound, Message: "Cursor not found"}
