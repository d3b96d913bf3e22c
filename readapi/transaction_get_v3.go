package readapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/answer"
)

// Parts of a transaction that are shown to who asks for them.
const (
	includeArguments  = "function_args"
	includeSource     = "source_code"
	includeConditions = "post_conditions"
	includeResult     = "result"
)

// included are parts of a transaction in a request, as a list; a comma parts them, too.
type included []string

// Schema implements huma.SchemaProvider.
func (included) Schema(huma.Registry) *huma.Schema {
	const part = `(` + includeArguments + `|` + includeSource + `|` + includeConditions + `|` + includeResult + `)`
	return listOf("Parts that are shown as well: function_args, source_code, post_conditions, result. To ask for several, repeat the parameter, or part them by commas.",
		&huma.Schema{Type: huma.TypeString, Extensions: matching(`^` + part + `(,` + part + `)*$`), Examples: []any{includeResult}})
}

func (p included) has(part string) bool { return slices.Contains(parted(p), part) }

type transactionV3Input struct {
	TransactionInput
	Include included `query:"include,explode"`
}

// transactionV3 is a mined transaction in version 3 of the API.
type transactionV3 struct {
	SummaryBase
	ParentBlock    parentBlock      `json:"parent_block"`
	EventCount     int32            `json:"event_count" doc:"0 for what did not succeed."`
	ExecutionCost  transactionCost  `json:"execution_cost"`
	VMError        *string          `json:"vm_error" doc:"The node's words on a failure, which are no part of consensus; null where there are none."`
	PostConditions *[]conditionBody `json:"post_conditions,omitempty" nullable:"false" doc:"With include=post_conditions."`
	Result         *clarityValue    `json:"result,omitempty" doc:"With include=result."`
	PayloadV3

	row *transactionRow
}

// PayloadV3 is what a transaction does, in full.
type PayloadV3 struct {
	SmartContract *deployV3         `json:"smart_contract,omitempty"`
	ContractCall  *callV3           `json:"contract_call,omitempty"`
	Coinbase      *coinbaseV3       `json:"coinbase,omitempty"`
	TenureChange  *tenureChangeBody `json:"tenure_change,omitempty"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*transactionV3) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return orNull(s, "sponsor")
}

type parentBlock struct {
	Hash      hash.Hash32 `json:"hash"`
	IndexHash hash.Hash32 `json:"index_hash"`
}

type deployV3 struct {
	ClarityVersion *uint8  `json:"clarity_version" doc:"null where the transaction leaves it to the epoch."`
	ContractID     string  `json:"contract_id"`
	SourceCode     *string `json:"source_code,omitempty" doc:"With include=source_code."`
}

type callV3 struct {
	ContractID   string          `json:"contract_id"`
	FunctionName string          `json:"function_name"`
	FunctionArgs *[]clarityValue `json:"function_args,omitempty" nullable:"false" doc:"With include=function_args."`
}

type coinbaseV3 struct {
	Payload      hexText  `json:"payload" doc:"32 bytes."`
	AltRecipient *string  `json:"alt_recipient" doc:"Who gets the reward instead of the miner; null for the miner."`
	VRFProof     *hexText `json:"vrf_proof" doc:"null before Nakamoto."`
}

func (a *API) registerTransactionV3() {
	get(a.Engine, resource{
		id: "get-transaction-v3", path: "/extended/v3/transactions/{tx_id}", tag: "Transactions", summary: "A transaction",
		about:    "The canonical copy; where there is none, as it waits to be mined or was dropped. What is orphaned and was not announced is not found.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		class:    answer.Tip, of: onTip("chain"), taggedByContent: true,
	}, a.getTransactionV3)
	traced(a.Engine, "get-transaction-v3", func(_ context.Context, _ *snapshot, _ *transactionV3Input, tx *shownV3) ([]lookup, error) {
		switch {
		case tx == nil:
			return nil, nil
		case tx.waiting != nil:
			return waitingLookups([]*waitingRow{tx.row}), nil
		}
		return transactionLookups([]*transactionRow{tx.mined.row}, nil), nil
	})
}

// findCanonical reads the canonical copy of a transaction: what version 3 shows does not say that it is orphaned.
func findCanonical(ctx context.Context, s *snapshot, named hashParameter) (*transactionRow, error) {
	id, err := named.hash()
	if err != nil {
		return nil, err
	}
	row, err := findTransaction(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if row == nil || !row.canonical {
		return nil, notFound("Transaction not found")
	}
	return row, nil
}

func (a *API) getTransactionV3(ctx context.Context, s *snapshot, in *transactionV3Input) (*shownV3, error) {
	id, err := in.ID.hash()
	if err != nil {
		return nil, err
	}
	found, err := seek(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if r := found[id].waiting; r != nil {
		if _, err := complete(ctx, s, []*transactionRow{&r.transactionRow}, true, nil); err != nil {
			return nil, err
		}
		return &shownV3{waiting: renderWaitingV3(r, in.Include), row: r}, nil
	}
	row := found[id].mined
	if row == nil || !row.canonical {
		return nil, notFound("Transaction not found")
	}
	if _, err := complete(ctx, s, []*transactionRow{row}, true, nil); err != nil {
		return nil, err
	}
	s.settles(row.burnBlockHeight)
	return &shownV3{mined: renderTransactionV3(row, in.Include)}, nil
}

func renderTransactionV3(r *transactionRow, include included) *transactionV3 {
	b := &transactionV3{
		SummaryBase: newSummaryBase(r), ParentBlock: parentBlock{r.parentBlock, r.parentIndexHash},
		EventCount: r.eventCount, ExecutionCost: r.cost, VMError: r.vmError, row: r,
	}
	if include.has(includeConditions) {
		conditions := showConditions(r.tx.PostConditions)
		b.PostConditions = &conditions
	}
	if include.has(includeResult) {
		value := showRaw(r.rawResult)
		b.Result = &value
	}
	b.PayloadV3 = renderPayloadV3(r.tx, include)
	return b
}

func renderPayloadV3(tx *transaction.Transaction, include included) (b PayloadV3) {
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
			values := make([]clarityValue, len(*p.FunctionArgs))
			for i, argument := range *p.FunctionArgs {
				values[i] = clarityValue{hexText(argument.Hex), argument.Repr}
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
