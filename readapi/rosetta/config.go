// Package rosetta serves the open standard for blockchain integration (Rosetta, now Mesh) in two dialects: that of
// stacks-mesh-api under /mesh, and that of stacks-blockchain-api, which it came from, under /rosetta/v1.
//
// Package ledger reads blocks and balances, package construction builds transactions, and package dialect names what
// they return. This package decodes requests, checks them, and answers.
package rosetta

import (
	"net/http"

	"strata/domain/bitcoin"
	"strata/domain/transaction"
	"strata/readapi/rosetta/internal/dialect"
)

// Paths below which the dialects are served.
const (
	MeshPath   = "/mesh"
	LegacyPath = "/rosetta/v1"
)

// BlockHashes is a choice of the hash that names blocks in answers. Requests may always use either.
type BlockHashes string

// Choices of the hash.
const (
	HashesOfDialect BlockHashes = ""      // index block hash in mesh, block hash in legacy
	IndexHashes     BlockHashes = "index" // index block hash
	PlainHashes     BlockHashes = "block" // block hash
)

// Config configures the operations. The zero value of any field but Network means its default.
type Config struct {
	// Network is mainnet or testnet.
	Network string
	// ChainID is that of constructed transactions; default that of the public network.
	ChainID uint32
	// Version is the version of this program.
	Version string
	// NodeRPC forwards requests to Stacks nodes; nil for none. Without it, nonces come from the tables, fees are one µSTX
	// for each byte, and transactions can't be submitted.
	NodeRPC http.Handler
	// BlockHashes is the hash that names blocks.
	BlockHashes BlockHashes
	// StackingAmounts gives the stacking reports of the mesh dialect amounts, as stacks-mesh-api 0.7 does. Balances can't
	// be reconciled then.
	StackingAmounts bool
}

// mainnet is the name of the public network with real money.
const mainnet = "mainnet"

func (c *Config) bitcoin() bitcoin.Network {
	if c.Network == mainnet {
		return bitcoin.Mainnet
	}
	return bitcoin.Testnet
}

// network returns the network of constructed transactions.
func (c *Config) network() transaction.Network {
	network := transaction.Testnet
	if c.Network == mainnet {
		network = transaction.Mainnet
	}
	if c.ChainID != 0 {
		network.ChainID = c.ChainID
	}
	return network
}

// dialects returns the dialects with their paths.
func (c *Config) dialects() map[string]*dialect.Dialect {
	mesh := &dialect.Dialect{IndexHash: c.BlockHashes != PlainHashes, StackingAmounts: c.StackingAmounts, Bitcoin: c.bitcoin()}
	legacy := &dialect.Dialect{Legacy: true, IndexHash: c.BlockHashes == IndexHashes, Bitcoin: c.bitcoin()}
	return map[string]*dialect.Dialect{MeshPath: mesh, LegacyPath: legacy}
}
