package readapi

import (
	"context"
	"encoding/json"
	"net/http"

	"strata/domain/contract"
	"strata/readapi/internal/answer"
)

const contractsLimit = 20

type traitInput struct {
	Trait  string `query:"trait_abi" required:"true" maxLength:"65536" doc:"JSON with the functions of the trait, as the interface of a contract has them."`
	Limit  int    `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64  `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

// contractPage is a page of contracts, the newest first.
type contractPage struct {
	Limit   int            `json:"limit"`
	Offset  int64          `json:"offset"`
	Results []contractBody `json:"results" nullable:"false"`
}

func (a *API) registerTraits() {
	get(a.Engine, resource{
		id: "list-contracts-by-trait", path: "/extended/v1/contract/by_trait", tag: "Contracts", summary: "Contracts that implement a trait, newest first",
		about:    "Those that have every function of it: of the same name, access, result and types of arguments, in their order. What arguments are called makes no difference.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("accounts", "chain"), taggedByContent: true,
	}, listContractsByTrait)
	traced(a.Engine, "list-contracts-by-trait", func(_ context.Context, _ *snapshot, _ *traitInput, page *contractPage) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		keys := make([]rowKey, len(page.Results))
		for i := range page.Results {
			keys[i] = page.Results[i].key
		}
		return []lookup{keyedLookup("contract", tracedDeployment, keys)}, nil
	})
}

// traitKeys are the keys of the functions of a trait. It has to say all of each.
func traitKeys(text string) (keys [][]byte, ok bool) {
	var said struct {
		Functions *[]struct{ Name, Access, Args, Outputs json.RawMessage }
	}
	if err := json.Unmarshal([]byte(text), &said); err != nil || said.Functions == nil {
		return nil, false
	}
	trait, err := contract.Parse([]byte(text))
	if err != nil || trait == nil {
		return nil, false
	}
	keys = [][]byte{}
	for i, f := range *said.Functions {
		if f.Name == nil || f.Access == nil || f.Args == nil || f.Outputs == nil {
			return nil, false
		}
		_, whole := trait.Functions[i].Keys()
		keys = append(keys, whole[:])
	}
	return keys, true
}

// listContractsByTrait finds contracts by the keys of their functions. The reference compares interfaces; there a trait that is
// not JSON is a failure of the server.
func listContractsByTrait(ctx context.Context, s *snapshot, in *traitInput) (*contractPage, error) {
	page := &contractPage{Limit: orDefault(in.Limit, contractsLimit), Offset: in.Offset, Results: []contractBody{}}
	keys, ok := traitKeys(in.Trait)
	if !ok {
		return nil, badRequest("Invalid 'trait_abi'")
	}
	missing := notFound("cannot find contract for this trait")
	if !ready(s, "accounts", "chain") {
		return nil, missing
	}
	rows := `SELECT tx, source_seq, tx_index FROM {accounts}.deployment ORDER BY tx DESC OFFSET $1::bigint LIMIT $2::bigint`
	args := []any{min(in.Offset, offsetMost), page.Limit}
	if len(keys) > 0 {
		// All that match are found before they are sorted: to look through all contracts from the newest on would take longer.
		rows = `SELECT * FROM (SELECT tx, source_seq, tx_index FROM {accounts}.deployment WHERE functions @> $3::bytea[] OFFSET 0) d
			ORDER BY tx DESC OFFSET $1::bigint LIMIT $2::bigint`
		args = append(args, keys)
	}
	b := s.batch()
	found := query(b, func(c *contractBody) []any {
		return []any{&c.key.seq, &c.key.index, &c.TxID, &c.Canonical, &c.ContractID, &c.BlockHeight, &c.ClarityVersion, &c.SourceCode, &c.ABI}
	}, `
		SELECT ARRAY[d.source_seq], d.source_seq, d.tx_index, t.txid, true, k.contract_id, b.height, k.clarity_version, k.source_code, k.interface
		FROM (`+rows+`) d
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = d.source_seq AND t.tx_index = d.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.contract k WHERE k.contract_id = t.contract_id AND k.source_seq = d.source_seq AND k.tx_index = d.tx_index LIMIT 1) k
		CROSS JOIN LATERAL (SELECT b.height FROM {chain}.block b WHERE b.source_seq = d.source_seq LIMIT 1) b
		ORDER BY d.tx DESC`, args...)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	if len(found.rows) == 0 {
		return nil, missing
	}
	page.Results = found.rows
	return page, nil
}
