package web

import (
	"net/http"
	"strings"
	"time"

	"strata/domain/fetch"
)

// Names under which an exchange's header tells what no server said.
const (
	// HeaderFinalURL is where the redirects led that were followed: the address that was asked last.
	HeaderFinalURL = "strata-final-url"
	// HeaderDecoded is the content coding (RFC 9110 8.4) that a server used although it was asked not to, and that was
	// undone: the body is what was inside.
	HeaderDecoded = "strata-decoded"
)

// kept are the names of headers that say something about the body or about when to ask again.
var kept = []string{"content-type", "content-encoding", "content-length", "etag", "last-modified"}

// selected takes from a response's header what an exchange keeps.
func selected(header http.Header, now time.Time) map[string]string {
	chosen := make(map[string]string)
	for _, name := range kept {
		if value := header.Get(name); value != "" {
			chosen[name] = strings.ToValidUTF8(value, "\uFFFD")
		}
	}
	if value := retryAfter(header, now); value != "" {
		chosen["retry-after"] = strings.ToValidUTF8(value, "\uFFFD")
	}
	if value := header.Get("location"); value != "" {
		chosen["location"] = bare(value)
	}
	return chosen
}

// retryAfter is the first value that can be used, or else the first.
func retryAfter(header http.Header, now time.Time) string {
	for _, value := range header.Values("retry-after") {
		if fetch.RetryAfter(value, now) > 0 {
			return value
		}
	}
	return header.Get("retry-after")
}
