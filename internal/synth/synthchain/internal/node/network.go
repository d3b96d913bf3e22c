package node

import (
	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/domain/transaction"
)

// Network is the kind of chain. It decides the chain id and the versions of addresses.
type Network uint8

// The networks.
const (
	Mainnet Network = iota
	Testnet
)

// String returns "mainnet" or "testnet".
func (n Network) String() string {
	if n == Mainnet {
		return "mainnet"
	}
	return "testnet"
}

// Stacks returns the network in the form of transactions.
func (n Network) Stacks() transaction.Network {
	if n == Mainnet {
		return transaction.Mainnet
	}
	return transaction.Testnet
}

// Bitcoin returns the Bitcoin network that the chain is anchored in.
func (n Network) Bitcoin() bitcoin.Network {
	if n == Mainnet {
		return bitcoin.Mainnet
	}
	return bitcoin.Testnet
}

// Boot returns the address that owns the boot contracts.
func (n Network) Boot() c32.Address {
	if n == Mainnet {
		return c32.Address{Version: c32.MainnetSingle}
	}
	return c32.Address{Version: c32.TestnetSingle}
}
