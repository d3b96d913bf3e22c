package reads

import (
	"fmt"
	"iter"

	"strata/cmd/bench/internal/bench"
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthblock"
	"strata/internal/synth/value"
)

const (
	// blockSize is the number of transactions of a block.
	blockSize = 2000
	// burnFrom is the height of the Bitcoin block of genesis.
	burnFrom = 800_000
	// ledgerRows is the number of changes of balances in a transaction: its fee, and the two sides of a transfer.
	ledgerRows = 3
)

// transfersWorld is a chain of so many transfers, numbered from 0. Of each ten, one comes from account 0, and goes to one of three
// other accounts, which appear with it, and send the rest.
type transfersWorld struct{ Transactions int }

func (w transfersWorld) accounts() int { return 1 + 3*((w.Transactions+9)/10) }

func (w transfersWorld) blocks() int { return (w.Transactions + blockSize - 1) / blockSize }

func blockName(height int) string { return fmt.Sprint("b", height) }

func (transfersWorld) txid(n int) string {
	return synthblock.TxID("", blockName(1+n/blockSize), n%blockSize).String()
}

func (transfersWorld) blockHash(height int) string {
	return synthblock.Hash("header %s", blockName(height)).String()
}

// transfer returns the parties of a transfer, its amount in microSTX, and the sender's nonce.
func (w transfersWorld) transfer(n int) (from, to, amount, nonce int) {
	group, place := n/10, n%10
	switch {
	case place == 0:
		from, to, amount, nonce = 0, 3*group+1, 1_000_000_000, group
	case place%3 == 0 && place < 9: // it pays the next one of the three
		from, to, amount, nonce = 3*group+place/3, 3*group+place/3+1, 1_000_000_000-100_000_000*place, 2
	default:
		from, to, amount, nonce = 3*group+1+min((place-1)/3, 2), 1+n*7919%(w.accounts()-1), 1000+n%1000, (place-1)%3
	}
	return from, to, amount, nonce
}

// posts returns the chain as a node posts it.
func (w transfersWorld) posts() iter.Seq[simulate.Post] {
	return func(yield func(simulate.Post) bool) {
		for height := range w.blocks() + 1 {
			b := synthblock.Block{Name: blockName(height), Height: int64(height), BurnHeight: int64(burnFrom + height)}
			b.Members = map[string]any{"block_time": synthblock.BurnTime(b.BurnHeight) + 5}
			if height == 0 { // account 0 gets all that it will send
				mint := transfer(0, 0, 1, 0)
				mint.Events = []synthblock.Event{{Type: "stx_mint_event", Data: map[string]any{
					"recipient": bench.Account(0), "amount": fmt.Sprint(w.Transactions * 200_000_000),
				}}}
				b.Transactions = []synthblock.Transaction{mint}
			} else {
				b.Parent = blockName(height - 1)
				for n := (height - 1) * blockSize; n < min(height*blockSize, w.Transactions); n++ {
					b.Transactions = append(b.Transactions, transfer(w.transfer(n)))
				}
			}
			if !yield(b.Post()) {
				return
			}
		}
	}
}

func transfer(from, to, amount, nonce int) synthblock.Transaction {
	draft := transaction.Draft{Network: transaction.Mainnet, Nonce: uint64(nonce), Fee: 180}
	tx := value.Must(draft.TokenTransfer(clarity.Principal{Address: bench.Address(to)}, uint64(amount), ""))
	tx.Origin.Signer = bench.Address(from).Hash160
	return synthblock.Transaction{Raw: tx.Encode(), Events: []synthblock.Event{{Type: "stx_transfer_event", Data: map[string]any{
		"sender": bench.Account(from), "recipient": bench.Account(to), "amount": fmt.Sprint(amount), "memo": "",
	}}}}
}
