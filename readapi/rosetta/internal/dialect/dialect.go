// Package dialect has the two forms in which answers are written: that of stacks-mesh-api, and that of stacks-blockchain-api
// before it. They name operations, errors and block hashes differently, and mean the same.
package dialect

import (
	"strata/domain/bitcoin"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

// Dialect is a form of answers.
type Dialect struct {
	// Legacy is the form of stacks-blockchain-api; otherwise it is that of stacks-mesh-api.
	Legacy bool
	// IndexHash says that blocks are named by their index block hashes instead of their block hashes. Requests may use
	// either.
	IndexHash bool
	// StackingAmounts gives stacking reports an amount, as stacks-mesh-api 0.7 does. Balances can't be reconciled then.
	StackingAmounts bool
	// Bitcoin is the network of Bitcoin addresses.
	Bitcoin bitcoin.Network
}

// RosettaVersion is the version of the standard that answers follow.
func (d *Dialect) RosettaVersion() string {
	if d.Legacy {
		return "1.4.6"
	}
	return "1.5.1"
}

// BlockIdentifier returns the identifier of a block.
func (d *Dialect) BlockIdentifier(id ledger.ID) wire.BlockIdentifier {
	return wire.BlockIdentifier{Index: id.Index, Hash: d.BlockHash(id)}
}

// BlockHash returns the hash by which a block is named.
func (d *Dialect) BlockHash(id ledger.ID) string {
	if d.IndexHash {
		return id.IndexHash.String()
	}
	return id.Hash.String()
}
