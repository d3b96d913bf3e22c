package metadata

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/metadata/internal/web"
	"strata/metadata/picture"
)

// Values of the header field Accept.
const (
	acceptDocument = "application/json, */*"
	acceptImage    = "image/*"
)

// getResource fetches a document or an image from the places that its URI leads to. While all of them want to be left alone, it
// returns how long: a report would only say so, once for each want.
func (w *worker) getResource(ctx context.Context, uri string, limit int64, accept string, check web.Check) (exchanges []fetch.Exchange, wait time.Duration) {
	if document.IsData(uri) {
		e := web.ReadData(uri, limit, w.config.Data)
		if e.Failure == "" {
			check(&e)
		}
		return []fetch.Exchange{e}, 0
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
	exchanges = w.config.Web.Get(ctx, candidates, limit, accept, check)
	return exchanges, web.Paused(exchanges)
}

// isDocument is the check of a document. It does not ask for a name, because a translation needs none.
func isDocument(e *fetch.Exchange) bool {
	_, err := document.ParseLocalised(e.Body)
	if err != nil {
		e.Error = err.Error()
	}
	return err == nil
}

// getImage fetches the image that a report is about, and stores it. It adds to the report either facts about the image or the
// reason why it is not acceptable. An error means that the image can't be stored at the moment. Unlike limited, ctx does not
// bound the requests.
func (w *worker) getImage(ctx, limited context.Context, report *fetch.Report) (wait time.Duration, unavailable error) {
	report.Exchanges, wait = w.getResource(limited, report.Want.URI, w.config.ImageLimit, acceptImage, func(e *fetch.Exchange) bool {
		facts, err := keepRecovering(ctx, w.config.Images, e.Body)
		switch {
		case err == nil:
			report.Image = &facts
		case errors.Is(err, ErrUnavailable), ctx.Err() != nil:
			unavailable = fmt.Errorf("store image %s: %w", web.Shorten(report.Want.URI), err)
		case errors.Is(err, picture.ErrUnsupported): // it is the image, so no gateway has a better one
			e.Failure, e.Error = fetch.FailureFormat, err.Error()
		default:
			e.Failure, e.Error = fetch.FailureImage, err.Error()
			return false
		}
		return true
	})
	return wait, unavailable
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
