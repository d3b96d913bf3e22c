package metadata

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"strata/domain/fetch"
	"strata/metadata/internal/web"
)

// Values of the header field Accept.
const (
	acceptDocument = "application/json, */*"
	acceptImage    = "image/*"
)

// getResource fetches a document or an image from the places that its URI leads to. While all of them want to be left alone, it
// returns how long: a report would only say so, once for each want.
func (w *worker) getResource(ctx context.Context, uri string, limit int64, accept string) (exchanges []fetch.Exchange, wait time.Duration) {
	if web.IsData(uri) {
		return []fetch.Exchange{web.ReadData(uri, limit, w.config.Data)}, 0
	}
	candidates, err := w.config.Resolve(uri)
	if err == nil && len(candidates) == 0 {
		err = errors.New("it leads nowhere")
	}
	if err != nil {
		return []fetch.Exchange{{
			Method: http.MethodGet, URL: uri, Failure: fetch.FailureURI, Error: err.Error(), StartedAt: time.Now().UTC(),
		}}, 0
	}
	exchanges = w.config.Web.Get(ctx, candidates, limit, accept)
	return exchanges, web.Paused(exchanges)
}

// storeImage stores the fetched image. It adds to the report either facts about the image or the reason why it is not
// acceptable. An error means that the image can't be stored at the moment.
func (w *worker) storeImage(ctx context.Context, report *fetch.Report) error {
	body, problem := report.ResourceBody()
	if problem != nil {
		return nil
	}
	facts, err := keepRecovering(ctx, w.config.Images, body)
	switch {
	case err == nil:
		report.Image = &facts
		return nil
	case errors.Is(err, ErrUnavailable), ctx.Err() != nil:
		return fmt.Errorf("store image %s: %w", web.Shorten(report.Want.URI), err)
	}
	last := &report.Exchanges[len(report.Exchanges)-1]
	last.Failure, last.Error = fetch.FailureImage, err.Error()
	return nil
}

// keepRecovering calls images.Keep and turns a panic into an error. Image decoders read bytes from strangers, and a
// decoder that panics on an image would do so at every attempt.
func keepRecovering(ctx context.Context, images Images, body []byte) (facts fetch.ImageFacts, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return images.Keep(ctx, body)
}
