package view

import (
	"slices"

	"strata/domain/contract"
	"strata/domain/transaction"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/engine"
)

// interfaceBytes bounds the memory for interfaces of contracts that were decoded.
const interfaceBytes = 8 << 20

// interfaceMemory keeps interfaces, decoded, by the names of contracts. What a deployment made never changes; there may be
// several of a contract, on different forks.
type interfaceMemory struct {
	decoded *cache.Memory[string, []deployment]
}

// deployment is a contract that was deployed successfully.
type deployment struct {
	RowKey
	decoded *contract.Interface // nil when it is not known
	weight  int
}

func newInterfaceMemory() *interfaceMemory {
	return &interfaceMemory{cache.NewMemory(interfaceBytes, func(contract string, known []deployment) int {
		weight := len(contract)
		for i := range known {
			weight += known[i].weight
		}
		return weight
	}, nil)}
}

// knownDeployments are those of some contracts that are in memory.
func (m *interfaceMemory) knownDeployments(contracts []string) map[RowKey]deployment {
	known := map[RowKey]deployment{}
	for _, contract := range contracts {
		found, _ := m.decoded.Get(contract)
		for _, d := range found {
			known[d.RowKey] = d
		}
	}
	return known
}

// decodedWeight is how many bytes of memory a decoded interface takes for each byte of its text, or less.
const decodedWeight = 6

// decodeDeployment decodes the interface of a deployment. One that is no interface is as good as none: the node has checked it.
func decodeDeployment(key RowKey, text *string) deployment {
	d := deployment{RowKey: key, weight: 128}
	if text != nil {
		d.decoded, _ = contract.Parse([]byte(*text))
		d.weight += decodedWeight * len(*text)
	}
	return d
}

// calledInterfaces are the interfaces of the contracts that some transactions call.
type CalledInterfaces map[string][]calledContract

// calledContract is one deployment of a contract that is called.
type calledContract struct {
	deployment
	height    int64
	canonical bool
}

// of is the interface of the contract that a transaction calls; nil when there is none, or it is not known.
//
// A contract counts from the block on in which it was deployed, so that what is shown of a canonical block depends on that
// block and those below it alone. What is orphaned may have called what is orphaned, too.
func (c CalledInterfaces) of(r *TransactionRow) *contract.Interface {
	call, ok := r.Tx.Payload.(*transaction.ContractCall)
	if !ok {
		return nil
	}
	var best *calledContract
	for i, d := range c[call.Contract.String()] {
		if d.height > r.Height || r.Canonical && !d.canonical {
			continue
		}
		if best == nil || d.fits(r) > best.fits(r) || d.fits(r) == best.fits(r) && CompareKeys(d.RowKey, best.RowKey) > 0 {
			best = &c[call.Contract.String()][i]
		}
	}
	if best == nil {
		return nil
	}
	return best.decoded
}

// fits says how likely it is that the transaction called this one: most, when it is in the same block.
func (d *calledContract) fits(r *TransactionRow) int {
	switch {
	case d.Seq == r.Seq:
		return 2
	case d.canonical:
		return 1
	}
	return 0
}

// interfaceRow is a deployment as it is read. Its interface is not, when it is known already.
type interfaceRow struct {
	contract  string
	key       RowKey
	height    int64
	canonical bool
	text      *string
}

// queueInterfaces adds the query for all deployments of some contracts to a batch. There is a row for each contract, even
// when there is none of it: so the batch tells the state that it was read in. take gives them once the batch has run. listed
// says that what is canonical is what the projection accounts takes for it.
func (m *interfaceMemory) queueInterfaces(b *engine.Batch, contracts []string, listed bool) (take func() CalledInterfaces) {
	canonical := `LEFT JOIN {chain}.canonical c ON c.block_seq = d.source_seq`
	if listed {
		canonical = `LEFT JOIN {accounts}.block c ON c.height = b.height AND c.source_seq = b.source_seq`
	}
	known := m.knownDeployments(contracts)
	keys := make([]RowKey, 0, len(known))
	for key := range known {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, CompareKeys)
	seqs, indexes := KeyColumns(keys)
	found := engine.Query(b, func(r *interfaceRow) []any {
		return []any{&r.contract, &r.key.Seq, &r.key.Index, &r.height, &r.canonical, &r.text}
	}, `
		SELECT array_remove(ARRAY[d.source_seq, c.source_seq], NULL), asked.contract_id,
		       coalesce(d.source_seq, 0), coalesce(d.tx_index, 0), coalesce(b.height, 0), c.height IS NOT NULL,
		       CASE WHEN EXISTS (SELECT FROM unnest($2::bigint[], $3::int[]) AS known (seq, index) WHERE known.seq = d.source_seq AND known.index = d.tx_index)
		       THEN NULL ELSE d.interface END
		FROM unnest($1::text[]) AS asked (contract_id)
		LEFT JOIN {chain}.contract d ON d.contract_id = asked.contract_id
		LEFT JOIN {chain}.block b ON b.source_seq = d.source_seq
		`+canonical, contracts, seqs, indexes)
	return func() CalledInterfaces {
		called, grown := CalledInterfaces{}, map[string]bool{}
		for _, r := range found.Rows {
			if r.key.Seq == 0 {
				continue
			}
			d, ok := known[r.key]
			if !ok {
				d = decodeDeployment(r.key, r.text)
				grown[r.contract] = true
			}
			called[r.contract] = append(called[r.contract], calledContract{d, r.height, r.canonical})
		}
		for contract := range grown {
			m.keep(contract, called[contract])
		}
		return called
	}
}

func (m *interfaceMemory) keep(contract string, called []calledContract) {
	deployments := make([]deployment, len(called))
	for i := range called {
		deployments[i] = called[i].deployment
	}
	m.decoded.Replace(contract, deployments)
}
