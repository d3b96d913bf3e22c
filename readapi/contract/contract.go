package contract

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// contractName is the name of a contract in a path. Any text is valid: the contract of an invalid name is not found.
type contractName string

// Schema implements huma.SchemaProvider.
func (contractName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "A contract: <address>.<name>", Examples: []any{"SP000000000000000000002Q6VF78.pox-4"}}
}

type contractInput struct {
	ID contractName `path:"contract_id"`
}

// contractBody is a deployed contract.
type contractBody struct {
	TxID           hash.Hash32 `json:"tx_id" doc:"Id of the transaction that deployed the contract."`
	Canonical      bool        `json:"canonical"`
	ContractID     string      `json:"contract_id"`
	BlockHeight    int64       `json:"block_height"`
	ClarityVersion *int16      `json:"clarity_version" doc:"null when the transaction names no version, so that the epoch determines it."`
	SourceCode     string      `json:"source_code"`
	ABI            *string     `json:"abi" doc:"Interface of the contract as JSON text; null as long as no node has told it."`
}

// deploymentRow is a deployed contract with its key.
type deploymentRow struct {
	contractBody
	key view.RowKey
}

func deploymentColumns(d *deploymentRow) []any {
	return []any{&d.key.Seq, &d.key.Index, &d.TxID, &d.Canonical, &d.ContractID, &d.BlockHeight, &d.ClarityVersion, &d.SourceCode, &d.ABI}
}

func (a *api) registerContract() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-contract", Path: "/extended/v1/contract/{contract_id}", Tag: "Contracts", Summary: "A contract with its source and interface",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, getContract)
}

// getContract reads the canonical deployment. If there is none, it prefers an orphaned deployment whose interface is
// known, then the highest. The reference prefers a deployment with an interface even to the canonical one.
func getContract(ctx context.Context, s *engine.Snapshot, in *contractInput) (*contractBody, error) {
	missing := engine.NotFound("cannot find contract by ID")
	if _, ok := s.Tip("chain"); !ok {
		return nil, missing
	}
	b := s.Batch()
	found := engine.Query(b, deploymentColumns, `
		SELECT {chain.contract d, c.source_seq, `+view.InterfaceSource(s, "d")+`}, d.source_seq, d.tx_index, t.txid, c.height IS NOT NULL, d.contract_id, b.height,
		       d.clarity_version, d.source_code, d.interface
		FROM {chain}.contract d
		JOIN {chain}.transaction t ON t.source_seq = d.source_seq AND t.tx_index = d.tx_index
		JOIN {chain}.block b ON b.source_seq = d.source_seq
		LEFT JOIN {chain}.canonical c ON c.block_seq = d.source_seq
		WHERE d.contract_id = $1
		ORDER BY c.height IS NOT NULL DESC, d.interface IS NOT NULL DESC, b.height DESC, d.source_seq DESC LIMIT 1`, string(in.ID))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	c, ok := found.First()
	if !ok {
		return nil, missing
	}
	return &c.contractBody, nil
}
