package wire

// NetworkRequest is a request that names nothing but the network.
type NetworkRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	Metadata          map[string]any    `json:"metadata,omitempty"`
}

// NetworkList is the answer of /network/list.
type NetworkList struct {
	NetworkIdentifiers []NetworkIdentifier `json:"network_identifiers"`
}

// NetworkOptions is the answer of /network/options.
type NetworkOptions struct {
	Version Version `json:"version"`
	Allow   Allow   `json:"allow"`
}

// Version holds the versions of the standard, of the node and of this program.
type Version struct {
	Rosetta    string `json:"rosetta_version"`
	Node       string `json:"node_version"`
	Middleware string `json:"middleware_version,omitempty"`
}

// Allow lists what answers may contain.
type Allow struct {
	OperationStatuses       []OperationStatus `json:"operation_statuses"`
	OperationTypes          []string          `json:"operation_types"`
	Errors                  []Error           `json:"errors"`
	HistoricalBalanceLookup bool              `json:"historical_balance_lookup"`
	CallMethods             []string          `json:"call_methods"`
	BalanceExemptions       []map[string]any  `json:"balance_exemptions"`
	MempoolCoins            bool              `json:"mempool_coins"`
}

// OperationStatus is a status of operations; only those of successful ones change balances.
type OperationStatus struct {
	Status     string `json:"status"`
	Successful bool   `json:"successful"`
}

// NetworkStatus is the answer of /network/status. Times are Unix milliseconds.
type NetworkStatus struct {
	CurrentBlockIdentifier BlockIdentifier `json:"current_block_identifier"`
	CurrentBlockTimestamp  int64           `json:"current_block_timestamp"`
	GenesisBlockIdentifier BlockIdentifier `json:"genesis_block_identifier"`
	SyncStatus             *SyncStatus     `json:"sync_status,omitempty"`
	Peers                  []Peer          `json:"peers"`
	CurrentBurnBlockHeight int64           `json:"current_burn_block_height"`
}

// SyncStatus compares the newest block here with that of the nodes.
type SyncStatus struct {
	CurrentIndex int64 `json:"current_index"`
	TargetIndex  int64 `json:"target_index"`
	Synced       bool  `json:"synced"`
}

// Peer is a neighbour of a node.
type Peer struct {
	PeerID   string         `json:"peer_id"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// BlockRequest asks for a block.
type BlockRequest struct {
	NetworkIdentifier NetworkIdentifier      `json:"network_identifier"`
	BlockIdentifier   PartialBlockIdentifier `json:"block_identifier"`
}

// BlockAnswer is the answer of /block. Others are transactions to be read one by one with /block/transaction.
type BlockAnswer struct {
	Block  Block                   `json:"block"`
	Others []TransactionIdentifier `json:"other_transactions,omitempty"`
}

// Block is a block of the canonical chain. The parent of the first block is the block itself.
type Block struct {
	BlockIdentifier       BlockIdentifier `json:"block_identifier"`
	ParentBlockIdentifier BlockIdentifier `json:"parent_block_identifier"`
	Timestamp             int64           `json:"timestamp"`
	Transactions          []Transaction   `json:"transactions"`
	Metadata              map[string]any  `json:"metadata,omitempty"`
}

// BlockTransactionRequest asks for a transaction of a block.
type BlockTransactionRequest struct {
	NetworkIdentifier     NetworkIdentifier      `json:"network_identifier"`
	BlockIdentifier       PartialBlockIdentifier `json:"block_identifier"`
	TransactionIdentifier TransactionIdentifier  `json:"transaction_identifier"`
}

// TransactionAnswer is an answer that consists of a transaction.
type TransactionAnswer struct {
	Transaction Transaction    `json:"transaction"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// BalanceRequest asks for the balances of an account at a block.
type BalanceRequest struct {
	NetworkIdentifier NetworkIdentifier       `json:"network_identifier"`
	AccountIdentifier AccountIdentifier       `json:"account_identifier"`
	BlockIdentifier   *PartialBlockIdentifier `json:"block_identifier,omitempty"`
	Currencies        []Currency              `json:"currencies,omitempty"`
}

// BalanceAnswer is the answer of /account/balance.
type BalanceAnswer struct {
	BlockIdentifier BlockIdentifier `json:"block_identifier"`
	Balances        []Amount        `json:"balances"`
	Metadata        map[string]any  `json:"metadata,omitempty"`
}

// CoinsRequest asks for the coins of an account.
type CoinsRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	AccountIdentifier AccountIdentifier `json:"account_identifier"`
	IncludeMempool    bool              `json:"include_mempool,omitempty"`
	Currencies        []Currency        `json:"currencies,omitempty"`
}

// MempoolAnswer is the answer of /mempool.
type MempoolAnswer struct {
	TransactionIdentifiers []TransactionIdentifier `json:"transaction_identifiers"`
}

// MempoolTransactionRequest asks for a transaction of the mempool.
type MempoolTransactionRequest struct {
	NetworkIdentifier     NetworkIdentifier     `json:"network_identifier"`
	TransactionIdentifier TransactionIdentifier `json:"transaction_identifier"`
}

// EventsRequest asks for blocks that were added or removed. Without an offset it asks for the last ones.
type EventsRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	Offset            *int64            `json:"offset,omitempty"`
	Limit             *int64            `json:"limit,omitempty"`
}

// EventsAnswer is the answer of /events/blocks.
type EventsAnswer struct {
	MaxSequence int64        `json:"max_sequence"`
	Events      []BlockEvent `json:"events"`
}

// BlockEvent is a block that was added to the canonical chain, or removed from it.
type BlockEvent struct {
	Sequence        int64           `json:"sequence"`
	BlockIdentifier BlockIdentifier `json:"block_identifier"`
	Type            string          `json:"type" enum:"block_added,block_removed"`
}

// SearchRequest asks for transactions.
type SearchRequest struct {
	NetworkIdentifier     NetworkIdentifier      `json:"network_identifier"`
	Operator              *string                `json:"operator,omitempty"`
	MaxBlock              *int64                 `json:"max_block,omitempty"`
	Offset                *int64                 `json:"offset,omitempty"`
	Limit                 *int64                 `json:"limit,omitempty"`
	TransactionIdentifier *TransactionIdentifier `json:"transaction_identifier,omitempty"`
	AccountIdentifier     *AccountIdentifier     `json:"account_identifier,omitempty"`
	CoinIdentifier        *CoinIdentifier        `json:"coin_identifier,omitempty"`
	Currency              *Currency              `json:"currency,omitempty"`
	Status                *string                `json:"status,omitempty"`
	Type                  *string                `json:"type,omitempty"`
	Address               *string                `json:"address,omitempty"`
	Success               *bool                  `json:"success,omitempty"`
}

// SearchAnswer is the answer of /search/transactions, the newest transaction first.
type SearchAnswer struct {
	Transactions []BlockTransaction `json:"transactions"`
	TotalCount   int64              `json:"total_count"`
	NextOffset   *int64             `json:"next_offset,omitempty"`
}

// BlockTransaction is a transaction with its block.
type BlockTransaction struct {
	BlockIdentifier BlockIdentifier `json:"block_identifier"`
	Transaction     Transaction     `json:"transaction"`
}

// CallRequest asks a node to read a contract.
type CallRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	Method            string            `json:"method"`
	Parameters        map[string]any    `json:"parameters"`
}

// CallAnswer is the answer of /call. The same call may have another result later, unless it is idempotent.
type CallAnswer struct {
	Result     any  `json:"result"`
	Idempotent bool `json:"idempotent"`
}

// Error is the body of every failure.
type Error struct {
	Code        int            `json:"code"`
	Message     string         `json:"message"`
	Description string         `json:"description,omitempty"`
	Retriable   bool           `json:"retriable" doc:"Whether the same request may succeed later."`
	Details     map[string]any `json:"details,omitempty"`
}

// ListRequest is the request of /network/list.
type ListRequest struct {
	Metadata map[string]any `json:"metadata,omitempty"`
}
