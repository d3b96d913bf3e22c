// Package shard maps a resource to a part of a projection, its shard. A projection notes in which shards it changed
// something, and the API asks whether a shard changed. The shard numbers are in the database, so both must compute the
// same number.
package shard

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"strata/domain/hash"
)

// Count is the number of shards of each version of a projection. With many shards, a change of one resource seldom
// makes another resource look changed. A reader holds eight bytes for each shard.
const Count = 1 << 16

// Of returns the shard of the resource with the given name: 0 to Count-1.
func Of(name string) int32 { return int32(xxhash.Sum64String(name) % Count) }

// Account names the state and the activity of an address or a contract.
func Account(principal string) string { return "account:" + principal }

// Height names the canonical block at a height.
func Height(height int64) string { return "height:" + strconv.FormatInt(height, 10) }

// Block names a block by its hash or its index block hash.
func Block(id hash.Hash32) string { return "block:" + string(id[:]) }

// Token names a token of a contract; id is decimal. The contract itself has the name from Account.
func Token(contract, id string) string { return "token:" + contract + ":" + id }

// Transaction names, by the transaction's id, what is known of a transaction before it is mined.
func Transaction(id hash.Hash32) string { return "transaction:" + string(id[:]) }

// Mempool names all transactions that wait to be mined.
const Mempool = "mempool"

// Tokens names the list of all contracts and tokens of a kind, and their counts.
const Tokens = "tokens"

// Bitcoin names the followed Bitcoin blocks, and the lists of their payments.
const Bitcoin = "bitcoin"

// BitcoinAddress names the payments of Bitcoin blocks to an address.
func BitcoinAddress(address string) string { return "bitcoin:" + address }

// Cycles names the reward cycles with their signers.
const Cycles = "cycles"

// StackingEvents names the events of a version of the stacking contract, 2 to 4.
func StackingEvents(version int) string { return "stacking:" + strconv.Itoa(version) }
