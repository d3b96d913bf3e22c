package web

import (
	"net/http"
	"strings"
	"time"

	"strata/domain/fetch"
)

// Names of fields that this package adds to an exchange's header.
const (
	// HeaderFinalURL names the last URL of an exchange with redirects.
	HeaderFinalURL = "strata-final-url"
	// HeaderDecoded names the content coding (RFC 9110 8.4) that a server used although the request excluded it, perhaps
	// without saying so, and that was undone. The exchange has the decoded body.
	HeaderDecoded = "strata-decoded"
)

// reportedFields lists the header fields about the body that an exchange keeps.
var reportedFields = []string{"content-type", "content-encoding", "content-length", "etag", "last-modified"}

// reportedHeader returns the part of a response's header that an exchange keeps.
func reportedHeader(header http.Header, now time.Time) map[string]string {
	reported := make(map[string]string)
	for _, name := range reportedFields {
		if value := header.Get(name); value != "" {
			reported[name] = strings.ToValidUTF8(value, "\uFFFD")
		}
	}
	if value := retryAfter(header, now); value != "" {
		reported["retry-after"] = strings.ToValidUTF8(value, "\uFFFD")
	}
	if value := header.Get("location"); value != "" {
		reported["location"] = withoutCredentials(value)
	}
	return reported
}

// retryAfter returns the first usable value of Retry-After, or else the first value.
func retryAfter(header http.Header, now time.Time) string {
	for _, value := range header.Values("retry-after") {
		if fetch.RetryAfter(value, now) > 0 {
			return value
		}
	}
	return header.Get("retry-after")
}
