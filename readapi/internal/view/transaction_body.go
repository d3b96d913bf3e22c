package view

import (
	"strata/domain/contract"
	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// TransactionBody is a mined transaction in versions 1 and 2 of the API.
type TransactionBody struct {
	TransactionBase
	IsUnanchored           bool            `json:"is_unanchored" doc:"Always false: transactions that no block has confirmed are not shown."`
	BlockHash              hash.Hash32     `json:"block_hash"`
	ParentBlockHash        hash.Hash32     `json:"parent_block_hash"`
	BlockHeight            int64           `json:"block_height"`
	BlockTime              int64           `json:"block_time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	BlockTimeISO           timeTextOrEmpty `json:"block_time_iso"`
	BurnBlockHeight        int64           `json:"burn_block_height"`
	BurnBlockTime          int64           `json:"burn_block_time"`
	BurnBlockTimeISO       timeTextOrEmpty `json:"burn_block_time_iso"`
	ParentBurnBlockTime    int64           `json:"parent_burn_block_time" doc:"0 when the node did not report it."`
	ParentBurnBlockTimeISO timeTextOrEmpty `json:"parent_burn_block_time_iso"`
	Canonical              bool            `json:"canonical" doc:"False when the block is orphaned and no canonical block has the transaction."`
	TxIndex                int32           `json:"tx_index" doc:"Its index in the block's list of transactions."`
	TxStatus               string          `json:"tx_status" enum:"success,abort_by_response,abort_by_post_condition,problematic_skipped"`
	TxResult               ClarityValue    `json:"tx_result"`
	MicroblockHash         HexText         `json:"microblock_hash" doc:"0x for a transaction that was in no microblock."`
	MicroblockSequence     int32           `json:"microblock_sequence" doc:"2147483647 for a transaction that was in no microblock."`
	MicroblockCanonical    bool            `json:"microblock_canonical"`
	CostReadCount          int64           `json:"execution_cost_read_count"`
	CostReadLength         int64           `json:"execution_cost_read_length"`
	CostRuntime            int64           `json:"execution_cost_runtime"`
	CostWriteCount         int64           `json:"execution_cost_write_count"`
	CostWriteLength        int64           `json:"execution_cost_write_length"`
	VMError                *string         `json:"vm_error" doc:"The node's message about a failure, which is not part of consensus; null when there is none."`
	EventCount             int32           `json:"event_count" doc:"0 for a transaction that did not succeed."`
	Events                 []EventBody     `json:"events" nullable:"false" doc:"A page of its events when the transaction is requested by its id; empty in lists."`
	TransactionPayload
}

// TransactionBase holds the fields that mined and unmined transactions share.
type TransactionBase struct {
	TxID              hash.Hash32     `json:"tx_id"`
	Nonce             uint64          `json:"nonce" doc:"Of the sender; 0 for an operation from Bitcoin, which has none."`
	FeeRate           schema.Amount   `json:"fee_rate" doc:"The total fee in µSTX, despite its name."`
	SenderAddress     string          `json:"sender_address" doc:"Empty for a refused operation from Bitcoin whose sender is not known."`
	Sponsored         bool            `json:"sponsored"`
	SponsorAddress    string          `json:"sponsor_address,omitempty" doc:"Who paid the fee; absent when that was the sender."`
	SponsorNonce      *uint64         `json:"sponsor_nonce,omitempty"`
	PostConditionMode string          `json:"post_condition_mode" enum:"allow,deny,originator,unknown"`
	PostConditions    []conditionBody `json:"post_conditions" nullable:"false"`
	AnchorMode        string          `json:"anchor_mode" enum:"on_chain_only,off_chain_only,any"`
}

// TransactionPayload is what a transaction does. TxType names the member that holds the details.
type TransactionPayload struct {
	TxType              string                `json:"tx_type" enum:"token_transfer,smart_contract,contract_call,poison_microblock,coinbase,tenure_change,undecoded" doc:"Names the member with the details. undecoded has none: it is a transaction that this program cannot decode, or an operation from Bitcoin about which nothing is known."`
	TokenTransfer       *tokenTransferBody    `json:"token_transfer,omitempty"`
	SmartContract       *smartContractBody    `json:"smart_contract,omitempty"`
	ContractCall        *contractCallBody     `json:"contract_call,omitempty"`
	PoisonMicroblock    *poisonMicroblockBody `json:"poison_microblock,omitempty"`
	CoinbasePayload     *coinbaseBody         `json:"coinbase_payload,omitempty"`
	TenureChangePayload *tenureChangeBody     `json:"tenure_change_payload,omitempty"`
}

type tokenTransferBody struct {
	RecipientAddress string        `json:"recipient_address"`
	Amount           schema.Amount `json:"amount" doc:"µSTX"`
	Memo             HexText       `json:"memo" doc:"34 bytes."`
}

type smartContractBody struct {
	ClarityVersion *uint8 `json:"clarity_version" doc:"null when the transaction leaves it to the epoch."`
	ContractID     string `json:"contract_id"`
	SourceCode     string `json:"source_code"`
}

type contractCallBody struct {
	ContractID        string                   `json:"contract_id"`
	FunctionName      string                   `json:"function_name"`
	FunctionSignature string                   `json:"function_signature" doc:"From the contract's interface; empty when the interface is not known or lacks the function."`
	FunctionArgs      *[]contract.CallArgument `json:"function_args,omitempty" nullable:"false" doc:"Names and types come from the contract's interface. Without it, names are empty and types are those of the values."`
}

type poisonMicroblockBody struct {
	Header1 HexText `json:"microblock_header_1"`
	Header2 HexText `json:"microblock_header_2"`
}

type coinbaseBody struct {
	Data         HexText `json:"data" doc:"32 bytes."`
	AltRecipient *string `json:"alt_recipient" doc:"Who gets the reward instead of the miner; null for the miner."`
	VRFProof     HexText `json:"vrf_proof,omitempty" doc:"Since Nakamoto."`
}

type tenureChangeBody struct {
	TenureConsensusHash     HexText     `json:"tenure_consensus_hash"`
	PrevTenureConsensusHash HexText     `json:"prev_tenure_consensus_hash"`
	BurnViewConsensusHash   HexText     `json:"burn_view_consensus_hash"`
	PreviousTenureEnd       hash.Hash32 `json:"previous_tenure_end" doc:"Index block hash of the last block of the tenure before."`
	PreviousTenureBlocks    uint32      `json:"previous_tenure_blocks"`
	Cause                   string      `json:"cause" enum:"block_found,extended,extended_runtime,extended_read_count,extended_read_length,extended_write_count,extended_write_length,unknown"`
	PubkeyHash              HexText     `json:"pubkey_hash"`
}
