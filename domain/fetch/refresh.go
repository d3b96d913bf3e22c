package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// Refresh is a person's request to fetch again what is known of a token, or of all tokens of a contract.
type Refresh struct {
	Contract string `json:"contract"`
	// TokenID is decimal; empty for all tokens of the contract.
	TokenID     string    `json:"token_id,omitempty"`
	RequestedAt time.Time `json:"requested_at"`
}

// Encode returns the body of the event.
func (r *Refresh) Encode() ([]byte, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// DecodeRefresh decodes the body of an event.
func DecodeRefresh(b []byte) (*Refresh, error) {
	var r Refresh
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	return &r, r.validate()
}

func (r *Refresh) validate() error {
	if r.Contract == "" {
		return errors.New("refresh: /contract is missing")
	}
	if r.TokenID == "" {
		return nil
	}
	id, ok := new(big.Int).SetString(r.TokenID, 10)
	if !ok || id.Sign() < 0 || id.BitLen() > 128 || id.String() != r.TokenID {
		return fmt.Errorf("refresh: /token_id: want a decimal number below 2^128, got %q", r.TokenID)
	}
	return nil
}
