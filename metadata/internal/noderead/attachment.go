package noderead

import (
	"context"
	"net/http"
	"time"

	"strata/domain/fetch"
	"strata/metadata/internal/rotation"
)

// Attachment asks the nodes for the content of an attachment, one after the other, until one has it. A node that
// does not have it, or does not offer attachments, is as healthy as before. While no node may get a request, it returns how
// long to wait.
func (r *Reader) Attachment(ctx context.Context, want fetch.Want) (exchanges []fetch.Exchange, wait time.Duration) {
	hash, _ := want.AttachmentHash()
	tried := map[*rotation.Node]bool{}
	for ctx.Err() == nil {
		if err := r.attachments.Wait(ctx); err != nil {
			break // the time of the attempt would be over before its turn
		}
		n := r.nodes.Acquire(tried)
		if n == nil {
			break
		}
		tried[n.Node] = true
		e := r.do(ctx, n.Node, request{method: http.MethodGet, path: "/v2/attachments/" + want.Hash})
		exchanges = append(exchanges, e)
		switch {
		case ctx.Err() != nil: // which says nothing about the node
			n.Abandon()
		case e.Failure == "" && e.NotServed(), e.Failure == fetch.FailureTooLarge:
			n.RecordSuccess(ctx)
		default:
			r.assess(ctx, n, e)
		}
		if _, ok := fetch.AttachmentIn(e.Body, hash); ok && e.Failure == "" && e.Status == http.StatusOK {
			break
		}
	}
	if len(exchanges) == 0 {
		return nil, max(r.nodes.Wait(), rotation.EjectionFirst)
	}
	return exchanges, 0
}
