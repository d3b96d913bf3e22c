package web

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"strata/domain/fetch"
	"strata/internal/destination"
)

// parse parses a URL to which a request can be sent.
func parse(raw string) (*url.URL, error) {
	address, err := url.Parse(raw)
	if err != nil {
		// The error of url.Parse quotes the URL, including its credentials.
		var quoting *url.Error
		if errors.As(err, &quoting) {
			err = quoting.Err
		}
		return nil, &failure{fetch.FailureURI, fmt.Sprintf("the address can't be read: %v", err)}
	}
	return address, validateAddress(address)
}

// validateAddress returns an error if no request can be sent to a URL. Otherwise it escapes the query, so that the URL
// is one word of the request line.
func validateAddress(address *url.URL) error {
	if address.Scheme != "http" && address.Scheme != "https" {
		return &failure{fetch.FailureURI, fmt.Sprintf("scheme %q can't be asked: want http or https", address.Scheme)}
	}
	if address.Hostname() == "" {
		return &failure{fetch.FailureURI, "the address names no host"}
	}
	address.RawQuery = escapeQuery(address.RawQuery)
	return nil
}

// escapeQuery escapes the bytes that a query must not contain (RFC 3986 3.4) as %XX. net/url leaves queries unchanged,
// and a blank would end the URL in the request line. Bytes that are already escaped stay unchanged.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// userinfo matches the beginning of a URL up to the end of its credentials, the last @ of the authority.
var userinfo = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*:)?(//)?[^/?#]*@`)

// withoutCredentials returns a URL without its credentials, for display. It also accepts text that is not a URL.
func withoutCredentials(raw string) string {
	return strings.ToValidUTF8(userinfo.ReplaceAllString(raw, "$1$2"), "\uFFFD")
}

// hostName returns the name that identifies a host. It leaves out the ports 80 and 443, so that http and https of a
// host are the same host.
func hostName(address *url.URL) string {
	host := destination.Canonical(address.Hostname())
	if port := portOf(address); port != "80" && port != "443" {
		return net.JoinHostPort(host, port)
	}
	return host
}

// origin returns the scheme, host and port of a URL (RFC 6454 4).
func origin(address *url.URL) string {
	return address.Scheme + "://" + net.JoinHostPort(destination.Canonical(address.Hostname()), portOf(address))
}

func portOf(address *url.URL) string {
	if port := address.Port(); port != "" {
		return port
	}
	if address.Scheme == "https" {
		return "443"
	}
	return "80"
}
