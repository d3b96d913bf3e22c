package fetch

import (
	"errors"
	"fmt"
	"math/big"
	"time"
)

// Refresh is a person's request to fetch again what is known of a token, or of all tokens of a contract; the interface of a
// contract that has none yet; or whatever failed.
type Refresh struct {
	// Contract is empty for what failed.
	Contract string `json:"contract,omitempty"`
	// TokenID is decimal; empty for all tokens of the contract.
	TokenID string `json:"token_id,omitempty"`
	// Failed says that everything whose last attempt failed is to be tried again now, of whatever contract.
	Failed bool `json:"failed,omitempty"`
	// Kind limits that to wants of one kind; empty for all kinds.
	Kind        Kind      `json:"kind,omitempty"`
	RequestedAt time.Time `json:"requested_at"`
}

// Refusals of requests.
var (
	// ErrNoContract means that the log has no such contract.
	ErrNoContract = errors.New("contract not found: no block in the log deploys it; if the log begins above that block, import an archive of what is below")
	// ErrNoDeploy means that a node has the contract, and that it is a token contract, but that the log does not have it.
	ErrNoDeploy = errors.New("a node has this token contract, but no block in the log deploys it: import an archive of the blocks below the log's first one")
	// ErrNoTokens means that the interface of the contract follows no standard for tokens.
	ErrNoTokens = errors.New("not a token contract: its interface follows none of SIP-009, SIP-010 and SIP-013")
	// ErrNoInterface means that the interface of the contract has not come yet.
	ErrNoInterface = errors.New("the contract's interface is not known yet: import the contract to have it asked for now")
)

// Encode returns the body of the event.
func (r *Refresh) Encode() ([]byte, error) { return encode(r) }

// DecodeRefresh decodes the body of an event.
func DecodeRefresh(b []byte) (*Refresh, error) { return decode("refresh", b, new(Refresh)) }

func (r *Refresh) validate() error {
	switch {
	case r.Failed && (r.Contract != "" || r.TokenID != ""):
		return errors.New("refresh: with /failed there is no /contract and no /token_id")
	case !r.Failed && r.Kind != "":
		return errors.New("refresh: /kind is for /failed alone")
	case !r.Failed && r.Contract == "":
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
