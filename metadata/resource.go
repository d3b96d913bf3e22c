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

// What is asked for.
const (
	acceptDocument = "application/json, */*"
	acceptImage    = "image/*"
)

// getResource gets a document or an image, from wherever its URI says.
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

// isData says whether a URI holds what it names (RFC 2397). Schemes are of any case (RFC 3986 3.1).
func isData(uri string) bool {
	const scheme = "data:"
	return len(uri) >= len(scheme) && strings.EqualFold(uri[:len(scheme)], scheme)
}

// dataShown is how many characters of a data: URI stand in the report as the URL: the want has all of it.
const dataShown = 100

func (w *worker) readData(uri string, limit int64) fetch.Exchange {
	e := fetch.Exchange{Method: http.MethodGet, URL: shorten(uri, dataShown), StartedAt: time.Now().UTC()}
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

// shorten keeps the first characters of a text.
func shorten(s string, characters int) string {
	for i := range s {
		if characters == 0 {
			return s[:i]
		}
		characters--
	}
	return s
}

// keepImage stores the image that came, and says in the report what it shows or why it can't be shown. An error means
// that it can't be stored now.
func (w *worker) keepImage(ctx context.Context, report *fetch.Report) error {
	body, problem := report.ResourceBody()
	if problem != nil {
		return nil
	}
	facts, err := keepGuarded(ctx, w.config.Images, body)
	switch {
	case err == nil:
		report.Image = &facts
		return nil
	case errors.Is(err, ErrUnavailable), ctx.Err() != nil:
		return fmt.Errorf("keep image %s: %w", shorten(report.Want.URI, dataShown), err)
	}
	last := &report.Exchanges[len(report.Exchanges)-1]
	last.Failure, last.Error = fetch.FailureImage, err.Error()
	return nil
}

// keepGuarded turns a panic into an error: decoders of images read bytes of strangers, and one that falls over an image
// does so each time.
func keepGuarded(ctx context.Context, images Images, body []byte) (facts fetch.ImageFacts, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return images.Keep(ctx, body)
}
