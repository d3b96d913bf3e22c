package serve

import (
	"fmt"
	"strconv"

	"strata/domain/transaction"
)

// chainID is the chain id of a network (SIP-005), in decimal or, after 0x, in hex; 0 stands for that of --network. A
// developer network may have any but mainnet's: it has the addresses of testnet.
type chainID uint32

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *chainID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = 0
		return nil
	}
	n, err := strconv.ParseUint(string(text), 0, 32)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a chain id: want a number from 1 to 0xffffffff, such as 0x80000000", text)
	}
	*id = chainID(n)
	return nil
}

// check returns an error if the id belongs to another network than the one of that name.
func (id chainID) check(network string) error {
	switch {
	case uint32(id) == transaction.Mainnet.ChainID && network != "mainnet":
		return fmt.Errorf("--chain-id: %#x is that of mainnet, and --network is %s", uint32(id), network)
	case uint32(id) == transaction.Testnet.ChainID && network == "mainnet":
		return fmt.Errorf("--chain-id: %#x is that of testnet, and --network is mainnet", uint32(id))
	}
	return nil
}

// of returns the id, or by default the one of the network of that name.
func (id chainID) of(network string) uint32 {
	switch {
	case id != 0:
		return uint32(id)
	case network == "mainnet":
		return transaction.Mainnet.ChainID
	}
	return transaction.Testnet.ChainID
}
