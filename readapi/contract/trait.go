package contract

import (
	"context"
	"encoding/json"
	"net/http"

	"strata/domain/contract"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/view"
)

const contractsLimit = 20

type traitInput struct {
	Trait  string `query:"trait_abi" required:"true" maxLength:"65536" doc:"Functions of the trait as JSON, in the format of a contract's interface."`
	Limit  int    `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Page size; 0 means the default."`
	Offset int64  `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip."`
}

// contractPage is a page of contracts, newest first.
type contractPage struct {
	Limit   int            `json:"limit"`
	Offset  int64          `json:"offset"`
	Results []contractBody `json:"results" nullable:"false"`
}

func (a *api) registerTraits() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-contracts-by-trait", Path: "/extended/v1/contract/by_trait", Tag: "Contracts", Summary: "Contracts that implement a trait, newest first",
		Description: "A contract implements a trait if it has every function of it with the same name, access, result type, and argument types in the same order. Argument names do not matter.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listContractsByTrait)
}

// traitKeys parses a trait and returns the keys of its functions. ok is false unless the trait describes each function
// completely.
func traitKeys(text string) (keys [][]byte, ok bool) {
	var body struct {
		Functions *[]struct{ Name, Access, Args, Outputs json.RawMessage }
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil || body.Functions == nil {
		return nil, false
	}
	trait, err := contract.Parse([]byte(text))
	if err != nil || trait == nil {
		return nil, false
	}
	keys = [][]byte{}
	for i, f := range *body.Functions {
		if f.Name == nil || f.Access == nil || f.Args == nil || f.Outputs == nil {
			return nil, false
		}
		_, whole := trait.Functions[i].Keys()
		keys = append(keys, whole[:])
	}
	return keys, true
}

// listContractsByTrait finds contracts by the keys of their functions. The reference compares whole interfaces, and
// fails with a server error for a trait that is not JSON.
func listContractsByTrait(ctx context.Context, s *engine.Snapshot, in *traitInput) (*contractPage, error) {
	list := &contractPage{Limit: page.LimitOr(in.Limit, contractsLimit), Offset: in.Offset, Results: []contractBody{}}
	keys, ok := traitKeys(in.Trait)
	if !ok {
		return nil, engine.BadRequest("Invalid 'trait_abi'")
	}
	missing := engine.NotFound("cannot find contract for this trait")
	if !engine.Ready(s, "accounts", "chain") {
		return nil, missing
	}
	rows := `SELECT tx, source_seq, tx_index FROM {accounts}.deployment ORDER BY tx DESC OFFSET $1::bigint LIMIT $2::bigint`
	args := []any{min(in.Offset, page.OffsetMax), list.Limit}
	if len(keys) > 0 {
		// OFFSET 0 makes the planner find all matches before it sorts them. Without it, it may examine all contracts
		// from the newest on, which takes longer.
		matches := `SELECT tx, source_seq, tx_index FROM {accounts}.deployment WHERE functions @> $3::bytea[]`
		if view.HasFetchedInterfaces(s) { // those that came later than the block
			matches += ` UNION ALL
				SELECT d.tx, d.source_seq, d.tx_index
				FROM (SELECT * FROM {chain}.contract k WHERE k.functions @> $3::bytea[] OFFSET 0) k
				JOIN {chain}.canonical c ON c.block_seq = k.source_seq
				JOIN {accounts}.block b ON b.height = c.height AND b.source_seq = k.source_seq
				JOIN {accounts}.deployment d ON d.tx BETWEEN b.first_tx AND b.last_tx AND d.tx_index = k.tx_index`
		}
		rows = `SELECT * FROM (` + matches + ` OFFSET 0) d ORDER BY tx DESC OFFSET $1::bigint LIMIT $2::bigint`
		args = append(args, keys)
	}
	b := s.Batch()
	found := engine.Query(b, deploymentColumns, `
		SELECT {chain.contract k, `+view.InterfaceSource(s, "k")+`}, d.source_seq, d.tx_index, t.txid, true, k.contract_id, b.height, k.clarity_version, k.source_code, k.interface
		FROM (`+rows+`) d
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = d.source_seq AND t.tx_index = d.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.contract k WHERE k.contract_id = t.contract_id AND k.source_seq = d.source_seq AND k.tx_index = d.tx_index LIMIT 1) k
		CROSS JOIN LATERAL (SELECT b.height FROM {chain}.block b WHERE b.source_seq = d.source_seq LIMIT 1) b
		ORDER BY d.tx DESC`, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(found.Rows) == 0 {
		return nil, missing
	}
	for _, d := range found.Rows {
		list.Results = append(list.Results, d.contractBody)
	}
	return list, nil
}
