package metadata

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/riverqueue/river"

	"strata/domain/fetch"
	"strata/metadata/internal/noderequest"
	"strata/metadata/internal/rotation"
)

// readContract makes the requests for a contract, one after the other, all at the same block. They go to one node as
// long as it answers; when it does not, that request and the following ones go to the next node. If no node answers a
// request, readContract does not make the following ones.
func (w *worker) readContract(ctx context.Context, want fetch.Want, tip fetch.Tip) ([]fetch.Exchange, error) {
	requests, err := noderequest.Of(want, tip)
	if err != nil {
		return []fetch.Exchange{{
			Method: http.MethodGet, URL: want.Contract, Failure: fetch.FailureURI, Error: err.Error(), StartedAt: time.Now().UTC(),
		}}, nil
	}
	n := w.nodes.Acquire(nil)
	if n == nil {
		return nil, river.JobSnooze(max(w.nodes.Wait(), rotation.EjectionFirst))
	}
	acquired := true // whether n was acquired and no result was recorded for it since
	tried := map[*rotation.Node]bool{}
	var exchanges []fetch.Exchange
	for _, r := range requests {
		for {
			e := w.client.Do(ctx, n, r)
			exchanges = append(exchanges, e)
			answer := w.assess(ctx, n, acquired, e)
			acquired = false
			if answer {
				break
			}
			tried[n] = true
			if n = w.nodes.Acquire(tried); n == nil || ctx.Err() != nil {
				if n != nil {
					n.Abandon()
				}
				return exchanges, nil
			}
			acquired = true
		}
	}
	return exchanges, nil
}

// assess reports whether an exchange is the answer (otherwise another node should be tried), and records the node's
// health.
func (w *worker) assess(ctx context.Context, n *rotation.Node, acquired bool, e fetch.Exchange) (answer bool) {
	switch {
	case ctx.Err() != nil: // the attempt's time is over, which says nothing about the node
		if acquired {
			n.Abandon()
		}
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
