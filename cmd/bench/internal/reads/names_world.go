package reads

import (
	"fmt"
	"iter"

	"strata/cmd/bench/internal/bench"
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthblock"
	"strata/internal/synth/synthnames"
	"strata/internal/synth/value"
)

// namesWorld has so many names in each registry: name00000001.id and on in the first one, and name00000001.free and on in
// the second one. The name with number i belongs to account i in both.
type namesWorld struct{ Names int }

const (
	firstRegistry = "SP000000000000000000002Q6VF78.bns"
	// airdropped is the number of older names in the second registry.
	airdropped = 8
	// namesOfBlock is the number of names that a block registers.
	namesOfBlock = 1000
)

func firstName(i int) string  { return fmt.Sprintf("name%08d", i) + ".id" }
func secondName(i int) string { return fmt.Sprintf("name%08d", i) + ".free" }

// posts returns a chain in which each name is registered by its owner. The first block has the namespaces.
func (w namesWorld) posts() iter.Seq[simulate.Post] {
	raw := value.Must(transaction.Draft{Network: transaction.Mainnet}.TokenTransfer(clarity.Principal{Address: bench.Address(1)}, 1, ""))
	return func(yield func(simulate.Post) bool) {
		airdrop, _ := synthnames.NewSimulator(1).Airdrop(burnFrom)
		first := synthblock.Transaction{Raw: raw.Encode(), Events: append([]synthblock.Event{synthblock.Print(firstRegistry, launch("id"))}, airdrop[0].Events...)}
		for height := 0; height*namesOfBlock < w.Names+namesOfBlock; height++ {
			b := synthblock.Block{
				Name: blockName(height), Height: int64(height), BurnHeight: int64(burnFrom + height),
				Members: map[string]any{"signer_bitvec": "000800000001ff", "signer_signature_hash": synthblock.Hash("signers")},
			}
			if height == 0 {
				b.Transactions = []synthblock.Transaction{first}
			} else {
				b.Parent = blockName(height - 1)
			}
			for i := 1 + (height-1)*namesOfBlock; height > 0 && i <= min(height*namesOfBlock, w.Names); i++ {
				tx := synthblock.Transaction{Raw: raw.Encode(), Events: append(register(i), synthnames.Claim(uint64(airdropped+i), secondName(i), bench.Account(i), b.BurnHeight)...)}
				b.Transactions = append(b.Transactions, tx)
			}
			if !yield(b.Post()) {
				return
			}
		}
	}
}

// launch returns what the first registry prints when a namespace is launched whose names never expire.
func launch(namespace string) clarity.Value {
	buckets := make([]clarity.Value, 16)
	for i := range buckets {
		buckets[i] = value.Uint(1)
	}
	return value.Tuple("namespace", value.Buffer(namespace), "status", "ready", "properties", value.Tuple(
		"namespace-import", value.Principal(bench.Account(0)), "revealed-at", 1, "launched-at", value.Some(1), "lifetime", 0, "can-update-price-function", true,
		"price-function", value.Tuple("buckets", value.Must(clarity.NewList(buckets...)), "base", 4, "coeff", 250, "nonalpha-discount", 10, "no-vowel-discount", 20)))
}

// register returns the events of the registration of name i in the first registry, without a zonefile.
func register(i int) []synthblock.Event {
	name, namespace := value.Buffer(firstName(i)[:len(firstName(i))-len(".id")]), value.Buffer("id")
	return []synthblock.Event{
		{Type: "nft_mint_event", Data: map[string]any{
			"asset_identifier": firstRegistry + "::names", "recipient": bench.Account(i), "raw_value": value.Tuple("name", name, "namespace", namespace).Hex(),
		}},
		synthblock.Print(firstRegistry, value.Tuple("attachment", value.Tuple("hash", value.Buffer(""), "attachment-index", i, "metadata",
			value.Tuple("name", name, "namespace", namespace, "tx-sender", value.Principal(bench.Account(i)), "op", "name-register")))),
	}
}
