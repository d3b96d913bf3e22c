package wire

// PublicKey is a public key of an account.
type PublicKey struct {
	HexBytes  string `json:"hex_bytes"`
	CurveType string `json:"curve_type" example:"secp256k1"`
}

// DeriveRequest asks for the account of a public key. With metadata it asks for the account of several keys.
type DeriveRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	PublicKey         PublicKey         `json:"public_key"`
	Metadata          map[string]any    `json:"metadata,omitempty"`
}

// DeriveAnswer is the answer of /construction/derive.
type DeriveAnswer struct {
	AccountIdentifier AccountIdentifier `json:"account_identifier"`
}

// PreprocessRequest asks what /construction/metadata needs for a transaction.
type PreprocessRequest struct {
	NetworkIdentifier      NetworkIdentifier `json:"network_identifier"`
	Operations             []Operation       `json:"operations"`
	Metadata               map[string]any    `json:"metadata,omitempty"`
	MaxFee                 []Amount          `json:"max_fee,omitempty"`
	SuggestedFeeMultiplier *float64          `json:"suggested_fee_multiplier,omitempty"`
}

// PreprocessAnswer is the answer of /construction/preprocess.
type PreprocessAnswer struct {
	Options            map[string]any      `json:"options"`
	RequiredPublicKeys []AccountIdentifier `json:"required_public_keys"`
}

// MetadataRequest asks for what only the chain knows: nonces and fees.
type MetadataRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	Options           map[string]any    `json:"options"`
	PublicKeys        []PublicKey       `json:"public_keys,omitempty"`
}

// MetadataAnswer is the answer of /construction/metadata.
type MetadataAnswer struct {
	Metadata     map[string]any `json:"metadata"`
	SuggestedFee []Amount       `json:"suggested_fee"`
}

// PayloadsRequest asks for an unsigned transaction, and what to sign.
type PayloadsRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	Operations        []Operation       `json:"operations"`
	PublicKeys        []PublicKey       `json:"public_keys,omitempty"`
	Metadata          map[string]any    `json:"metadata,omitempty"`
}

// PayloadsAnswer is the answer of /construction/payloads.
type PayloadsAnswer struct {
	UnsignedTransaction string           `json:"unsigned_transaction"`
	Payloads            []SigningPayload `json:"payloads"`
}

// SigningPayload is the hash that an account has to sign, in hex without 0x.
type SigningPayload struct {
	Address           string             `json:"address,omitempty"`
	AccountIdentifier *AccountIdentifier `json:"account_identifier,omitempty"`
	HexBytes          string             `json:"hex_bytes"`
	SignatureType     string             `json:"signature_type,omitempty" example:"ecdsa_recovery"`
}

// ParseRequest asks what a transaction does.
type ParseRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	Signed            bool              `json:"signed"`
	Transaction       string            `json:"transaction"`
}

// ParseAnswer is the answer of /construction/parse.
type ParseAnswer struct {
	Operations               []Operation         `json:"operations"`
	AccountIdentifierSigners []AccountIdentifier `json:"account_identifier_signers,omitempty"`
	Metadata                 map[string]any      `json:"metadata,omitempty"`
}

// CombineRequest asks to put signatures into a transaction.
type CombineRequest struct {
	NetworkIdentifier   NetworkIdentifier `json:"network_identifier"`
	UnsignedTransaction string            `json:"unsigned_transaction"`
	Signatures          []Signature       `json:"signatures"`
}

// Signature is a signature of a payload: 65 bytes of hex, r then s then the recovery id.
type Signature struct {
	SigningPayload SigningPayload `json:"signing_payload"`
	PublicKey      PublicKey      `json:"public_key"`
	SignatureType  string         `json:"signature_type"`
	HexBytes       string         `json:"hex_bytes"`
}

// CombineAnswer is the answer of /construction/combine.
type CombineAnswer struct {
	SignedTransaction string `json:"signed_transaction"`
}

// SignedRequest is a request with a signed transaction.
type SignedRequest struct {
	NetworkIdentifier NetworkIdentifier `json:"network_identifier"`
	SignedTransaction string            `json:"signed_transaction"`
}

// IdentifierAnswer is an answer that names a transaction.
type IdentifierAnswer struct {
	TransactionIdentifier TransactionIdentifier `json:"transaction_identifier"`
}
