package nodecompare

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cenkalti/backoff/v4"

	"strata/domain/hash"
	"strata/internal/edge"
)

const (
	// timeout limits each attempt of a request.
	timeout = 15 * time.Second
	// attempts is the number of attempts of a request, and firstPause the pause after the first one. Later pauses are
	// longer.
	attempts   = 3
	firstPause = 200 * time.Millisecond
	// answerMax is the number of bytes that are read of an answer. An account's answer is far shorter.
	answerMax = 1 << 20
)

// client sends requests to a Stacks node.
type client struct {
	base *url.URL
	name string // the address without its password
	http *http.Client
}

// newClient returns a client for an address. The caller has checked the address.
func newClient(address string) *client {
	base, err := url.Parse(address)
	if err != nil {
		base = &url.URL{}
	}
	return &client{base: base, name: base.Redacted(), http: &http.Client{
		Timeout:   timeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: edge.Dial(&net.Dialer{Timeout: timeout}), ForceAttemptHTTP2: true, MaxIdleConnsPerHost: concurrency},
	}}
}

func (n *client) close() { n.http.CloseIdleConnections() }

// tipHeight returns the height of the node's own tip.
func (n *client) tipHeight(ctx context.Context) (int64, error) {
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

// nodeAccount is the node's answer about an account. Amounts are in µSTX.
type nodeAccount struct {
	unlocked, locked *big.Int
	unlockHeight     uint64 // Bitcoin height; 0 if nothing is locked
	nonce            uint64 // the next one
}

// account returns the state of an account at a block. tip is the index block hash of the block.
func (n *client) account(ctx context.Context, principal string, tip hash.Hash32) (nodeAccount, error) {
	var answer struct {
		Balance      string  `json:"balance"`
		Locked       string  `json:"locked"`
		UnlockHeight *uint64 `json:"unlock_height"`
		Nonce        *uint64 `json:"nonce"`
	}
	query := url.Values{"proof": {"0"}, "tip": {hex.EncodeToString(tip[:])}}
	err := n.get(ctx, &answer, query, "v2", "accounts", principal)
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusNotFound {
		return nodeAccount{}, fmt.Errorf("it does not know block %s, at which the tables are: it is on another fork or another network, or does not have the block yet (it says: %s)", tip, status.text)
	}
	if err != nil {
		return nodeAccount{}, fmt.Errorf("account %s: %w", principal, err)
	}
	unlocked, ok := parseAmount(answer.Balance)
	locked, lockedOK := parseAmount(answer.Locked)
	if !ok || !lockedOK || answer.UnlockHeight == nil || answer.Nonce == nil {
		return nodeAccount{}, fmt.Errorf("account %s: it answers with balance %q, locked %q: not what a Stacks node says", principal, answer.Balance, answer.Locked)
	}
	return nodeAccount{unlocked: unlocked, locked: locked, unlockHeight: *answer.UnlockHeight, nonce: *answer.Nonce}, nil
}

// parseAmount parses an amount as nodes write it: 0x and at most 32 hexadecimal digits.
func parseAmount(text string) (*big.Int, bool) {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || digits == "" || len(digits) > 32 || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return nil, false
	}
	return new(big.Int).SetString(digits, 16)
}

// statusError is an answer with a status other than 200.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return fmt.Sprintf("it answers %d: %s", e.code, e.text) }

// get decodes a JSON answer into the value into. If the node does not answer or is busy, get retries.
func (n *client) get(ctx context.Context, into any, query url.Values, path ...string) error {
	address := n.base.JoinPath(path...)
	address.RawQuery = query.Encode()
	pause := backoff.NewExponentialBackOff(backoff.WithInitialInterval(firstPause))
	retries := backoff.WithContext(backoff.WithMaxRetries(pause, attempts-1), ctx)
	err := backoff.Retry(func() error {
		err := n.try(ctx, into, address)
		var status *statusError
		if errors.As(err, &status) && status.code < http.StatusInternalServerError && status.code != http.StatusTooManyRequests {
			return backoff.Permanent(err)
		}
		return err
	}, retries)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var status *statusError
	if err != nil && !errors.As(err, &status) {
		return fmt.Errorf("after %d attempts: %w", attempts, err)
	}
	return err
}

func (n *client) try(ctx context.Context, into any, address *url.URL) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return err
	}
	response, err := n.http.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) && failed.Timeout() {
			return fmt.Errorf("no answer within %s", n.http.Timeout)
		}
		if errors.As(err, &failed) {
			err = failed.Err // without the address, which may hold a password
		}
		return fmt.Errorf("it does not answer (is it running?): %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerMax))
	if err != nil {
		return fmt.Errorf("read its answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		const most = 200
		return &statusError{response.StatusCode, printable(string(body[:min(len(body), most)]))}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("its answer is not JSON: %w", err)
	}
	return nil
}

// printable replaces control characters of a node's text, so that they can't move the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}
