package readapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/internal/shard"
	"strata/readapi/internal/answer"
)

// contractNames are contracts in a request, as a list.
type contractNames []string

// Schema implements huma.SchemaProvider.
func (contractNames) Schema(huma.Registry) *huma.Schema {
	s := listOf("Contracts, 200 at most. To ask for several, repeat the parameter.", &huma.Schema{
		Type: huma.TypeString, Pattern: contractPattern + `$`, Examples: []any{"SP000000000000000000002Q6VF78.pox-4"},
	})
	s.MaxItems = ptr(idsMost)
	return s
}

type contractStatusesInput struct {
	IDs contractNames `query:"contract_id,explode" required:"true"`
}

func (in *contractStatusesInput) dependencies() dependencies {
	names := make([]string, len(in.IDs))
	for i, contract := range in.IDs {
		names[i] = shard.Account(contract)
	}
	return onTip("chain").with("mempool", names...)
}

// soughtContract is what became of the search for the deployment of a contract.
type soughtContract struct {
	Found  bool            `json:"found"`
	Result *contractStatus `json:"result,omitempty" doc:"Absent when it is not found."`
}

// contractStatus is how far the deployment of a contract is.
type contractStatus struct {
	Status      string      `json:"status" enum:"success,pending"`
	TxID        hash.Hash32 `json:"tx_id"`
	ContractID  string      `json:"contract_id"`
	BlockHeight *int64      `json:"block_height,omitempty" doc:"Absent while the deployment waits to be mined."`

	key     rowKey
	waiting *waitingRow // nil for what is mined
}

func (a *API) registerContractStatuses() {
	get(a, resource{
		id: "get-contract-statuses", path: "/extended/v2/smart-contracts/status", tag: "Contracts", summary: "Which contracts are deployed",
		about:    "The answer has a member for each contract. It knows of deployments that are mined and have succeeded, and of others that wait to be mined.",
		statuses: []int{http.StatusBadRequest},
		class:    answer.Tip, of: onTip("chain"), taggedByContent: true,
	}, getContractStatuses)
	traced(a, "get-contract-statuses", func(_ context.Context, _ *snapshot, _ *contractStatusesInput, all map[string]soughtContract) ([]lookup, error) {
		var keys []rowKey
		var waiting []*waitingRow
		for _, sought := range all {
			switch {
			case !sought.Found:
			case sought.Result.waiting != nil:
				waiting = append(waiting, sought.Result.waiting)
			default:
				keys = append(keys, sought.Result.key)
			}
		}
		if len(keys) == 0 {
			return waitingLookups(waiting), nil
		}
		slices.SortFunc(keys, compareKeys)
		return append([]lookup{keyedLookup("contract", tracedDeployment, keys)}, waitingLookups(waiting)...), nil
	})
}

func getContractStatuses(ctx context.Context, s *snapshot, in *contractStatusesInput) (map[string]soughtContract, error) {
	all := make(map[string]soughtContract, len(in.IDs))
	for _, id := range in.IDs {
		all[id] = soughtContract{}
	}
	if _, ok := s.tip("chain"); !ok {
		return all, nil
	}
	b := s.batch()
	found := query(b, func(c *contractStatus) []any {
		return []any{&c.key.seq, &c.key.index, &c.Status, &c.TxID, &c.ContractID, &c.BlockHeight}
	}, `
		SELECT DISTINCT ON (d.contract_id) ARRAY[d.source_seq, c.source_seq], d.source_seq, d.tx_index, t.status, t.txid, d.contract_id, c.height
		FROM {chain}.contract d
		JOIN {chain}.canonical c ON c.block_seq = d.source_seq
		JOIN {chain}.transaction t ON t.source_seq = d.source_seq AND t.tx_index = d.tx_index
		WHERE d.contract_id = ANY ($1)
		ORDER BY d.contract_id, c.height DESC, d.tx_index DESC`, []string(in.IDs))
	waiting := &result[contractStatus]{}
	if s.knowsMempool() { // of several the one that is next
		waiting = query(b, func(c *contractStatus) []any {
			c.waiting, c.Status = &waitingRow{}, "pending"
			return []any{&c.TxID, &c.ContractID, &c.waiting.id}
		}, `
			SELECT ARRAY[w.source_seq], w.txid, w.contract_id, w.txid
			FROM unnest($1::text[]) AS wanted (contract_id)
			CROSS JOIN LATERAL (
				SELECT * FROM {mempool}.transaction w
				WHERE w.status = 'pending' AND w.contract_id = wanted.contract_id AND w.type_id IN (1, 6) ORDER BY w.nonce, w.txid LIMIT 1
			) w`, []string(in.IDs))
	}
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	for i := range waiting.rows {
		all[waiting.rows[i].ContractID] = soughtContract{Found: true, Result: &waiting.rows[i]}
	}
	for i := range found.rows {
		all[found.rows[i].ContractID] = soughtContract{Found: true, Result: &found.rows[i]}
	}
	return all, nil
}
