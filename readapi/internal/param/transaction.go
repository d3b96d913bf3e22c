package param

import (
	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

// ArgumentsInput says whether the arguments of contract calls are shown.
type ArgumentsInput struct {
	ExcludeFunctionArgs bool `query:"exclude_function_args" default:"false" doc:"Omit the arguments of contract calls."`
}

// TransactionOptions are the parameters for how transactions are shown.
type TransactionOptions struct {
	Unanchored          bool `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	ExcludeFunctionArgs bool `query:"exclude_function_args" default:"false" doc:"Omit the arguments of contract calls."`
}

// TransactionInput names a transaction.
type TransactionInput struct {
	ID HashParameter `path:"tx_id" doc:"The id of a transaction."`
}

// Dependencies returns the tip of the chain, and what the mempool has of the transaction.
func (in *TransactionInput) Dependencies() engine.Dependencies {
	d := engine.OnTip("chain")
	if id, err := in.ID.Hash(); err == nil {
		d = d.With("mempool", shard.Transaction(id))
	}
	return d
}
