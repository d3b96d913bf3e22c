package wire

import "github.com/danielgtaylor/huma/v2"

// Currency is what an amount counts.
type Currency struct {
	Symbol   string            `json:"symbol" example:"STX"`
	Decimals int32             `json:"decimals" example:"6"`
	Metadata *CurrencyMetadata `json:"metadata,omitempty"`
}

// Kinds of tokens.
const (
	Fungible    = "ft"
	NonFungible = "nft"
)

// CurrencyMetadata tells tokens apart. It is part of a currency's identity.
type CurrencyMetadata struct {
	TokenType       string `json:"token_type,omitempty" enum:"ft,nft"`
	AssetIdentifier string `json:"asset_identifier,omitempty" example:"SP….token::token"`
	Value           string `json:"value,omitempty" doc:"Of a non-fungible token: its id, a serialised Clarity value in hex."`
}

// STX returns the currency of the chain, in which amounts are µSTX.
func STX() Currency { return Currency{Symbol: "STX", Decimals: 6} }

// Amount is a number of base units of a currency, in decimal.
type Amount struct {
	Value    string         `json:"value" example:"-180"`
	Currency Currency       `json:"currency"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// CoinChange is what an operation does to a coin.
type CoinChange struct {
	CoinIdentifier CoinIdentifier `json:"coin_identifier"`
	CoinAction     string         `json:"coin_action" enum:"coin_created,coin_spent"`
}

// CoinIdentifier names a coin.
type CoinIdentifier struct {
	Identifier string `json:"identifier"`
}

// Operation is a part of a transaction. If its status is a successful one and it has an amount, it changes the balance
// of its account.
type Operation struct {
	OperationIdentifier OperationIdentifier   `json:"operation_identifier"`
	RelatedOperations   []OperationIdentifier `json:"related_operations,omitempty"`
	Type                string                `json:"type"`
	Status              *string               `json:"status,omitempty"`
	Account             *AccountIdentifier    `json:"account,omitempty"`
	Amount              *Amount               `json:"amount,omitempty"`
	CoinChange          *CoinChange           `json:"coin_change,omitempty"`
	Metadata            map[string]any        `json:"metadata,omitempty"`
}

// Transaction is a transaction of a block or of the mempool. Metadata is encoded as an object. A block can have thousands of
// transactions, so it need not be a map, which takes long to encode.
type Transaction struct {
	TransactionIdentifier TransactionIdentifier `json:"transaction_identifier"`
	Operations            []Operation           `json:"operations"`
	Metadata              any                   `json:"metadata,omitempty"`
}

// TransformSchema implements huma.SchemaTransformer.
func (*Transaction) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["metadata"] = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{}}
	return s
}
