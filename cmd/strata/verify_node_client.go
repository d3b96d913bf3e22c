package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"

	"strata/domain/hash"
)

const (
	// nodeTimeout is how long a node may take for an answer.
	nodeTimeout = 15 * time.Second
	// nodeTries is how often a node is asked that does not answer, and nodePause how long it rests after the first time.
	nodeTries = 3
	nodePause = 200 * time.Millisecond
	// nodeAnswerMax is far more than what a node says of an account.
	nodeAnswerMax = 1 << 20
)

// nodeClient asks a Stacks node.
type nodeClient struct {
	base *url.URL
	name string // without what may be secret in it
	http *http.Client
}

// newNodeClient makes a client for an address that was checked.
func newNodeClient(address string) *nodeClient {
	base, err := url.Parse(address)
	if err != nil {
		base = &url.URL{}
	}
	return &nodeClient{base: base, name: base.Redacted(), http: &http.Client{
		Timeout:   nodeTimeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: nodeRequests},
	}}
}

func (n *nodeClient) close() { n.http.CloseIdleConnections() }

// tipHeight is the height of the node's own tip.
func (n *nodeClient) tipHeight(ctx context.Context) (int64, error) {
	var info struct {
		Height *int64 `json:"stacks_tip_height"`
	}
	if err := n.get(ctx, &info, nil, "v2", "info"); err != nil {
		return 0, err
	}
	if info.Height == nil {
		return 0, errors.New("/v2/info has no stacks_tip_height: it is not a Stacks node")
	}
	return *info.Height, nil
}

// account is what an account has at a block, with what is locked, and its next nonce.
func (n *nodeClient) account(ctx context.Context, principal string, tip hash.Hash32) (balance *big.Int, nonce uint64, err error) {
	var answer struct {
		Balance string  `json:"balance"`
		Locked  string  `json:"locked"`
		Nonce   *uint64 `json:"nonce"`
	}
	query := url.Values{"proof": {"0"}, "tip": {hex.EncodeToString(tip[:])}}
	err = n.get(ctx, &answer, query, "v2", "accounts", principal)
	var status *nodeStatusError
	if errors.As(err, &status) && status.code == http.StatusNotFound {
		return nil, 0, fmt.Errorf("it does not know block %s, at which the tables are: it is on another fork or of another network, or has not got the block yet (it says: %s)", tip, status.text)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("account %s: %w", principal, err)
	}
	balance, ok := parseAmount(answer.Balance)
	locked, lockedOK := parseAmount(answer.Locked)
	if !ok || !lockedOK || answer.Nonce == nil {
		return nil, 0, fmt.Errorf("account %s: it answers with balance %q, locked %q: not what a Stacks node says", principal, answer.Balance, answer.Locked)
	}
	return balance.Add(balance, locked), *answer.Nonce, nil
}

// parseAmount reads a number of 16 bytes as nodes write it, in hexadecimal digits after 0x.
func parseAmount(text string) (*big.Int, bool) {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || digits == "" || len(digits) > 32 || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return nil, false
	}
	return new(big.Int).SetString(digits, 16)
}

// nodeStatusError is an answer that is not what was asked for.
type nodeStatusError struct {
	code int
	text string
}

func (e *nodeStatusError) Error() string { return fmt.Sprintf("it answers %d: %s", e.code, e.text) }

// get reads a JSON answer. A node that does not answer, or is busy, is asked again.
func (n *nodeClient) get(ctx context.Context, into any, query url.Values, path ...string) error {
	address := n.base.JoinPath(path...)
	address.RawQuery = query.Encode()
	pause := backoff.NewExponentialBackOff(backoff.WithInitialInterval(nodePause))
	again := backoff.WithContext(backoff.WithMaxRetries(pause, nodeTries-1), ctx)
	err := backoff.Retry(func() error {
		err := n.try(ctx, into, address)
		var status *nodeStatusError
		if errors.As(err, &status) && status.code < http.StatusInternalServerError && status.code != http.StatusTooManyRequests {
			return backoff.Permanent(err)
		}
		return err
	}, again)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var status *nodeStatusError
	if err != nil && !errors.As(err, &status) {
		return fmt.Errorf("it was asked %d times: %w", nodeTries, err)
	}
	return err
}

func (n *nodeClient) try(ctx context.Context, into any, address *url.URL) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return err
	}
	response, err := n.http.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) && failed.Timeout() {
			return fmt.Errorf("it is too slow: no answer within %s", n.http.Timeout)
		}
		if errors.As(err, &failed) {
			err = failed.Err // without the address, which may hold a password
		}
		return fmt.Errorf("it does not answer (is it running?): %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, nodeAnswerMax))
	if err != nil {
		return fmt.Errorf("read its answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		const most = 200
		return &nodeStatusError{response.StatusCode, visible(string(body[:min(len(body), most)]))}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("its answer is no JSON: %w", err)
	}
	return nil
}
