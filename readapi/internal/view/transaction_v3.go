package view

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// Parts of a transaction that are shown on request only.
const (
	includeArguments  = "function_args"
	includeSource     = "source_code"
	includeConditions = "post_conditions"
	includeResult     = "result"
)

// Included is the query parameter that names the parts to show. It may be repeated, and each text may hold several
// names separated by commas.
type Included []string

// Schema implements huma.SchemaProvider.
func (Included) Schema(huma.Registry) *huma.Schema {
	const part = `(` + includeArguments + `|` + includeSource + `|` + includeConditions + `|` + includeResult + `)`
	return schema.ListOf("Further parts to show: function_args, source_code, post_conditions, result. To name several, repeat the parameter or separate the parts with commas.",
		&huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^` + part + `(,` + part + `)*$`), Examples: []any{includeResult}})
}

func (p Included) has(part string) bool { return slices.Contains(param.SplitList(p), part) }

// TransactionV3 is a mined transaction in version 3 of the API.
type TransactionV3 struct {
	SummaryBase
	ParentBlock    parentBlock      `json:"parent_block"`
	ExecutionCost  transactionCost  `json:"execution_cost"`
	VMError        *string          `json:"vm_error" doc:"The node's message about a failure, which is not part of consensus; null when there is none."`
	PostConditions *[]conditionBody `json:"post_conditions,omitempty" nullable:"false" doc:"With include=post_conditions."`
	Result         *ClarityValue    `json:"result,omitempty" doc:"With include=result."`
	PayloadV3
}

// PayloadV3 is what a transaction does, in detail.
type PayloadV3 struct {
	SmartContract *deployV3         `json:"smart_contract,omitempty"`
	ContractCall  *callV3           `json:"contract_call,omitempty"`
	Coinbase      *coinbaseV3       `json:"coinbase,omitempty"`
	TenureChange  *tenureChangeBody `json:"tenure_change,omitempty"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*TransactionV3) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return OrNull(s, "sponsor")
}

type parentBlock struct {
	Hash      hash.Hash32 `json:"hash"`
	IndexHash hash.Hash32 `json:"index_hash"`
}

type deployV3 struct {
	ClarityVersion *uint8  `json:"clarity_version" doc:"null when the transaction leaves it to the epoch."`
	ContractID     string  `json:"contract_id"`
	SourceCode     *string `json:"source_code,omitempty" doc:"With include=source_code."`
}

type callV3 struct {
	ContractID   string          `json:"contract_id"`
	FunctionName string          `json:"function_name"`
	FunctionArgs *[]ClarityValue `json:"function_args,omitempty" nullable:"false" doc:"With include=function_args."`
}

type coinbaseV3 struct {
	Payload      HexText  `json:"payload" doc:"32 bytes."`
	AltRecipient *string  `json:"alt_recipient" doc:"Who gets the reward instead of the miner; null for the miner."`
	VRFProof     *HexText `json:"vrf_proof" nullable:"true" doc:"null before Nakamoto."`
}

// RenderTransactionV3 returns the body of a transaction that went through Complete, with the included parts.
func RenderTransactionV3(r *TransactionRow, include Included) *TransactionV3 {
	b := &TransactionV3{
		SummaryBase: newSummaryBase(r), ParentBlock: parentBlock{r.parentBlock, r.parentIndexHash},
		ExecutionCost: r.cost, VMError: r.vmError,
	}
	if include.has(includeConditions) {
		conditions := showConditions(r.Tx.PostConditions)
		b.PostConditions = &conditions
	}
	if include.has(includeResult) {
		value := ShowRaw(r.rawResult)
		b.Result = &value
	}
	b.PayloadV3 = renderPayloadV3(r.Tx, include)
	return b
}

func renderPayloadV3(tx *transaction.Transaction, include Included) (b PayloadV3) {
	payload := renderPayload(tx, nil, !include.has(includeArguments))
	if p := payload.SmartContract; p != nil {
		b.SmartContract = &deployV3{ClarityVersion: p.ClarityVersion, ContractID: p.ContractID}
		if include.has(includeSource) {
			b.SmartContract.SourceCode = &p.SourceCode
		}
	}
	if p := payload.ContractCall; p != nil {
		b.ContractCall = &callV3{ContractID: p.ContractID, FunctionName: p.FunctionName}
		if p.FunctionArgs != nil {
			values := make([]ClarityValue, len(*p.FunctionArgs))
			for i, argument := range *p.FunctionArgs {
				values[i] = ClarityValue{HexText(argument.Hex), argument.Repr}
			}
			b.ContractCall.FunctionArgs = &values
		}
	}
	if p := payload.CoinbasePayload; p != nil {
		b.Coinbase = &coinbaseV3{Payload: p.Data, AltRecipient: p.AltRecipient}
		if p.VRFProof != "" {
			b.Coinbase.VRFProof = &p.VRFProof
		}
	}
	b.TenureChange = payload.TenureChangePayload
	return b
}
