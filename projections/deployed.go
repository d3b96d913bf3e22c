package projections

import (
	"bytes"
	"slices"
	"sync"

	"strata/domain/contract"
	"strata/domain/fetch"
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

// deployments are those of a block. Interfaces are long, and several projections ask for each.
type deployments struct {
	mu  sync.Mutex
	all map[int]Deployed // nil until they are read
}

// Deployments returns what came with the deployments of the block, by the index of the transaction. They are read at the first
// call. The caller must not change them.
func (b *Block) Deployments() map[int]Deployed {
	b.deployments.mu.Lock()
	defer b.deployments.mu.Unlock()
	if b.deployments.all != nil {
		return b.deployments.all
	}
	all := map[int]Deployed{}
	for i := range b.Transactions {
		if tx := &b.Transactions[i]; len(tx.ContractInterface) > 0 {
			all[tx.Index] = deployedAs(tx.ContractInterface)
		}
	}
	b.deployments.all = all // not before: if reading panics, it does so for each who asks
	return all
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
	d.Functions = FunctionKeys(parsed)
	return d
}

// FunctionKeys returns the distinct keys of the functions of an interface, in ascending order.
func FunctionKeys(of *contract.Interface) (keys [][]byte) {
	for i := range of.Functions {
		named, whole := of.Functions[i].Keys()
		keys = append(keys, named[:], whole[:])
	}
	slices.SortFunc(keys, bytes.Compare)
	return slices.CompactFunc(keys, bytes.Equal)
}

// FetchedInterface is the interface of a contract as a node answered a request for it. Nodes with disable_contract_interface
// leave interfaces out of their events, and the projections of tokens want those of all contracts, because only the interface
// says which is a token.
type FetchedInterface struct {
	Seq            int64 // of the report
	Contract, Text string
	Functions      [][]byte // as in Deployed
}

// FetchedInterfaceOf returns the interface that a report brings; ok is false for any other item.
func FetchedInterfaceOf(item LogItem) (i FetchedInterface, ok bool) {
	report, ok := item.Record.(*fetch.Report)
	if !ok || report.Want.Kind != fetch.ContractInterface {
		return i, false
	}
	read, problem := token.ReadInterface(report)
	if problem != nil {
		return i, false
	}
	e, _ := report.Last()
	return FetchedInterface{item.Seq, Text(report.Want.Contract), Text(string(e.Body)), FunctionKeys(read)}, true
}
