package metadata

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"strata/domain/fetch"
)

// askNodes makes a contract's requests, one after the other, all at the same block. They go to one node as long as it
// answers, and on to the next one from where it does not. The requests after one that no node answers are not made.
func (w *worker) askNodes(ctx context.Context, want fetch.Want, tip fetch.Tip) ([]fetch.Exchange, error) {
	requests, err := requestsOf(want, tip)
	if err != nil {
		return []fetch.Exchange{{
			Method: http.MethodGet, URL: want.Contract, Failure: fetch.FailureURI, Error: err.Error(), StartedAt: time.Now().UTC(),
		}}, nil
	}
	asked := w.nodes.take(nil)
	if asked == nil {
		return nil, river.JobSnooze(max(w.nodes.wait(), restFirst))
	}
	taken := true // asked is ours to tell about
	tried := map[*node]bool{}
	var exchanges []fetch.Exchange
	for _, r := range requests {
		for {
			e := w.client.do(ctx, asked, r)
			exchanges = append(exchanges, e)
			answer := w.judge(ctx, asked, taken, e)
			taken = false
			if answer {
				break
			}
			tried[asked] = true
			if asked = w.nodes.take(tried); asked == nil || ctx.Err() != nil {
				if asked != nil {
					asked.abandoned()
				}
				return exchanges, nil
			}
			taken = true
		}
	}
	return exchanges, nil
}

// judge says whether an exchange is the answer, or another node should be asked, and tells the node's health from it.
func (w *worker) judge(ctx context.Context, n *node, taken bool, e fetch.Exchange) (answer bool) {
	switch {
	case ctx.Err() != nil: // our time was over, which says nothing of the node
		if taken {
			n.abandoned()
		}
		return false
	case e.Failure == fetch.FailureTooLarge:
		n.answered(ctx)
		return true
	case e.Failure != "":
		n.failed(ctx, time.Now(), 0, e.Error)
		return false
	case e.Status == http.StatusTooManyRequests:
		n.failed(ctx, time.Now(), fetch.RetryAfter(e.Header["retry-after"], time.Now()), fmt.Sprintf("status %d", e.Status))
		return false
	case e.Status >= http.StatusInternalServerError:
		n.failed(ctx, time.Now(), 0, fmt.Sprintf("status %d", e.Status))
		return false
	}
	n.answered(ctx)
	return e.Status != http.StatusNotFound // it may not have the block yet, which another one has
}

// requestsOf says what a node has to be asked.
func requestsOf(want fetch.Want, tip fetch.Tip) ([]request, error) {
	address, name, ok := strings.Cut(want.Contract, ".")
	if !ok || address == "" || name == "" {
		return nil, fmt.Errorf("%q is no contract", want.Contract)
	}
	contract := url.PathEscape(address) + "/" + url.PathEscape(name)
	at := "?tip=" + hex.EncodeToString(tip.IndexBlockHash[:])
	if want.Kind == fetch.ContractInterface {
		return []request{{method: http.MethodGet, path: "/v2/contracts/interface/" + contract + at}}, nil
	}
	requests := make([]request, len(want.Calls))
	for i, call := range want.Calls {
		body, err := json.Marshal(callBody{Sender: address, Arguments: append([]string{}, call.Arguments...)})
		if err != nil {
			return nil, err
		}
		requests[i] = request{
			call: i, method: http.MethodPost, body: body,
			path: "/v2/contracts/call-read/" + contract + "/" + url.PathEscape(call.Function) + at,
		}
	}
	return requests, nil
}

// callBody is the body of a read-only call.
type callBody struct {
	Sender    string   `json:"sender"`
	Arguments []string `json:"arguments"`
}
