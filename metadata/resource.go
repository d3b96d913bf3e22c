package metadata

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"strata/domain/fetch"
)

// Values of the header field Accept.
const (
	acceptDocument = "application/json, */*"
	acceptImage    = "image/*"
)

// getResource fetches a document or an image from the places that its URI leads to.
func (w *worker) getResource(ctx context.Context, uri string, limit int64, accept string) []fetch.Exchange {
	if isData(uri) {
		return []fetch.Exchange{w.readData(uri, limit)}
	}
	candidates, err := w.config.Resolve(uri)
	if err == nil && len(candidates) == 0 {
		err = errors.New("it leads nowhere")
	}
	if err != nil {
		return []fetch.Exchange{{
			Method: http.MethodGet, URL: uri, Failure: fetch.FailureURI, Error: err.Error(), StartedAt: time.Now().UTC(),
		}}
	}
	return w.config.Web.Get(ctx, candidates, limit, accept)
}

// isData reports whether a URI is a data: URI (RFC 2397). The case of a scheme does not matter (RFC 3986 3.1).
func isData(uri string) bool {
	const scheme = "data:"
	return len(uri) >= len(scheme) && strings.EqualFold(uri[:len(scheme)], scheme)
}

// dataURLMax is the number of characters of a data: URI that a report has as the URL. The report's want has all of it.
const dataURLMax = 100

func (w *worker) readData(uri string, limit int64) fetch.Exchange {
	e := fetch.Exchange{Method: http.MethodGet, URL: shorten(uri, dataURLMax), StartedAt: time.Now().UTC()}
	mediaType, body, err := w.config.Data(uri)
	switch {
	case err != nil:
		e.Failure, e.Error = fetch.FailureURI, err.Error()
	case int64(len(body)) > limit:
		e.Failure, e.Error = fetch.FailureTooLarge, fmt.Sprintf("%d bytes, limit %d", len(body), limit)
	default:
		e.Status, e.Header, e.Body = http.StatusOK, map[string]string{"content-type": mediaType}, body
	}
	e.TookMicros = time.Since(e.StartedAt).Microseconds()
	return e
}

// shorten returns the first characters of a text.
func shorten(s string, characters int) string {
	for i := range s {
		if characters == 0 {
			return s[:i]
		}
		characters--
	}
	return s
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
		return fmt.Errorf("store image %s: %w", shorten(report.Want.URI, dataURLMax), err)
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
