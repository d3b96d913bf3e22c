// Package node says what kind of node the posts seem to come from: its release and its network.
package node

import "fmt"

// Generation is the range of node releases that the posts imitate. It decides names and presence of fields, and habits
// such as reporting the events of failed transactions. Generations are ordered.
type Generation uint8

// The generations, named after the first release of each. The zero value stands for the newest.
const (
	Newest Generation = iota
	V205              // block costs; no Bitcoin operation objects, no memos in events, boot receipts may be in block 1
	V21               // forced unlock heights, miner addresses, memos, Bitcoin operation objects
	V25               // reward sets and signer bit vectors; the last one with microblocks
	V30               // Nakamoto: block times, tenure heights, signer signatures
	V3109             // consensus hashes, parents of burn blocks, vm_error, contract_interface instead of contract_abi
	V34               // commit details in burn blocks; no events of aborted transactions, no decoded values
	V40               // pox-5 unlock heights, skipped problematic transactions
)

var generationNames = [...]string{"newest", "2.05", "2.1", "2.5", "3.0", "3.1.0.0.9", "3.4", "4.0"}

// String returns the number of the release.
func (g Generation) String() string {
	if int(g) < len(generationNames) {
		return generationNames[g]
	}
	return fmt.Sprintf("generation(%d)", uint8(g))
}

// Generations returns all generations, oldest first.
func Generations() []Generation { return []Generation{V205, V21, V25, V30, V3109, V34, V40} }
