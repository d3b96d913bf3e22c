package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"strata/proxy/internal/policy"
)

// Cost is an execution cost, or a limit on it, in the five dimensions that a node counts.
type Cost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"` // bytes
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"` // bytes
	Runtime     int64 `json:"runtime"`
}

// ErrNoLimit is wrapped by errors about an answer to /v2/pox that has no limit for the current epoch.
var ErrNoLimit = errors.New("no limit for the current epoch")

// BlockLimit asks a node (GET /v2/pox) for the maximum total cost of the blocks of one tenure in the current epoch. The
// node's list of epochs also has future ones, which BlockLimit ignores.
func (p *Proxy) BlockLimit(ctx context.Context) (Cost, error) {
	const path = "/v2/pox"
	x := &exchange{start: time.Now(), endpoint: policy.Match(http.MethodGet, path), path: path}
	x.request.Method, x.request.Target, x.request.ID = http.MethodGet, path, p.requestIDs.Add(1)
	a, err := p.answerTo(ctx, x)
	if err != nil {
		return Cost{}, fmt.Errorf("get %s from a node: %w", path, err)
	}
	defer a.discard()
	if a.status != http.StatusOK || a.rest != nil {
		return Cost{}, fmt.Errorf("get %s from node %s: status %d, %d bytes or more: %w", path, a.node, a.status, len(a.body), ErrNoLimit)
	}
	limit, err := blockLimit(a.body)
	if err != nil {
		return Cost{}, fmt.Errorf("get %s from node %s: %w", path, a.node, err)
	}
	return limit, nil
}

// blockLimit returns the limit of the current epoch in a body of /v2/pox.
func blockLimit(body []byte) (Cost, error) {
	var pox struct {
		Height int64 `json:"current_burnchain_block_height"`
		Epochs []struct {
			Start int64 `json:"start_height"`
			End   int64 `json:"end_height"` // exclusive
			Limit Cost  `json:"block_limit"`
		} `json:"epochs"`
	}
	if err := json.Unmarshal(body, &pox); err != nil {
		return Cost{}, fmt.Errorf("parse the epochs: %w", errors.Join(err, ErrNoLimit))
	}
	for _, epoch := range pox.Epochs {
		if epoch.Start <= pox.Height && pox.Height < epoch.End {
			l := epoch.Limit
			if min(l.ReadCount, l.ReadLength, l.WriteCount, l.WriteLength, l.Runtime) <= 0 {
				return Cost{}, fmt.Errorf("limit %+v: %w", l, ErrNoLimit)
			}
			return l, nil
		}
	}
	return Cost{}, fmt.Errorf("%d epochs at Bitcoin height %d: %w", len(pox.Epochs), pox.Height, ErrNoLimit)
}
