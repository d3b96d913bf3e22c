// Package shard says to which part of a projection a resource belongs, for those who note what changed (projections)
// and those who ask whether it did (the API). Both must agree on it: the numbers are in strata.shard.
package shard

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"strata/domain/hash"
)

// Count is how many shards each version of a projection has. With many, a change of one resource seldom makes another
// look changed; a reader holds eight bytes for each.
const Count = 1 << 16

// Of is the shard of the resource with this name: 0 to Count-1.
func Of(name string) int32 { return int32(xxhash.Sum64String(name) % Count) }

// Account names what an address or contract has and does.
func Account(principal string) string { return "account:" + principal }

// Height names the canonical block at a height.
func Height(height int64) string { return "height:" + strconv.FormatInt(height, 10) }

// Block names a block by its hash or its index block hash.
func Block(id hash.Hash32) string { return "block:" + string(id[:]) }

// Token names what a token of a contract is; id is decimal. What its contract is has the contract's name, see Account.
func Token(contract, id string) string { return "token:" + contract + ":" + id }

// Transaction names what is known of a transaction before it is mined, by its id.
func Transaction(id hash.Hash32) string { return "transaction:" + string(id[:]) }

// Mempool names the transactions that wait to be mined, all of them.
const Mempool = "mempool"

// Tokens names the list of all contracts and tokens of a kind, and what is counted of them.
const Tokens = "tokens"

// Bitcoin names the followed Bitcoin blocks, and the lists of what they pay.
const Bitcoin = "bitcoin"

// BitcoinAddress names what Bitcoin blocks pay to an address.
func BitcoinAddress(address string) string { return "bitcoin:" + address }

// Cycles names the reward cycles with their signers.
const Cycles = "cycles"

// StackingEvents names the events of a version of the stacking contract, 2 to 4.
func StackingEvents(version int) string { return "stacking:" + strconv.Itoa(version) }
