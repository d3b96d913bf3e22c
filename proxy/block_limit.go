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

// Cost is what the execution of transactions costs, or may cost, in the five dimensions that a node counts.
type Cost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"` // bytes
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"` // bytes
	Runtime     int64 `json:"runtime"`
}

// ErrNoLimit is wrapped by errors about an answer to /v2/pox that names no limit for the epoch in force.
var ErrNoLimit = errors.New("no limit of the epoch in force")

// BlockLimit asks a node what all blocks of a tenure may cost together in the epoch that is in force (GET /v2/pox). The
// list that a node gives ends with epochs that have not begun; those don't count.
func (p *Proxy) BlockLimit(ctx context.Context) (Cost, error) {
	const path = "/v2/pox"
	x := &exchange{start: time.Now(), endpoint: policy.Match(http.MethodGet, path), path: path}
	x.request.Method, x.request.Target, x.request.ID = http.MethodGet, path, p.numbers.Add(1)
	a, err := p.answerTo(ctx, x)
	if err != nil {
		return Cost{}, fmt.Errorf("ask a node for %s: %w", path, err)
	}
	defer a.discard()
	if a.status != http.StatusOK || a.rest != nil {
		return Cost{}, fmt.Errorf("ask node %s for %s: status %d, %d bytes or more: %w", a.node, path, a.status, len(a.body), ErrNoLimit)
	}
	limit, err := blockLimit(a.body)
	if err != nil {
		return Cost{}, fmt.Errorf("ask node %s for %s: %w", a.node, path, err)
	}
	return limit, nil
}

// blockLimit reads an answer to /v2/pox.
func blockLimit(body []byte) (Cost, error) {
	var pox struct {
		Height int64 `json:"current_burnchain_block_height"`
		Epochs []struct {
			Start int64 `json:"start_height"`
			End   int64 `json:"end_height"` // the first that is not in it
			Limit Cost  `json:"block_limit"`
		} `json:"epochs"`
	}
	if err := json.Unmarshal(body, &pox); err != nil {
		return Cost{}, fmt.Errorf("read its epochs: %w", errors.Join(err, ErrNoLimit))
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
