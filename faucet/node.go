package faucet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// The reasons of a node for refusing a transaction that the faucet knows what to do about
// (stacks-core, docs/rpc-endpoints.md).
const (
	reasonNonceWaits = "ConflictingNonceInMempool"
	reasonChain      = "TooMuchChaining"
	reasonFunds      = "NotEnoughFunds"
)

// answerMax is the largest answer of a node that is read, in bytes.
const answerMax = 1 << 20

// node is the RPC of a node.
type node struct {
	base *url.URL
	http *http.Client
}

// refusal is a node's reason for refusing a transaction.
type refusal struct {
	Message string `json:"error"`
	Reason  string `json:"reason"`
}

func (r *refusal) Error() string { return "the node refuses it: " + r.Message + " (" + r.Reason + ")" }

// Is makes a refusal for lack of funds an ErrFunds, and one that concerns all keys an ErrRefused.
func (r *refusal) Is(target error) bool {
	return target == ErrFunds && r.Reason == reasonFunds || target == ErrRefused && !r.concernsKey()
}

// concernsKey reports whether another key may have more luck.
func (r *refusal) concernsKey() bool {
	return slices.Contains([]string{reasonNonceWaits, reasonChain, reasonFunds}, r.Reason)
}

// ask makes a request, and decodes the JSON answer into value. A status other than 200 is an error; for 400 it is the
// node's refusal.
func (n *node) ask(ctx context.Context, method, path string, body []byte, value any) error {
	target, err := n.base.Parse(path)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/octet-stream")
	}
	response, err := n.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask the faucet's node: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerMax))
	if err != nil {
		return fmt.Errorf("read the answer of the faucet's node to %s: %w", path, err)
	}
	var refused refusal
	switch {
	case response.StatusCode == http.StatusBadRequest && json.Unmarshal(answer, &refused) == nil && refused.Reason != "":
		return &refused
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the faucet's node answers %d to %s: %.200s", response.StatusCode, path, answer)
	}
	if err := json.Unmarshal(answer, value); err != nil {
		return fmt.Errorf("the faucet's node answers %s with %.200q: %w", path, answer, err)
	}
	return nil
}

func (n *node) networkID(ctx context.Context) (uint32, error) {
	var info struct {
		NetworkID uint32 `json:"network_id"`
	}
	err := n.ask(ctx, http.MethodGet, "/v2/info", nil, &info)
	return info.NetworkID, err
}

// nonce returns the next nonce of an account after its mined transactions.
func (n *node) nonce(ctx context.Context, address string) (uint64, error) {
	var account struct {
		Nonce *uint64 `json:"nonce"`
	}
	if err := n.ask(ctx, http.MethodGet, "/v2/accounts/"+address+"?proof=0", nil, &account); err != nil {
		return 0, err
	}
	if account.Nonce == nil {
		return 0, fmt.Errorf("the faucet's node says no nonce of %s", address)
	}
	return *account.Nonce, nil
}

// feeRate returns the fee of a transfer, in µSTX per byte.
func (n *node) feeRate(ctx context.Context) (rate uint64, err error) {
	return rate, n.ask(ctx, http.MethodGet, "/v2/fees/transfer", nil, &rate)
}

// stackingMinimum returns the least amount that can be stacked alone, in µSTX.
func (n *node) stackingMinimum(ctx context.Context) (uint64, error) {
	var pox struct {
		Minimum uint64 `json:"min_amount_ustx"`
	}
	if err := n.ask(ctx, http.MethodGet, "/v2/pox", nil, &pox); err != nil {
		return 0, err
	}
	if pox.Minimum == 0 {
		return 0, fmt.Errorf("the faucet's node says no min_amount_ustx")
	}
	return pox.Minimum, nil
}

// broadcast hands a transaction to the node. The error is a *refusal if the node refuses it.
func (n *node) broadcast(ctx context.Context, raw []byte) error {
	var id string
	return n.ask(ctx, http.MethodPost, "/v2/transactions", raw, &id)
}
