package projections

import (
	"bytes"
	"slices"
	"sync"

	"strata/domain/contract"
	"strata/domain/token"
)

// Deployed is what the interface that came with a deployment says of the contract.
type Deployed struct {
	// Known is whether an interface came. An interface that can't be read is known, and says nothing.
	Known bool
	// Recognised is the standard of tokens that the contract follows; its Kind is empty for none.
	Recognised token.Recognised
	// Functions are the distinct keys of the functions, in ascending order; empty without an interface.
	Functions [][]byte
}

// deployments are those of a block, by transaction. Interfaces are long, and several projections ask for each.
type deployments struct {
	once sync.Once
	all  map[int]Deployed
}

// Deployed returns what came with the deployment that the transaction with an index makes.
func (b *Block) Deployed(tx int) Deployed {
	b.ReadDeployments()
	return b.deployments.all[tx]
}

// ReadDeployments reads the interfaces of the block, which Deployed does otherwise when it is called first.
func (b *Block) ReadDeployments() {
	b.deployments.once.Do(func() {
		b.deployments.all = map[int]Deployed{}
		for i := range b.Transactions {
			if len(b.Transactions[i].ContractInterface) > 0 {
				b.deployments.all[b.Transactions[i].Index] = deployedAs(b.Transactions[i].ContractInterface)
			}
		}
	})
}

func deployedAs(text []byte) (d Deployed) {
	parsed, err := contract.Parse(text)
	if err != nil {
		return Deployed{Known: true}
	}
	if parsed == nil {
		return d
	}
	d.Known = true
	d.Recognised, _ = token.Recognise(parsed)
	for i := range parsed.Functions {
		named, whole := parsed.Functions[i].Keys()
		d.Functions = append(d.Functions, named[:], whole[:])
	}
	slices.SortFunc(d.Functions, bytes.Compare)
	d.Functions = slices.CompactFunc(d.Functions, bytes.Equal)
	return d
}
