package audit

import (
	"strata/readapi/internal/engine"
)

var tracedNegative = &engine.TraceTable{
	Projection: "balances", Name: "negative_balance", Key: "account asset height", Values: "balance:text cause",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
}
