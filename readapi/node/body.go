package node

import (
	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// Bodies of the node's RPC, to document them: what a node answers is passed on as it is, and no answer goes through these
// types. A node may answer more than they say.

// nodeHex is bytes in hex, with or without 0x.
type nodeHex string

// Schema implements huma.SchemaProvider.
func (nodeHex) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(0x)?([0-9a-fA-F]{2})*$`)}
}

// nodeAmount is an unsigned number of 128 bits in hex.
type nodeAmount string

// Schema implements huma.SchemaProvider.
func (nodeAmount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^0x[0-9a-f]{32}$`), Examples: []any{"0x00000000000000000000000005f5e100"}}
}

// nodeTransaction is a transaction to broadcast, when it does not come as its bytes.
type nodeTransaction struct {
	Transaction nodeHex `json:"tx" doc:"The transaction as SIP-005 encodes it, in hex without 0x."`
	Attachment  nodeHex `json:"attachment,omitempty" doc:"What goes with it, such as a zonefile, in hex."`
}

// nodeTransactionID is the id of a transaction that was taken.
type nodeTransactionID string

// Schema implements huma.SchemaProvider.
func (nodeTransactionID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "The id of the transaction, without 0x.", Extensions: schema.Matching(`^[0-9a-f]{64}$`),
		Examples: []any{"0659c83d7a7b3a4a6a9a4a0e4a4b3e9a0b0d1f5e6c7a8b9c0d1e2f3a4b5c6d7e"},
	}
}

// nodeRejection is why a transaction was refused.
type nodeRejection struct {
	Error      string         `json:"error" doc:"transaction rejected"`
	Reason     string         `json:"reason" doc:"Such as BadNonce, FeeTooLow, NotEnoughFunds, NoSuchContract, NoSuchPublicFunction, BadFunctionArgument, ContractAlreadyExists, ConflictingNonceInMempool, TooMuchChaining, SignatureValidation, Deserialization, TransferRecipientCannotEqualSender, TemporarilyBlacklisted, ServerFailureOther."`
	ReasonData nodeReasonData `json:"reason_data,omitempty" doc:"What belongs to the reason."`
	TxID       string         `json:"txid,omitempty" doc:"The id of the transaction, without 0x."`
}

// nodeReasonData is an object whose members depend on the reason.
type nodeReasonData struct{}

// Schema implements huma.SchemaProvider.
func (nodeReasonData) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "By reason. BadNonce: expected, actual, is_origin, principal. FeeTooLow: expected, actual. NotEnoughFunds: expected, actual (hex). TooMuchChaining: expected, actual, is_origin, principal, message. Others: message, or nothing.",
		Examples:    []any{map[string]any{"expected": 7, "actual": 5, "is_origin": true, "principal": "SP000000000000000000002Q6VF78"}},
	}
}

// nodeCall is a call of a read-only function.
type nodeCall struct {
	Sender    string    `json:"sender" doc:"The principal that tx-sender is." example:"SP000000000000000000002Q6VF78"`
	Sponsor   *string   `json:"sponsor,omitempty" doc:"The principal that tx-sponsor? is."`
	Arguments []nodeHex `json:"arguments" nullable:"false" doc:"Clarity values, as SIP-005 encodes them, in hex."`
}

// nodeCallResult is what a read-only function returned, or why it did not.
type nodeCallResult struct {
	Okay   bool    `json:"okay"`
	Result nodeHex `json:"result,omitempty" doc:"The Clarity value that it returned, with 0x; present if okay."`
	Cause  string  `json:"cause,omitempty" doc:"Why it could not be run: unknown, not read-only, or an error while it ran; present if not okay."`
}

// nodeFeeRequest is a transaction whose fee is to be estimated.
type nodeFeeRequest struct {
	Payload         nodeHex `json:"transaction_payload" doc:"The payload of the transaction as SIP-005 encodes it, in hex."`
	EstimatedLength *int64  `json:"estimated_len,omitempty" minimum:"0" doc:"Bytes that the transaction will have; never less than the payload has counts."`
}

// nodeFees are estimates of a fee.
type nodeFees struct {
	EstimatedCost          ExecutionCost     `json:"estimated_cost" doc:"What the node expects the execution to cost."`
	EstimatedCostScalar    int64             `json:"estimated_cost_scalar" doc:"That cost, and the length, as one number."`
	CostScalarChangeByByte float64           `json:"cost_scalar_change_by_byte" doc:"How much that number grows with each byte more."`
	Estimations            []nodeFeeEstimate `json:"estimations" nullable:"false" doc:"A low, a middle and a high one."`
}

type nodeFeeEstimate struct {
	Rate float64 `json:"fee_rate" doc:"µSTX for each unit of the scalar."`
	Fee  int64   `json:"fee" doc:"µSTX. Where the server estimates fees itself (--fee-estimates), at least one for each byte, and just that while blocks have room."`
}

// nodeNoEstimate is why a node can't estimate a fee.
type nodeNoEstimate struct {
	Error      string         `json:"error" doc:"Estimation could not be performed"`
	Reason     string         `json:"reason" doc:"NoEstimateAvailable, such as for a function that was never called, or DatabaseError."`
	ReasonData nodeReasonText `json:"reason_data,omitempty"`
}

type nodeReasonText struct {
	Message string `json:"message"`
}

// nodeAccount is what an account has. One that nobody has heard of has nothing.
type nodeAccount struct {
	Balance      nodeAmount `json:"balance" doc:"µSTX that are not locked."`
	Locked       nodeAmount `json:"locked" doc:"µSTX that are."`
	UnlockHeight int64      `json:"unlock_height" doc:"The Bitcoin height at which they are unlocked; 0 for none."`
	Nonce        int64      `json:"nonce" doc:"Of its next transaction, without those that wait in a mempool."`
	BalanceProof *string    `json:"balance_proof,omitempty" doc:"A Merkle proof, in hex; absent with proof=0."`
	NonceProof   *string    `json:"nonce_proof,omitempty" doc:"A Merkle proof, in hex; absent with proof=0."`
}

// ExecutionCost is what the execution of transactions costs, or may cost.
type ExecutionCost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length" doc:"Bytes."`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length" doc:"Bytes."`
	Runtime     int64 `json:"runtime"`
}
