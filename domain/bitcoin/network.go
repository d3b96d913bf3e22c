package bitcoin

// Network holds the prefixes by which an address text belongs to one Bitcoin network.
type Network struct {
	PubKeyHash byte   // base58check version of P2PKH
	ScriptHash byte   // base58check version of P2SH
	HRP        string // human-readable part of bech32 addresses
}

// The networks that Stacks runs on. Testnet and Regtest differ only in their bech32 addresses.
var (
	Mainnet = Network{PubKeyHash: 0, ScriptHash: 5, HRP: "bc"}
	Testnet = Network{PubKeyHash: 111, ScriptHash: 196, HRP: "tb"}
	Regtest = Network{PubKeyHash: 111, ScriptHash: 196, HRP: "bcrt"}
)
