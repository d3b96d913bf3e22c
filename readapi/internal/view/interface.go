package view

import (
	"cmp"
	"fmt"
	"slices"

	"strata/domain/contract"
	"strata/domain/transaction"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/engine"
)

// interfaceBytes is the memory for decoded contract interfaces, in bytes.
const interfaceBytes = 8 << 20

// interfaceMemory caches decoded interfaces by the names of contracts. An interface never changes once it is known, but one
// name may have several deployments, on different forks.
type interfaceMemory struct {
	decoded *cache.Memory[string, []deployment]
}

// deployment is a contract that was deployed successfully, with its interface; or the interface alone of a contract that nothing
// in the log deploys, which stands below all deployments.
type deployment struct {
	RowKey
	decoded *contract.Interface // nil when the interface is not known
	known   bool
	weight  int // approximate memory, in bytes
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

// knownDeployments returns the cached deployments of some contracts.
func (m *interfaceMemory) knownDeployments(contracts []string) map[RowKey]deployment {
	known := map[RowKey]deployment{}
	for _, contract := range contracts {
		deployments, _ := m.decoded.Get(contract)
		for _, d := range deployments {
			known[d.RowKey] = d
		}
	}
	return known
}

// decodedWeight is the most memory that a decoded interface takes, in bytes for each byte of its JSON text.
const decodedWeight = 6

// decodeDeployment decodes the interface of a deployment. It treats a text that is no interface like a missing one. The
// node checks interfaces, so this should not happen.
func decodeDeployment(key RowKey, text *string) deployment {
	d := deployment{RowKey: key, weight: 128}
	if text != nil {
		d.known = true
		d.decoded, _ = contract.Parse([]byte(*text))
		d.weight += decodedWeight * len(*text)
	}
	return d
}

// interfaceRules are the first rules of chain whose tables say where an interface comes from that the block did not have.
const interfaceRules = 6

// HasFetchedInterfaces reports whether the table of contracts says which report brought an interface, and has the keys of its
// functions. The version that the last release has built does not.
func HasFetchedInterfaces(s *engine.Snapshot) bool {
	v := s.Active("chain")
	return v != nil && v.Rules >= interfaceRules
}

// InterfaceSource is the SQL of the report that brought the interface of a row of contract; null for none.
func InterfaceSource(s *engine.Snapshot, alias string) string {
	if HasFetchedInterfaces(s) {
		return alias + ".interface_seq"
	}
	return "NULL::bigint"
}

// calledRules are the first rules of chain whose tables have the interfaces of called contracts that nothing in the log deploys.
const calledRules = 7

// undeployedIndex stands for the index of the transaction in the key of such an interface, whose event is the report.
const undeployedIndex = -1

// deploymentsSQL joins the deployments d of requested.contract_id, and its interface if nothing deploys it.
func deploymentsSQL(s *engine.Snapshot) string {
	if v := s.Active("chain"); v == nil || v.Rules < calledRules {
		return `LEFT JOIN {chain}.contract d ON d.contract_id = requested.contract_id`
	}
	return fmt.Sprintf(`LEFT JOIN LATERAL (
			SELECT k.contract_id, k.source_seq, k.tx_index, k.interface FROM {chain}.contract k WHERE k.contract_id = requested.contract_id
			UNION ALL
			SELECT u.contract_id, u.interface_seq, %d, u.interface FROM {chain}.undeployed u WHERE u.contract_id = requested.contract_id AND u.interface_seq IS NOT NULL
		) d ON true`, undeployedIndex)
}

// CalledInterfaces are the deployments of the contracts that some transactions call, by the names of the contracts.
type CalledInterfaces map[string][]calledContract

// calledContract is one deployment of a called contract.
type calledContract struct {
	deployment
	height    int64
	canonical bool
}

// of returns the interface of the contract that a mined transaction calls; nil when the transaction calls none, or the
// interface is not known.
//
// Only deployments at the transaction's height or below count. For a canonical transaction, the deployment must be
// canonical too. So what is shown of a canonical block depends on that block and those below it alone. An orphaned
// transaction may have called an orphaned contract.
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

// ofWaiting returns the interface of the contract that a transaction of the mempool calls, which is that of the newest
// canonical deployment; nil when the transaction calls none, or the interface is not known.
func (c CalledInterfaces) ofWaiting(r *WaitingRow) *contract.Interface {
	call, ok := r.Tx.Payload.(*transaction.ContractCall)
	if !ok {
		return nil
	}
	deployments := c[call.Contract.String()]
	var newest *calledContract
	for i, d := range deployments {
		if d.canonical && (newest == nil || cmp.Or(cmp.Compare(d.height, newest.height), cmp.Compare(d.Index, newest.Index)) > 0) {
			newest = &deployments[i]
		}
	}
	if newest == nil {
		return nil
	}
	return newest.decoded
}

// fits ranks how likely it is that the transaction called this deployment. A deployment in the same block ranks
// highest.
func (d *calledContract) fits(r *TransactionRow) int {
	switch {
	case d.Index == undeployedIndex:
		return -1
	case d.Seq == r.Seq:
		return 2
	case d.canonical:
		return 1
	}
	return 0
}

// interfaceRow is a deployment as it is read. text is nil when the interface is cached already.
type interfaceRow struct {
	contract  string
	key       RowKey
	height    int64
	canonical bool
	text      *string
}

// queueInterfaces adds the query for all deployments of some contracts to a batch. The query returns at least one row
// for each contract, even for one that was never deployed, so that the engine can confirm the state that it assumed.
// take returns the interfaces once the batch has run. With listed, the projection accounts decides which blocks are
// canonical; otherwise chain does.
func (m *interfaceMemory) queueInterfaces(s *engine.Snapshot, b *engine.Batch, contracts []string, listed bool) (take func() CalledInterfaces) {
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
	deployments := engine.Query(b, func(r *interfaceRow) []any {
		return []any{&r.contract, &r.key.Seq, &r.key.Index, &r.height, &r.canonical, &r.text}
	}, `
		SELECT {chain.contract d, c.source_seq}, requested.contract_id,
		       coalesce(d.source_seq, 0), coalesce(d.tx_index, 0), coalesce(b.height, least(d.tx_index, 0), 0), c.height IS NOT NULL OR coalesce(d.tx_index < 0, false),
		       CASE WHEN EXISTS (SELECT FROM unnest($2::bigint[], $3::int[]) AS known (seq, index) WHERE known.seq = d.source_seq AND known.index = d.tx_index)
		       THEN NULL ELSE d.interface END
		FROM unnest($1::text[]) AS requested (contract_id)
		`+deploymentsSQL(s)+`
		LEFT JOIN {chain}.block b ON b.source_seq = d.source_seq
		`+canonical, contracts, seqs, indexes)
	return func() CalledInterfaces {
		called, changed := CalledInterfaces{}, map[string]bool{}
		for _, r := range deployments.Rows {
			if r.key.Seq == 0 {
				continue
			}
			d, ok := known[r.key]
			if !ok {
				d = decodeDeployment(r.key, r.text)
				changed[r.contract] = changed[r.contract] || d.known
			}
			called[r.contract] = append(called[r.contract], calledContract{d, r.height, r.canonical})
		}
		for contract, known := range changed {
			if known {
				m.keep(contract, called[contract])
			}
		}
		return called
	}
}

// keep caches the deployments of a contract whose interfaces are known. Others may be known later.
func (m *interfaceMemory) keep(contract string, called []calledContract) {
	var deployments []deployment
	for i := range called {
		if called[i].known {
			deployments = append(deployments, called[i].deployment)
		}
	}
	m.decoded.Replace(contract, deployments)
}
