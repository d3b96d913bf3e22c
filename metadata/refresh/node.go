package refresh

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"strata/domain/contract"
	"strata/domain/fetch"
	"strata/domain/token"
)

const (
	nodeTimeout      = 5 * time.Second // of one node
	interfaceBodyMax = 4 << 20         // bytes
)

// askNodes says what nodes know of a contract that no block in the log deploys: fetch.ErrNoDeploy of a token contract,
// fetch.ErrNoTokens of another one, and otherwise fetch.ErrNoContract. The first node that answers counts.
func (r Refresher) askNodes(ctx context.Context, id string) error {
	address, name, ok := strings.Cut(id, ".")
	if !ok {
		return fetch.ErrNoContract
	}
	for _, node := range r.Nodes {
		i, answered := interfaceOf(ctx, fmt.Sprintf("%s/v2/contracts/interface/%s/%s", strings.TrimRight(node, "/"), url.PathEscape(address), url.PathEscape(name)))
		if !answered {
			continue
		}
		if i == nil {
			return fetch.ErrNoContract
		}
		if _, recognised := token.Recognise(i); !recognised {
			return fetch.ErrNoTokens
		}
		return fetch.ErrNoDeploy
	}
	return fetch.ErrNoContract
}

// interfaceOf asks a node for the interface of a contract; nil if the node has no such contract. A node that does not answer
// is not worth an error: the log has been asked before.
func interfaceOf(ctx context.Context, address string) (i *contract.Interface, answered bool) {
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, false
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusNotFound {
		return nil, true
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, interfaceBodyMax))
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, false
	}
	i, err = contract.Parse(body)
	return i, err == nil && i != nil && i.Functions != nil
}
