package synthchain

import "strata/internal/synth/synthchain/internal/node"

// Network is the kind of chain. It decides the chain id and the versions of addresses.
type Network = node.Network

// The networks.
const (
	Mainnet = node.Mainnet
	Testnet = node.Testnet
)

// Generation is the range of node releases that the posts imitate. It decides names and presence of fields, and habits
// such as reporting the events of failed transactions. Generations are ordered.
type Generation = node.Generation

// The generations. Package node says what each of them brought. The zero value stands for the newest.
const (
	Newest = node.Newest
	V205   = node.V205
	V21    = node.V21
	V25    = node.V25
	V30    = node.V30
	V3109  = node.V3109
	V34    = node.V34
	V40    = node.V40
)

// Generations returns all generations, oldest first.
func Generations() []Generation { return node.Generations() }
