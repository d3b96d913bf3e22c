package contract

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// Parts of a contract that are shown on request only.
const (
	includeSource    = "source_code"
	includeInterface = "abi"
)

// includedParts is the query parameter that names the parts to show. It may be repeated, and each text may hold several
// names separated by commas.
type includedParts []string

// Schema implements huma.SchemaProvider.
func (includedParts) Schema(huma.Registry) *huma.Schema {
	const part = `(` + includeSource + `|` + includeInterface + `)`
	return schema.ListOf("Further parts to show: source_code, abi. To name several, repeat the parameter or separate the parts with commas.",
		&huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^` + part + `(,` + part + `)*$`), Examples: []any{includeSource}})
}

func (p includedParts) has(part string) bool { return slices.Contains(param.SplitList(p), part) }

type contractV3Input struct {
	ID      contractV3Name `path:"contract_id"`
	Include includedParts  `query:"include,explode"`
}

// contractV3Name is the name of a contract in a path of version 3.
type contractV3Name string

// Schema implements huma.SchemaProvider.
func (contractV3Name) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "A contract: <address>.<name>", Extensions: schema.Matching(`^` + schema.AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}$`),
		Examples: []any{"SP000000000000000000002Q6VF78.pox-4"},
	}
}

// contractV3 is a deployed contract in version 3 of the API.
type contractV3 struct {
	view.ContractSummary
	SourceCode *string       `json:"source_code,omitempty" doc:"With include=source_code."`
	ABI        interfaceJSON `json:"abi,omitempty" doc:"With include=abi: the interface; null as long as no node has told it."`
}

// interfaceJSON is the interface of a contract as the node sent it.
type interfaceJSON json.RawMessage

// Schema implements huma.SchemaProvider.
func (interfaceJSON) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
}

// MarshalJSON implements json.Marshaler.
func (j interfaceJSON) MarshalJSON() ([]byte, error) { return j, nil }

func (a *api) registerContractV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-contract-v3", Path: "/extended/v3/smart-contracts/{contract_id}", Tag: "Contracts", Summary: "A contract",
		Description: "The canonical deployment. An orphaned one is not found.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, getContractV3)
}

func getContractV3(ctx context.Context, s *engine.Snapshot, in *contractV3Input) (*contractV3, error) {
	missing := engine.NotFound("Smart contract not found")
	if _, ok := s.Tip("chain"); !ok {
		return nil, missing
	}
	b := s.Batch()
	found := engine.Query(b, deploymentColumns, `
		SELECT {chain.contract d, c.source_seq, `+view.InterfaceSource(s, "d")+`}, d.source_seq, d.tx_index, t.txid, true, d.contract_id, c.height,
		       d.clarity_version, d.source_code, d.interface
		FROM {chain}.contract d
		JOIN {chain}.canonical c ON c.block_seq = d.source_seq
		CROSS JOIN LATERAL (SELECT t.txid FROM {chain}.transaction t WHERE t.source_seq = d.source_seq AND t.tx_index = d.tx_index LIMIT 1) t
		WHERE d.contract_id = $1 ORDER BY c.height DESC, d.tx_index DESC LIMIT 1`, string(in.ID))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, missing
	}
	b = s.Batch()
	place := view.QueuePlaces(b, []view.RowKey{row.key})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	body := &contractV3{ContractSummary: view.ContractSummary{ContractID: row.ContractID, ClarityVersion: row.ClarityVersion, DeploymentPlace: view.PlacesOf(place)[row.key].Deployment()}}
	if in.Include.has(includeSource) {
		body.SourceCode = &row.SourceCode
	}
	if in.Include.has(includeInterface) {
		body.ABI = interfaceJSON("null")
		if row.ABI != nil {
			body.ABI = interfaceJSON(*row.ABI)
		}
	}
	return body, nil
}
