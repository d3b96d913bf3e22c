package wire

// Blockchain is the name of the blockchain in network identifiers.
const Blockchain = "stacks"

// NetworkIdentifier names a network.
type NetworkIdentifier struct {
	Blockchain string         `json:"blockchain" example:"stacks"`
	Network    string         `json:"network" example:"mainnet"`
	SubNetwork map[string]any `json:"sub_network_identifier,omitempty"`
}

// BlockIdentifier names a block of an answer.
type BlockIdentifier struct {
	Index int64  `json:"index"`
	Hash  string `json:"hash"`
}

// PartialBlockIdentifier names a block of a request by its index, its hash or both; the newest block without either.
type PartialBlockIdentifier struct {
	Index *int64  `json:"index,omitempty"`
	Hash  *string `json:"hash,omitempty"`
}

// TransactionIdentifier names a transaction.
type TransactionIdentifier struct {
	Hash string `json:"hash"`
}

// AccountIdentifier names an account: a Stacks address or a contract.
type AccountIdentifier struct {
	Address    string         `json:"address"`
	SubAccount *SubAccount    `json:"sub_account,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
}

// SubAccount names a part of an account's STX.
type SubAccount struct {
	Address  string         `json:"address"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// OperationIdentifier is the index of an operation in its transaction.
type OperationIdentifier struct {
	Index        int64  `json:"index"`
	NetworkIndex *int64 `json:"network_index,omitempty"`
}
