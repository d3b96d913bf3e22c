package contract

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/activity"
	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// contractNames is a list of contracts in a query.
type contractNames []string

// Schema implements huma.SchemaProvider.
func (contractNames) Schema(huma.Registry) *huma.Schema {
	s := schema.ListOf("Contracts, at most 200. Repeat the parameter for several.", &huma.Schema{
		Type: huma.TypeString, Extensions: schema.Matching(schema.ContractPattern + `$`), Examples: []any{"SP000000000000000000002Q6VF78.pox-4"},
	})
	s.MaxItems = schema.Ptr(param.IDsMax)
	return s
}

type contractStatusesInput struct {
	IDs contractNames `query:"contract_id,explode" required:"true"`
}

func (in *contractStatusesInput) Dependencies() engine.Dependencies {
	names := make([]string, len(in.IDs))
	for i, contract := range in.IDs {
		names[i] = shard.Account(contract)
	}
	return engine.OnTip("chain").With("accounts", names...).With("mempool", names...)
}

// soughtContract is the result of the search for the deployment of a contract.
type soughtContract struct {
	Found  bool            `json:"found"`
	Result *contractStatus `json:"result,omitempty" doc:"Absent when no deployment is found."`
}

// contractStatus is the status of the deployment of a contract.
type contractStatus struct {
	Status      string      `json:"status" enum:"success,abort_by_response,abort_by_post_condition,problematic_skipped,pending"`
	TxID        hash.Hash32 `json:"tx_id"`
	ContractID  string      `json:"contract_id"`
	BlockHeight *int64      `json:"block_height,omitempty" doc:"Absent while the deployment is pending."`
}

func (a *api) registerContractStatuses() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-contract-statuses", Path: "/extended/v2/smart-contracts/status", Tag: "Contracts", Summary: "Status of the deployments of contracts",
		Description: "The answer has a member for each contract: its last mined deployment, or if there is none the next pending one. A deployment that failed leaves the name free for another.",
		Statuses:    []int{http.StatusBadRequest},
	}, getContractStatuses)
}

// failedDeployments is a query for the last mined deployment of each contract $1, if that deployment failed. No
// deployment follows a successful one.
var failedDeployments = `
	SELECT {chain.transaction t, c.source_seq}, t.status, t.txid, wanted.contract_id, c.height
	FROM unnest($1::text[]) AS wanted (contract_id)
	CROSS JOIN LATERAL (SELECT a.id FROM {accounts}.account a WHERE a.account = wanted.contract_id LIMIT 1) a
	CROSS JOIN LATERAL (
		SELECT l.tx FROM {accounts}.account_transaction l WHERE l.account = a.id AND ` + view.Involved("l", activity.Deployed) + ` ORDER BY l.tx DESC LIMIT 1
	) l
	CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = l.tx LIMIT 1) p
	CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t
	CROSS JOIN LATERAL (SELECT * FROM {chain}.canonical c WHERE c.block_seq = p.source_seq LIMIT 1) c
	WHERE t.status <> 'success'`

func getContractStatuses(ctx context.Context, s *engine.Snapshot, in *contractStatusesInput) (map[string]soughtContract, error) {
	all := make(map[string]soughtContract, len(in.IDs))
	for _, id := range in.IDs {
		all[id] = soughtContract{}
	}
	if _, ok := s.Tip("chain"); !ok {
		return all, nil
	}
	b := s.Batch()
	columns := func(c *contractStatus) []any {
		return []any{&c.Status, &c.TxID, &c.ContractID, &c.BlockHeight}
	}
	found := engine.Query(b, columns, `
		SELECT DISTINCT ON (d.contract_id) {chain.contract d, c.source_seq}, t.status, t.txid, d.contract_id, c.height
		FROM {chain}.contract d
		JOIN {chain}.canonical c ON c.block_seq = d.source_seq
		JOIN {chain}.transaction t ON t.source_seq = d.source_seq AND t.tx_index = d.tx_index
		WHERE d.contract_id = ANY ($1)
		ORDER BY d.contract_id, c.height DESC, d.tx_index DESC`, []string(in.IDs))
	failed, waiting := &engine.Result[contractStatus]{}, &engine.Result[contractStatus]{}
	if s.Active("accounts") != nil {
		failed = engine.Query(b, columns, failedDeployments, []string(in.IDs))
	}
	if view.KnowsMempool(s) { // of several pending deployments, take the one that is mined next
		waiting = engine.Query(b, func(c *contractStatus) []any {
			c.Status = "pending"
			return []any{&c.TxID, &c.ContractID}
		}, `
			SELECT {mempool.transaction w}, w.txid, w.contract_id
			FROM unnest($1::text[]) AS wanted (contract_id)
			CROSS JOIN LATERAL (
				SELECT * FROM {mempool}.transaction w
				WHERE w.status = 'pending' AND w.contract_id = wanted.contract_id AND w.type_id IN (1, 6) ORDER BY w.nonce, w.txid LIMIT 1
			) w`, []string(in.IDs))
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	// Later results override earlier ones: a successful deployment a failed one, a failed one a pending one.
	for _, result := range []*engine.Result[contractStatus]{waiting, failed, found} {
		for i := range result.Rows {
			r := &result.Rows[i]
			all[r.ContractID] = soughtContract{Found: true, Result: r}
		}
	}
	return all, nil
}
