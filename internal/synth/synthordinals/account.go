package synthordinals

import (
	"crypto/sha256"
	"encoding/binary"

	"strata/domain/bitcoin"
	"strata/domain/ordinals"
)

// newAddresses derives addresses of all kinds from the seed. Nobody has their keys.
func newAddresses(cfg Config) []string {
	network := bitcoin.Testnet // also for signet
	switch cfg.Network {
	case ordinals.Mainnet:
		network = bitcoin.Mainnet
	case ordinals.Regtest:
		network = bitcoin.Regtest
	}
	all := make([]string, cfg.Accounts)
	for i := range all {
		seed := binary.BigEndian.AppendUint64([]byte("ordinals"), cfg.Seed)
		digest := sha256.Sum256(binary.BigEndian.AppendUint64(seed, uint64(i)))
		address := bitcoin.Address{Kind: bitcoin.Witness, Version: 1, Hash: digest[:]}
		switch i % 6 {
		case 1:
			address = bitcoin.Address{Kind: bitcoin.Witness, Hash: digest[:20]}
		case 2:
			address = bitcoin.Address{Kind: bitcoin.ScriptHash, Hash: digest[:20]}
		case 3:
			address = bitcoin.Address{Kind: bitcoin.PubKeyHash, Hash: digest[:20]}
		}
		text, ok := address.Text(network)
		if !ok {
			panic("synthordinals: an address has no text")
		}
		all[i] = text
	}
	return all
}
