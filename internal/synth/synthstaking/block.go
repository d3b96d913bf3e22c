package synthstaking

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthblock"
	"strata/internal/synth/value"
)

// Block is a Stacks block. Its hashes follow from its name.
type Block struct {
	Name, Parent string // the genesis block has no parent
	Height       int64
	BurnHeight   int64
	Contract     string            // who prints
	Prints       [][]clarity.Value // by transaction
	Members      map[string]any    // further members of the body
}

// TxID returns the id of a transaction of a block.
func TxID(block string, index int) string { return synthblock.TxID("", block, index).String() }

// Post returns the block as a node posts it.
func (b *Block) Post() simulate.Post {
	post := synthblock.Block{
		Name: b.Name, Parent: b.Parent, Height: b.Height, BurnHeight: b.BurnHeight,
		Members: map[string]any{"block_time": synthblock.BurnTime(b.BurnHeight) + 30},
	}
	maps.Copy(post.Members, b.Members)
	for _, prints := range b.Prints {
		tx := value.Must(transaction.Draft{Network: transaction.Testnet, Nonce: uint64(b.Height)}.Transaction(&transaction.Coinbase{}))
		if err := transaction.Sign(tx, key.FromSeed([]byte("caller"))); err != nil {
			panic(err)
		}
		printing := synthblock.Transaction{Raw: tx.Encode()}
		for _, v := range prints {
			printing.Events = append(printing.Events, synthblock.Print(b.Contract, v))
		}
		post.Transactions = append(post.Transactions, printing)
	}
	return post.Post()
}

// Set returns the members of the body of a block with the set of signers of a cycle: the µSTX of each key.
func Set(cycle int64, staked map[byte]int64) map[string]any {
	signers := []any{}
	for _, n := range slices.Sorted(maps.Keys(staked)) {
		ustx := staked[n]
		signers = append(signers, map[string]any{"signing_key": hex.EncodeToString(Key(n)), "stacked_amt": fmt.Sprint(ustx), "weight": ustx / 1_000_000_000})
	}
	return map[string]any{"cycle_number": cycle, "reward_set": map[string]any{"rewarded_addresses": []any{}, "signers": signers, "pox_ustx_threshold": nil}}
}
