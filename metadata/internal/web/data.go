package web

import (
	"fmt"
	"net/http"
	"time"

	"strata/domain/fetch"
)

// ReadData returns the exchange of a resource that its data: URI has itself, as if a host had answered. decode decodes the URI.
func ReadData(uri string, limit int64, decode func(uri string) (mediaType string, body []byte, err error)) fetch.Exchange {
	e := fetch.Exchange{Method: http.MethodGet, URL: Shorten(uri), StartedAt: time.Now().UTC()}
	mediaType, body, err := decode(uri)
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

// shortMax is the number of characters of a URI that a report has as the URL of an exchange without a host. The report's
// want has all of it.
const shortMax = 100

// Shorten returns the first characters of a URI, which may have all of an image in it.
func Shorten(uri string) string {
	left := shortMax
	for i := range uri {
		if left == 0 {
			return uri[:i]
		}
		left--
	}
	return uri
}
