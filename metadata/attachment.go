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

// readAttachment asks the nodes for the content of an attachment, one after the other, until one has it. A node that
// does not have it, or does not offer attachments, is as healthy as before.
func (w *worker) readAttachment(ctx context.Context, want fetch.Want) ([]fetch.Exchange, error) {
	hash, ok := want.AttachmentHash()
	if !ok {
		return nil, fmt.Errorf("want %s names no attachment", want.Key())
	}
	tried := map[*rotation.Node]bool{}
	var exchanges []fetch.Exchange
	for ctx.Err() == nil {
		if err := w.attachments.Wait(ctx); err != nil {
			break // the time of the attempt would be over before its turn
		}
		n := w.nodes.Acquire(tried)
		if n == nil {
			break
		}
		tried[n] = true
		e := w.client.Do(ctx, n, noderequest.Attachment(want.Hash))
		exchanges = append(exchanges, e)
		switch {
		case ctx.Err() != nil: // which says nothing about the node
			n.Abandon()
		case e.Failure == "" && e.NotServed(), e.Failure == fetch.FailureTooLarge:
			n.RecordSuccess(ctx)
		default:
			w.assess(ctx, n, true, e)
		}
		if _, ok := fetch.AttachmentIn(e.Body, hash); ok && e.Failure == "" && e.Status == http.StatusOK {
			break
		}
	}
	if len(exchanges) == 0 {
		return nil, river.JobSnooze(max(w.nodes.Wait(), rotation.EjectionFirst, time.Second))
	}
	return exchanges, nil
}
