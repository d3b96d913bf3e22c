package noderead

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"strata/domain/fetch"
	"strata/metadata/internal/rotation"
)

// Contract makes the requests for a contract, one after the other, all at the same block. They go to one node as
// long as it answers; when it does not, that request and the following ones go to the next node. If no node answers a
// request, the last one gets the following request all the same, because the call may be what it fails at: a node that
// fails at two in a row gets no more. While no node may get a request, Contract returns how long to wait.
func (r *Reader) Contract(ctx context.Context, want fetch.Want, tip fetch.Tip) (exchanges []fetch.Exchange, wait time.Duration) {
	requests, err := requestsOf(want, tip)
	if err != nil {
		return []fetch.Exchange{{
			Method: http.MethodGet, URL: want.Contract, Failure: fetch.FailureURI, Error: err.Error(), StartedAt: time.Now().UTC(),
		}}, 0
	}
	n := r.nodes.Acquire(nil)
	if n == nil {
		return nil, max(r.nodes.Wait(), rotation.EjectionFirst)
	}
	tried := map[*rotation.Node]bool{}
	unanswered := 0 // requests in a row that no node answers
	for _, q := range requests {
		for {
			e := r.do(ctx, n.Node, q)
			exchanges = append(exchanges, e)
			if r.assess(ctx, n, e) {
				unanswered = 0
				break
			}
			tried[n.Node] = true
			next := r.nodes.Acquire(tried)
			if ctx.Err() != nil {
				if next != nil {
					next.Abandon()
				}
				return exchanges, 0
			}
			if next == nil {
				if unanswered++; unanswered > 1 || e.Failure != fetch.FailureTimeout && e.Status < http.StatusInternalServerError {
					return exchanges, 0
				}
				break
			}
			n = next
		}
	}
	return exchanges, 0
}

// assess reports whether an exchange is the answer (otherwise another node should be tried), and records the node's
// health.
func (r *Reader) assess(ctx context.Context, n *rotation.Turn, e fetch.Exchange) (answer bool) {
	switch {
	case ctx.Err() != nil: // the attempt's time is over, which says nothing about the node
		n.Abandon()
		return false
	case e.Failure == fetch.FailureTooLarge:
		n.RecordSuccess(ctx)
		return true
	case e.Failure != "":
		n.RecordFailure(ctx, time.Now(), 0, e.Error)
		return false
	case e.Status == http.StatusTooManyRequests:
		n.RecordFailure(ctx, time.Now(), fetch.RetryAfter(e.Header["retry-after"], time.Now()), fmt.Sprintf("status %d", e.Status))
		return false
	case e.Status >= http.StatusInternalServerError:
		n.RecordFailure(ctx, time.Now(), 0, fmt.Sprintf("status %d", e.Status))
		return false
	}
	n.RecordSuccess(ctx)
	return e.Status != http.StatusNotFound // another node may already have the block
}

// requestsOf returns the requests to a node that a want needs.
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

// callBody is the body of a request for a read-only call.
type callBody struct {
	Sender    string   `json:"sender"`
	Arguments []string `json:"arguments"`
}
