package node

import (
	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// The types of this file document the bodies of the node's RPC. Answers of nodes are passed on byte for byte and never
// decoded into these types; a node may send more fields than they have.

// nodeHex is bytes in hex, with or without 0x.
type nodeHex string

// Schema implements huma.SchemaProvider.
func (nodeHex) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(0x)?([0-9a-fA-F]{2})*$`)}
}

// nodeAmount is an unsigned 128-bit integer in hex.
type nodeAmount string

// Schema implements huma.SchemaProvider.
func (nodeAmount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^0x[0-9a-f]{32}$`), Examples: []any{"0x00000000000000000000000005f5e100"}}
}

// nodeTransaction is the JSON form of a transaction to broadcast.
type nodeTransaction struct {
	Transaction nodeHex `json:"tx" doc:"The transaction as SIP-005 encodes it, in hex without 0x."`
	Attachment  nodeHex `json:"attachment,omitempty" doc:"The attachment of the transaction, such as a zonefile, in hex."`
}

// nodeTransactionID is the id of a transaction that the node accepted.
type nodeTransactionID string

// Schema implements huma.SchemaProvider.
func (nodeTransactionID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "The id of the transaction, without 0x.", Extensions: schema.Matching(`^[0-9a-f]{64}$`),
		Examples: []any{"0659c83d7a7b3a4a6a9a4a0e4a4b3e9a0b0d1f5e6c7a8b9c0d1e2f3a4b5c6d7e"},
	}
}

// nodeRejection is the reason why a node refused a transaction.
type nodeRejection struct {
	Error      string         `json:"error" doc:"transaction rejected"`
	Reason     string         `json:"reason" doc:"Such as BadNonce, FeeTooLow, NotEnoughFunds, NoSuchContract, NoSuchPublicFunction, BadFunctionArgument, ContractAlreadyExists, ConflictingNonceInMempool, TooMuchChaining, SignatureValidation, Deserialization, TransferRecipientCannotEqualSender, TemporarilyBlacklisted, ServerFailureOther."`
	ReasonData nodeReasonData `json:"reason_data,omitempty" doc:"Details of the reason."`
	TxID       string         `json:"txid,omitempty" doc:"The id of the transaction, without 0x."`
}

// nodeReasonData is an object whose fields depend on the reason.
type nodeReasonData struct{}

// Schema implements huma.SchemaProvider.
func (nodeReasonData) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "By reason. BadNonce: expected, actual, is_origin, principal. FeeTooLow: expected, actual. NotEnoughFunds: expected, actual (hex). TooMuchChaining: expected, actual, is_origin, principal, message. Others: message, or nothing.",
		Examples:    []any{map[string]any{"expected": 7, "actual": 5, "is_origin": true, "principal": "SP000000000000000000002Q6VF78"}},
	}
}

// nodeCall is the request to call a read-only function.
type nodeCall struct {
	Sender    string    `json:"sender" doc:"The principal for tx-sender." example:"SP000000000000000000002Q6VF78"`
	Sponsor   *string   `json:"sponsor,omitempty" doc:"The principal for tx-sponsor?."`
	Arguments []nodeHex `json:"arguments" nullable:"false" doc:"Clarity values, as SIP-005 encodes them, in hex."`
}

// nodeCallResult is the return value of a read-only function, or the reason why the call failed.
type nodeCallResult struct {
	Okay   bool    `json:"okay"`
	Result nodeHex `json:"result,omitempty" doc:"The Clarity value that the function returned, with 0x; present if okay."`
	Cause  string  `json:"cause,omitempty" doc:"Why the call failed: the function is unknown or not read-only, or it returned a runtime error; present if not okay."`
}

// nodeFeeRequest is the request to estimate the fee of a transaction.
type nodeFeeRequest struct {
	Payload         nodeHex `json:"transaction_payload" doc:"The payload of the transaction as SIP-005 encodes it, in hex."`
	EstimatedLength *int64  `json:"estimated_len,omitempty" minimum:"0" doc:"Expected size of the transaction in bytes; the size of the payload counts if it is larger."`
}

// nodeFees is a node's answer with fee estimates.
type nodeFees struct {
	EstimatedCost          ExecutionCost     `json:"estimated_cost" doc:"The execution cost that the node expects."`
	EstimatedCostScalar    int64             `json:"estimated_cost_scalar" doc:"That cost and the length of the transaction, combined into one number."`
	CostScalarChangeByByte float64           `json:"cost_scalar_change_by_byte" doc:"Increase of that number for each additional byte."`
	Estimations            []nodeFeeEstimate `json:"estimations" nullable:"false" doc:"A low, a medium and a high estimate."`
}

type nodeFeeEstimate struct {
	Rate float64 `json:"fee_rate" doc:"µSTX for each unit of the scalar."`
	Fee  int64   `json:"fee" doc:"µSTX. If the server overrides estimates (--fee-estimates), at least 1 for each byte, and exactly that while blocks have room."`
}

// nodeNoEstimate is the reason why a node cannot estimate a fee.
type nodeNoEstimate struct {
	Error      string         `json:"error" doc:"Estimation could not be performed"`
	Reason     string         `json:"reason" doc:"NoEstimateAvailable (for example, for a function that was never called) or DatabaseError."`
	ReasonData nodeReasonText `json:"reason_data,omitempty"`
}

type nodeReasonText struct {
	Message string `json:"message"`
}

// nodeAccount is the balance and nonce of an account. An unknown account has zero of everything.
type nodeAccount struct {
	Balance      nodeAmount `json:"balance" doc:"Unlocked µSTX."`
	Locked       nodeAmount `json:"locked" doc:"Locked µSTX."`
	UnlockHeight int64      `json:"unlock_height" doc:"The Bitcoin height at which they unlock; 0 for none."`
	Nonce        int64      `json:"nonce" doc:"Nonce of the next transaction, not counting those in a mempool."`
	BalanceProof *string    `json:"balance_proof,omitempty" doc:"A Merkle proof, in hex; absent with proof=0."`
	NonceProof   *string    `json:"nonce_proof,omitempty" doc:"A Merkle proof, in hex; absent with proof=0."`
}

// ExecutionCost is the cost of executing transactions, or a limit of it.
type ExecutionCost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length" doc:"Bytes."`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length" doc:"Bytes."`
	Runtime     int64 `json:"runtime"`
}
