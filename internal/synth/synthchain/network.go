package synthchain

import (
	"fmt"

	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/domain/transaction"
)

// Network is the kind of chain that is made up: it decides addresses and the chain id.
type Network uint8

// The networks.
const (
	Mainnet Network = iota
	Testnet
)

// ParseNetwork reads mainnet or testnet.
func ParseNetwork(s string) (Network, error) {
	switch s {
	case "mainnet":
		return Mainnet, nil
	case "testnet":
		return Testnet, nil
	}
	return 0, fmt.Errorf("unknown network %q: want mainnet or testnet", s)
}

// String is mainnet or testnet.
func (n Network) String() string {
	if n == Mainnet {
		return "mainnet"
	}
	return "testnet"
}

func (n Network) mainnet() bool { return n == Mainnet }

func (n Network) stacks() transaction.Network {
	if n == Mainnet {
		return transaction.Mainnet
	}
	return transaction.Testnet
}

func (n Network) bitcoin() bitcoin.Network {
	if n == Mainnet {
		return bitcoin.Mainnet
	}
	return bitcoin.Testnet
}

// boot is the address that owns the contracts which come with the chain.
func (n Network) boot() c32.Address {
	if n == Mainnet {
		return c32.Address{Version: c32.MainnetSingle}
	}
	return c32.Address{Version: c32.TestnetSingle}
}
